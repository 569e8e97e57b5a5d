// What a backend gets when its options are set or read.
#pragma once

namespace executorch {
namespace runtime {

/// Context of BackendInterface::set_option() and get_option(). Empty so far.
class BackendOptionContext final {
 public:
  explicit BackendOptionContext() {}
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::BackendOptionContext;
}  // namespace executor
}  // namespace torch
