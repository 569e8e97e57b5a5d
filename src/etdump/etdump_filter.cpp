// Compiled with exceptions: std::regex reports bad expressions and its limits
// by them. None leaves this file.
#include <executorch/devtools/etdump/etdump_filter.h>
#include <executorch/runtime/platform/log.h>

#include <new>
#include <regex>
#include <string>
#include <vector>

namespace executorch::etdump {

using runtime::DelegateDebugIntId;
using runtime::Error;
using runtime::kUnsetDelegateDebugIntId;
using runtime::Result;

struct ETDumpFilter::State {
  std::vector<std::regex> patterns;
  bool has_range = false;
  size_t start = 0;
  size_t end = 0;
};

ETDumpFilter::ETDumpFilter() : state_(std::make_unique<State>()) {}
ETDumpFilter::ETDumpFilter(ETDumpFilter&&) noexcept = default;
ETDumpFilter& ETDumpFilter::operator=(ETDumpFilter&&) noexcept = default;
ETDumpFilter::~ETDumpFilter() = default;

Result<bool> ETDumpFilter::add_regex(std::string_view pattern) {
  try {
    state_->patterns.emplace_back(pattern.data(), pattern.size());
    return true;
  } catch (const std::regex_error& error) {
    ET_LOG(Error, "%.*s is not a regular expression: %s",
           static_cast<int>(pattern.size()), pattern.data(), error.what());
    return Error::InvalidArgument;
  } catch (const std::bad_alloc&) {
    ET_LOG(Error, "no memory for a regular expression");
    return Error::MemoryAllocationFailed;
  }
}

Result<bool> ETDumpFilter::set_debug_handle_range(size_t start, size_t end) {
  ET_CHECK_OR_RETURN_ERROR(start < end, InvalidArgument,
                           "the range from %zu to %zu is empty", start, end);
  state_->has_range = true;
  state_->start = start;
  state_->end = end;
  return true;
}

Result<bool> ETDumpFilter::filter(const char* name,
                                  DelegateDebugIntId delegate_debug_index) {
  const bool has_number = delegate_debug_index != kUnsetDelegateDebugIntId;
  ET_CHECK_OR_RETURN_ERROR((name != nullptr) != has_number, InvalidArgument,
                           "an output has the name %s and the number %d, "
                           "expected one of them",
                           name == nullptr ? "null" : name,
                           static_cast<int>(delegate_debug_index));
  if (state_->patterns.empty() && !state_->has_range) {
    return true;
  }
  if (has_number) {
    return state_->has_range && delegate_debug_index >= 0 &&
           static_cast<size_t>(delegate_debug_index) >= state_->start &&
           static_cast<size_t>(delegate_debug_index) < state_->end;
  }
  try {
    for (const std::regex& pattern : state_->patterns) {
      if (std::regex_match(name, pattern)) {
        return true;
      }
    }
    return false;
  } catch (const std::exception& error) {
    ET_LOG(Error, "a regular expression cannot be matched with %s: %s", name,
           error.what());
    return Error::NotSupported;
  }
}

size_t ETDumpFilter::get_n_regex() const { return state_->patterns.size(); }

}  // namespace executorch::etdump
