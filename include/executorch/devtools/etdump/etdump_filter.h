// Chooses the intermediate outputs of delegates that an ETDumpGen logs.
#pragma once

#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/compiler.h>

#include <cstddef>
#include <memory>
#include <string_view>

namespace executorch {
namespace etdump {

/// Outputs with a name are logged if one of the expressions matches the whole
/// name, outputs with a number if it is in the range. A filter without any
/// condition lets everything pass.
///
/// Set it up before a run; filter() may be called by several threads.
class ET_EXPORT ETDumpFilter
    : public ::executorch::runtime::EventTracerFilterBase {
 public:
  ETDumpFilter();
  ETDumpFilter(ETDumpFilter&&) noexcept;
  ETDumpFilter& operator=(ETDumpFilter&&) noexcept;
  ~ETDumpFilter() override;

  /// Adds a regular expression in the syntax of ECMAScript.
  ///
  /// @retval InvalidArgument It cannot be read as one.
  ::executorch::runtime::Result<bool> add_regex(std::string_view pattern);

  /// Lets the numbers from `start` to `end` - 1 pass.
  ///
  /// @retval InvalidArgument The range is empty.
  ::executorch::runtime::Result<bool> set_debug_handle_range(size_t start,
                                                             size_t end);

  /// @retval InvalidArgument The output has neither a name nor a number, or
  ///     both.
  ::executorch::runtime::Result<bool> filter(
      const char* name,
      ::executorch::runtime::DelegateDebugIntId delegate_debug_index) override;

  /// How many expressions were added.
  size_t get_n_regex() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace etdump
}  // namespace executorch
