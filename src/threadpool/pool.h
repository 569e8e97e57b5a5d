// For delegates that hand the shared pool to an engine of their own.
#pragma once

#include <executorch/extension/threadpool/threadpool.h>

#include <memory>

namespace executorch::extension::threadpool {

// As get_pthreadpool(), and keeps the threads alive when their number changes
// while the engine runs.
ET_EXPORT std::shared_ptr<struct ::pthreadpool> hold_pthreadpool();

}  // namespace executorch::extension::threadpool
