// For engines that bring loops of their own to the shared pool.
#pragma once

#include <executorch/runtime/platform/compiler.h>

#include <memory>

#include "src/threadpool/team.h"

namespace executorch::extension::threadpool {

// The threads of get_threadpool(), which live as long as somebody holds them,
// also when their number changes. Null where get_pthreadpool() is null.
ET_EXPORT std::shared_ptr<Team> hold_team();

}  // namespace executorch::extension::threadpool
