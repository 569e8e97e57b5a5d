#include "src/xnnpack/constants.h"

#include <executorch/runtime/platform/log.h>
#include <xnnpack.h>

#include <cstring>
#include <new>

#include "src/xnnpack/memory.h"

namespace executorch::xnnpack {

using runtime::Error;
using runtime::FreeableBuffer;
using runtime::Result;

namespace {

Error check_size(uint32_t index, size_t size, size_t needed) {
  ET_CHECK_OR_RETURN_ERROR(
      size >= needed, InvalidProgram,
      "XNNPACK constant %u has %zu bytes, its value needs %zu", index, size,
      needed);
  return Error::Ok;
}

bool has_name(const fb::ConstantDataOffset& constant) {
  return constant.named_key() != nullptr && constant.named_key()->size() > 0;
}

}  // namespace

// The payload itself ends before the first run.
Result<const void*> Constants::load_own(const uint8_t* data, size_t size,
                                        bool packed) {
  if (packed) {
    return static_cast<const void*>(data);
  }
  std::unique_ptr<uint8_t[]> copy(new (std::nothrow)
                                      uint8_t[size + XNN_EXTRA_BYTES]);
  ET_CHECK_OR_RETURN_ERROR(copy != nullptr, MemoryAllocationFailed,
                           "no memory for a constant of %zu bytes", size);
  std::memcpy(copy.get(), data, size);
  copies_.push_back(std::move(copy));
  return static_cast<const void*>(copies_.back().get());
}

Result<const void*> Constants::load_named(const char* key, size_t size,
                                          bool packed) {
  ET_CHECK_OR_RETURN_ERROR(named_data_ != nullptr, InvalidExternalData,
                           "XNNPACK constant %s: the program has no named data",
                           key);
  Result<FreeableBuffer> data = named_data_->get_data(key);
  ET_CHECK_OR_RETURN_ERROR(data.ok(), NotFound,
                           "XNNPACK constant %s is missing; give the module "
                           "the data file that was exported with the program",
                           key);
  ET_CHECK_OR_RETURN_ERROR(
      data->size() >= size, InvalidExternalData,
      "XNNPACK constant %s has %zu bytes, its value needs %zu", key,
      data->size(), size);
  if (!packed && is_read_past(data->data(), size)) {
    return load_own(static_cast<const uint8_t*>(data->data()), size, packed);
  }
  auto& list = packed ? packed_ : kept_;
  list.push_back(std::move(*data));
  return list.back().data();
}

Result<const void*> Constants::load(uint32_t index, size_t size, bool packed) {
  bytes_ += size;
  const auto* offsets = payload_.graph->constant_data();
  if (offsets != nullptr && index < offsets->size()) {
    const fb::ConstantDataOffset& constant = *offsets->Get(index);
    if (has_name(constant)) {
      return load_named(constant.named_key()->c_str(), size, packed);
    }
    const size_t total = payload_.constants.size();
    ET_CHECK_OR_RETURN_ERROR(constant.offset() <= total &&
                                 constant.size() <= total - constant.offset(),
                             InvalidProgram,
                             "XNNPACK constant %u lies outside of the payload",
                             index);
    ET_CHECK_OK_OR_RETURN_ERROR(check_size(index, constant.size(), size));
    return load_own(payload_.constants.data() + constant.offset(), size,
                    packed);
  }
  const auto* buffers = payload_.graph->constant_buffer();
  ET_CHECK_OR_RETURN_ERROR(buffers != nullptr && index < buffers->size() &&
                               buffers->Get(index)->storage() != nullptr,
                           InvalidProgram, "XNNPACK constant %u does not exist",
                           index);
  const auto& storage = *buffers->Get(index)->storage();
  ET_CHECK_OK_OR_RETURN_ERROR(check_size(index, storage.size(), size));
  return load_own(storage.data(), size, packed);
}

Result<const void*> Constants::load_widened(uint32_t index, size_t count) {
  const void* narrow = ET_UNWRAP(load(index, count * 2, true));
  std::unique_ptr<float[]> wide(new (std::nothrow) float[count]);
  ET_CHECK_OR_RETURN_ERROR(wide != nullptr, MemoryAllocationFailed,
                           "no memory to widen %zu weights", count);
  for (size_t i = 0; i < count; ++i) {
    uint16_t bits;
    std::memcpy(&bits, static_cast<const uint16_t*>(narrow) + i, sizeof(bits));
    const uint32_t wide_bits = uint32_t{bits} << 16;
    std::memcpy(&wide[i], &wide_bits, sizeof(wide_bits));
  }
  widened_.push_back(std::move(wide));
  return static_cast<const void*>(widened_.back().get());
}

std::string Constants::name(uint32_t index) const {
  const auto* offsets = payload_.graph->constant_data();
  const bool named = offsets != nullptr && index < offsets->size() &&
                     has_name(*offsets->Get(index));
  return named ? offsets->Get(index)->named_key()->str() : std::string();
}

}  // namespace executorch::xnnpack
