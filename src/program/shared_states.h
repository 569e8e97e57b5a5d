// State that operators made from constants, shared by the methods of a program.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace executorch::program {

// Thread safe. Holds nothing alive: what no method uses any more is gone.
class SharedStates {
 public:
  using State = std::shared_ptr<const void>;

  // The state made from the bytes at `source` by `recipe`; made now if there is
  // none. Making runs under the lock, so that it happens once.
  State get(const void* source, std::string recipe,
            const std::function<State()>& make);

  // The same if it is there, or null.
  State find(const void* source, const std::string& recipe);

 private:
  using Key = std::pair<const void*, std::string>;

  void forget_expired();

  std::mutex mutex_;
  std::map<Key, std::weak_ptr<const void>> states_;
};

}  // namespace executorch::program
