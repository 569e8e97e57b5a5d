#include "src/xnnpack/workspace.h"

#include <map>

namespace executorch::xnnpack {

Workspace::Workspace() { (void)xnn_create_workspace(&handle); }

Workspace::~Workspace() {
  if (handle != nullptr) {
    (void)xnn_release_workspace(handle);
  }
}

std::shared_ptr<Workspace> get_workspace(WorkspaceSharing sharing,
                                         const void* model) {
  if (sharing == WorkspaceSharing::kNone) {
    return std::make_shared<Workspace>();
  }
  // Held by their users only; never destroyed itself.
  static auto* mutex = new std::mutex;
  static auto* known = new std::map<const void*, std::weak_ptr<Workspace>>;
  const void* key = sharing == WorkspaceSharing::kGlobal ? nullptr : model;
  const std::lock_guard<std::mutex> lock(*mutex);
  for (auto it = known->begin(); it != known->end();) {
    it = it->second.expired() ? known->erase(it) : std::next(it);
  }
  auto& entry = (*known)[key];
  auto workspace = entry.lock();
  if (workspace == nullptr || workspace->failed) {
    workspace = std::make_shared<Workspace>();
    entry = workspace;
  }
  return workspace;
}

}  // namespace executorch::xnnpack
