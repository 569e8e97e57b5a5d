#include "src/xnnpack/payload.h"

#include <executorch/runtime/platform/log.h>

#include <cstring>

#include "src/xnnpack/check_graph.h"

namespace executorch::xnnpack {

using runtime::Error;
using runtime::Result;
using runtime::Span;

namespace {

constexpr size_t kHeaderBytes = 30;
constexpr char kMagic[] = {'X', 'H', '0', '0'};

template <class T>
T read(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

bool inside(uint64_t offset, uint64_t size, size_t total) {
  return offset <= total && size <= total - offset;
}

struct Parts {
  Span<const uint8_t> graph, constants;
};

Result<Parts> split(Span<const uint8_t> bytes) {
  ET_CHECK_OR_RETURN_ERROR(bytes.size() >= kHeaderBytes, InvalidArgument,
                           "XNNPACK payload: %zu bytes, a header has %zu",
                           bytes.size(), kHeaderBytes);
  if (std::memcmp(bytes.data() + 4, kMagic, sizeof(kMagic)) != 0) {
    return Parts{bytes, {}};
  }
  const uint64_t graph_at = read<uint32_t>(bytes.data() + 10);
  const uint64_t graph_size = read<uint32_t>(bytes.data() + 14);
  const uint64_t data_at = read<uint32_t>(bytes.data() + 18);
  const uint64_t data_size = read<uint64_t>(bytes.data() + 22);
  ET_CHECK_OR_RETURN_ERROR(
      graph_size >= 8 && inside(graph_at, graph_size, bytes.size()) &&
          inside(data_at, data_size, bytes.size()) &&
          data_at >= graph_at + graph_size,
      InvalidArgument,
      "XNNPACK payload: the graph (%llu bytes at %llu) and the constants (%llu "
      "bytes at %llu) do not fit its %zu bytes",
      static_cast<unsigned long long>(graph_size),
      static_cast<unsigned long long>(graph_at),
      static_cast<unsigned long long>(data_size),
      static_cast<unsigned long long>(data_at), bytes.size());
  return Parts{{bytes.data() + graph_at, graph_size},
               {bytes.data() + data_at, data_size}};
}

Error verify(Span<const uint8_t> graph) {
  const bool known = flatbuffers::BufferHasIdentifier(graph.data(), "XN01") ||
                     flatbuffers::BufferHasIdentifier(graph.data(), "XN00");
  ET_CHECK_OR_RETURN_ERROR(known, DelegateInvalidCompatibility,
                           "XNNPACK payload: the identifier of the graph is "
                           "neither XN00 nor XN01");
  constexpr flatbuffers::uoffset_t kDepth = 16, kTables = 1 << 20;
  flatbuffers::Verifier verifier(graph.data(), graph.size(), kDepth, kTables);
  ET_CHECK_OR_RETURN_ERROR(verifier.VerifyBuffer<fb::XNNGraph>(nullptr),
                           DelegateInvalidCompatibility,
                           "XNNPACK payload: the graph is damaged");
  return Error::Ok;
}

}  // namespace

const fb::XNNQuantizedTensorValue* Payload::quantized(uint32_t id) const {
  return graph->xvalues()->Get(id)->xvalue_union_as_XNNQuantizedTensorValue();
}

const fb::XNNTensorValue& Payload::tensor(uint32_t id) const {
  const auto* quantized_value = quantized(id);
  return quantized_value != nullptr
             ? *quantized_value->tensor_value()
             : *graph->xvalues()->Get(id)->xvalue_union_as_XNNTensorValue();
}

size_t numel(const fb::XNNTensorValue& tensor) {
  size_t count = 1;
  for (const uint32_t size : *tensor.dims()) {
    count *= size;
  }
  return count;
}

Result<Payload> read_payload(Span<const uint8_t> bytes) {
  const Parts parts = ET_UNWRAP(split(bytes));
  const bool aligned =
      reinterpret_cast<uintptr_t>(parts.graph.data()) % alignof(uint64_t) == 0;
  ET_CHECK_OR_RETURN_ERROR(aligned, InvalidArgument,
                           "XNNPACK payload: its address is not a multiple of "
                           "8; load the program with the default alignment");
  ET_CHECK_OK_OR_RETURN_ERROR(verify(parts.graph));
  const Payload payload{flatbuffers::GetRoot<fb::XNNGraph>(parts.graph.data()),
                        parts.constants};
  ET_CHECK_OK_OR_RETURN_ERROR(check_graph(payload));
  return payload;
}

}  // namespace executorch::xnnpack
