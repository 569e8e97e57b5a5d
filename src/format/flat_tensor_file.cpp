#include "src/format/flat_tensor_file.h"

#include <executorch/runtime/platform/log.h>

#include "src/format/program_file.h"
#include "src/format/shape.h"

namespace executorch::format {

namespace ft = ::flat_tensor_flatbuffer;
using runtime::Error;
using runtime::Result;
using runtime::Span;

namespace {

Error verify_layout(const ft::NamedData& data, uint64_t segment_size) {
  const ft::TensorLayout* layout = data.tensor_layout();
  if (layout == nullptr) {
    return Error::Ok;
  }
  const auto* sizes = layout->sizes();
  const auto* order = layout->dim_order();
  const Shape shape{layout->scalar_type(),
                    sizes == nullptr ? nullptr : sizes->data(), length(sizes),
                    order == nullptr ? nullptr : order->data(), length(order)};
  size_t nbytes = 0;
  const char* fault = shape_fault(shape, &nbytes);
  ET_CHECK_OR_RETURN_ERROR(fault == nullptr, InvalidExternalData,
                           "tensor %s: %s", data.key()->c_str(), fault);
  ET_CHECK_OR_RETURN_ERROR(
      nbytes <= segment_size, InvalidExternalData,
      "tensor %s has %llu bytes in the file, expected %zu", data.key()->c_str(),
      static_cast<unsigned long long>(segment_size), nbytes);
  return Error::Ok;
}

Error verify_meaning(const ft::FlatTensor& tensors, uint64_t segments_size) {
  ET_CHECK_OR_RETURN_ERROR(
      tensors.version() <= kFlatTensorVersion, InvalidExternalData,
      "schema version %u is newer than %u, the newest known: update the SDK",
      tensors.version(), kFlatTensorVersion);
  ET_CHECK_OR_RETURN_ERROR(
      tensors.segments() != nullptr && tensors.named_data() != nullptr,
      InvalidExternalData, "the file has no segments or no names");
  for (size_t i = 0; i < tensors.segments()->size(); ++i) {
    const uint64_t offset = tensors.segments()->Get(i)->offset();
    const uint64_t size = tensors.segments()->Get(i)->size();
    ET_CHECK_OR_RETURN_ERROR(
        offset <= segments_size && size <= segments_size - offset,
        InvalidExternalData,
        "segment %zu: %llu bytes at %llu are outside of the file", i,
        static_cast<unsigned long long>(size),
        static_cast<unsigned long long>(offset));
  }
  for (size_t i = 0; i < tensors.named_data()->size(); ++i) {
    const ft::NamedData* data = tensors.named_data()->Get(i);
    ET_CHECK_OR_RETURN_ERROR(
        data->key() != nullptr &&
            data->segment_index() < tensors.segments()->size(),
        InvalidExternalData, "named data %zu has no key, or segment %u of %u",
        i, data->segment_index(), tensors.segments()->size());
    ET_CHECK_OK_OR_RETURN_ERROR(verify_layout(
        *data, tensors.segments()->Get(data->segment_index())->size()));
  }
  return Error::Ok;
}

}  // namespace

Result<const ft::FlatTensor*> verify_flat_tensor(Span<const uint8_t> bytes,
                                                 uint64_t segments_size) {
  ET_CHECK_OR_RETURN_ERROR(
      reinterpret_cast<uintptr_t>(bytes.data()) % kProgramAlignment == 0,
      InvalidArgument,
      "the tables are at address %p, expected a multiple of "
      "%zu",
      static_cast<const void*>(bytes.data()), kProgramAlignment);
  constexpr size_t kMaxDepth = 16;
  ET_CHECK_OR_RETURN_ERROR(bytes.size() < FLATBUFFERS_MAX_BUFFER_SIZE,
                           InvalidExternalData,
                           "tables of %zu bytes are too large", bytes.size());
  flatbuffers::Verifier verifier(bytes.data(), bytes.size(), kMaxDepth,
                                 bytes.size() / sizeof(uint32_t));
  ET_CHECK_OR_RETURN_ERROR(
      ft::VerifyFlatTensorBuffer(verifier), InvalidExternalData,
      "the tables of %zu bytes are damaged: their flatbuffer is inconsistent",
      bytes.size());
  const ft::FlatTensor* tensors = ft::GetFlatTensor(bytes.data());
  ET_CHECK_OK_OR_RETURN_ERROR(verify_meaning(*tensors, segments_size));
  return tensors;
}

}  // namespace executorch::format
