#include "src/program/shared_states.h"

namespace executorch::program {

SharedStates::State SharedStates::get(const void* source, std::string recipe,
                                      const std::function<State()>& make) {
  std::lock_guard lock(mutex_);
  std::weak_ptr<const void>& slot = states_[{source, std::move(recipe)}];
  State state = slot.lock();
  if (state == nullptr) {
    state = make();
    slot = state;
  }
  return state;
}

}  // namespace executorch::program
