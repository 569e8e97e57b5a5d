#include "src/module/planned_memory.h"

#include <algorithm>

#include "src/module/owned_memory.h"

namespace executorch::extension::internal {

using runtime::Error;
using runtime::MethodMeta;
using runtime::Program;
using runtime::Result;
using runtime::Span;

Error SharedArenas::allocate(const Program& program) {
  if (!memory_.empty()) {
    return Error::Ok;
  }
  size_t sizes[kCount] = {};
  for (size_t m = 0; m < program.num_methods(); ++m) {
    ET_ASSIGN_OR_RETURN(name, program.get_method_name(m));
    ET_ASSIGN_OR_RETURN(meta, program.method_meta(name));
    const size_t count = std::min(kCount, meta.num_memory_planned_buffers());
    for (size_t i = 0; i < count; ++i) {
      ET_ASSIGN_OR_RETURN(size, meta.memory_planned_buffer_size(i));
      sizes[i] = std::max(sizes[i], static_cast<size_t>(size));
    }
  }
  std::vector<std::shared_ptr<void>> memory;
  for (const size_t size : sizes) {
    auto buffer = allocate_zeroed(size);
    ET_CHECK_OK_OR_RETURN_ERROR(buffer.error());
    memory.push_back(std::move(*buffer));
  }
  memory_ = std::move(memory);
  return Error::Ok;
}

Error PlannedMemory::add_buffer(const MethodMeta& meta, size_t index,
                                const SharedArenas* arenas) {
  ET_ASSIGN_OR_RETURN(size, meta.memory_planned_buffer_size(index));
  ET_ASSIGN_OR_RETURN(device, meta.memory_planned_buffer_device(index));
  const size_t bytes = static_cast<size_t>(size);
  devices_.push_back(device);
  if (!device.is_cpu()) {
    auto buffer = runtime::DeviceMemoryBuffer::create(bytes, device.type(),
                                                      device.index());
    ET_CHECK_OK_OR_RETURN_ERROR(buffer.error());
    spans_.push_back(buffer->as_span());
    device_memory_.push_back(std::move(*buffer));
    return Error::Ok;
  }
  std::shared_ptr<void> memory;
  if (arenas != nullptr && index < SharedArenas::kCount) {
    memory = arenas->at(index);
  } else {
    auto buffer = allocate_zeroed(bytes);
    ET_CHECK_OK_OR_RETURN_ERROR(buffer.error());
    memory = std::move(*buffer);
  }
  spans_.push_back({static_cast<uint8_t*>(memory.get()), bytes});
  memory_.push_back(std::move(memory));
  return Error::Ok;
}

Result<std::unique_ptr<PlannedMemory>> PlannedMemory::allocate(
    const MethodMeta& meta, const SharedArenas* arenas) {
  auto planned = std::make_unique<PlannedMemory>();
  for (size_t i = 0; i < meta.num_memory_planned_buffers(); ++i) {
    ET_CHECK_OK_OR_RETURN_ERROR(planned->add_buffer(meta, i, arenas));
  }
  const Span<Span<uint8_t>> spans(planned->spans_.data(),
                                  planned->spans_.size());
  if (planned->device_memory_.empty()) {
    planned->allocator_.emplace(spans);
  } else {
    planned->allocator_.emplace(
        spans, Span<const aten::Device>(planned->devices_.data(),
                                        planned->devices_.size()));
  }
  return planned;
}

}  // namespace executorch::extension::internal
