// Deprecated name of std::string_view.
#pragma once

#include <executorch/runtime/platform/compiler.h>

#include <string_view>

namespace executorch {
namespace runtime {
namespace etensor {

using string_view ET_DEPRECATED = std::string_view;

}  // namespace etensor
}  // namespace runtime
}  // namespace executorch
