#include "src/program/shared_states.h"

#include <iterator>

namespace executorch::program {

SharedStates::State SharedStates::get(const void* source, std::string recipe,
                                      const std::function<State()>& make) {
  std::lock_guard lock(mutex_);
  Key key(source, std::move(recipe));
  const auto found = states_.find(key);
  State state = found == states_.end() ? nullptr : found->second.lock();
  if (state == nullptr) {
    forget_expired();
    state = make();
    states_[std::move(key)] = state;
  }
  return state;
}

void SharedStates::forget_expired() {
  for (auto it = states_.begin(); it != states_.end();) {
    it = it->second.expired() ? states_.erase(it) : std::next(it);
  }
}

SharedStates::State SharedStates::find(const void* source,
                                       const std::string& recipe) {
  std::lock_guard lock(mutex_);
  const auto found = states_.find({source, recipe});
  return found == states_.end() ? nullptr : found->second.lock();
}

}  // namespace executorch::program
