#include <executorch/extension/runner_util/inputs.h>
#include <executorch/extension/tensor/tensor_ptr.h>
#include <executorch/runtime/executor/method_meta.h>

#include <algorithm>
#include <cstring>

#include "src/module/elements.h"

namespace executorch::extension {

using runtime::Error;
using runtime::Method;
using runtime::Result;
using runtime::TensorInfo;

namespace {

// Fills the elements of an input with ones, or all bytes with 0 when they are
// no numbers.
void fill(void* data, const TensorInfo& info) {
  const auto type = info.scalar_type();
  const size_t size = runtime::elementSize(type);
  if (!internal::holds_numbers(type)) {
    std::memset(data, 0, info.nbytes());
    return;
  }
  int64_t ones[256];
  std::fill(std::begin(ones), std::end(ones), 1);
  const size_t count = info.nbytes() / size;
  for (size_t at = 0; at < count; at += std::size(ones)) {
    internal::store(type, static_cast<char*>(data) + at * size, ones,
                    std::min(std::size(ones), count - at));
  }
}

Error set_tensor(Method& method, size_t index, const TensorInfo& info,
                 void* data) {
  auto tensor =
      try_make_tensor_ptr({info.sizes().begin(), info.sizes().end()}, data,
                          {info.dim_order().begin(), info.dim_order().end()},
                          {}, info.scalar_type());
  ET_CHECK_OK_OR_RETURN_ERROR(tensor.error());
  return method.set_input(runtime::EValue(**tensor), index);
}

}  // namespace

Result<BufferCleanup> prepare_input_tensors(
    Method& method, PrepareInputTensorsOptions options,
    const std::vector<std::pair<char*, size_t>>& input_buffers) {
  const auto meta = method.method_meta();
  const size_t count = meta.num_inputs();
  ET_CHECK_OR_RETURN_ERROR(count <= options.max_inputs, InvalidProgram,
                           "the method takes %zu inputs, the limit is %zu",
                           count, options.max_inputs);
  void** buffers = static_cast<void**>(
      std::calloc(std::max<size_t>(count, 1), sizeof(void*)));
  ET_CHECK_OR_RETURN_ERROR(buffers != nullptr, MemoryAllocationFailed,
                           "memory for %zu inputs is not to be had", count);
  BufferCleanup owner({buffers, count});

  size_t left = options.max_total_allocation_size;
  for (size_t i = 0; i < count; ++i) {
    ET_ASSIGN_OR_RETURN(tag, meta.input_tag(i));
    if (tag != runtime::Tag::Tensor) {
      continue;
    }
    ET_ASSIGN_OR_RETURN(info, meta.input_tensor_meta(i));
    const size_t bytes = info.nbytes();
    ET_CHECK_OR_RETURN_ERROR(
        bytes <= left, InvalidProgram,
        "the inputs of the method need more than %zu bytes",
        options.max_total_allocation_size);
    left -= bytes;
    buffers[i] = std::malloc(std::max<size_t>(bytes, 1));
    ET_CHECK_OR_RETURN_ERROR(buffers[i] != nullptr, MemoryAllocationFailed,
                             "%zu bytes for input %zu are not to be had", bytes,
                             i);
    if (i < input_buffers.size() && input_buffers[i].first != nullptr) {
      ET_CHECK_OR_RETURN_ERROR(input_buffers[i].second == bytes,
                               InvalidArgument,
                               "%zu bytes are given for input %zu, it has %zu",
                               input_buffers[i].second, i, bytes);
      std::memcpy(buffers[i], input_buffers[i].first, bytes);
    } else {
      fill(buffers[i], info);
    }
    ET_CHECK_OK_OR_RETURN_ERROR(set_tensor(method, i, info, buffers[i]));
  }
  return owner;
}

}  // namespace executorch::extension
