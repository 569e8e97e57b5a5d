// Memory for the internal values of delegates, which delegates may share.
#pragma once

#include <xnnpack.h>

#include <atomic>
#include <memory>
#include <mutex>

#include "src/xnnpack/executor.h"

namespace executorch::xnnpack {

struct Workspace {
  Workspace();
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  xnn_workspace_t handle = nullptr;  // null when there is no memory
  // Held while a delegate that uses it is made, runs or ends.
  std::mutex mutex;
  // XNNPACK leaves what it cannot make larger in a state that must not be used.
  std::atomic<bool> failed{false};
};

// `model` tells the delegates of one model from others.
std::shared_ptr<Workspace> get_workspace(WorkspaceSharing sharing,
                                         const void* model);

}  // namespace executorch::xnnpack
