// The payload of a delegate: a header, a flatbuffer, constant data. Read once,
// checked here; what comes after trusts it.
//
//   0   4 zeros
//   4   magic "XH00"
//   8   u16 length of the header
//   10  u32 offset and u32 size of the flatbuffer
//   18  u32 offset and u64 size of the constant data
//
// Without the magic the whole payload is a flatbuffer, as in old files.
#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>

#include "src/format/xnnpack_generated.h"

namespace executorch::xnnpack {

namespace fb = ::fb_xnnpack;

inline constexpr size_t kMaxDims = 6;  // that XNNPACK takes
inline constexpr uint32_t kNoValue = 0xFFFFFFFF;
inline constexpr uint32_t kExternalInput = 1, kExternalOutput = 2;

struct Payload {
  const fb::XNNGraph* graph;
  runtime::Span<const uint8_t> constants;

  uint32_t num_values() const { return graph->xvalues()->size(); }
  // The tensor part of value `id`; ids are indices.
  const fb::XNNTensorValue& tensor(uint32_t id) const;
  // Null for a value without quantization parameters.
  const fb::XNNQuantizedTensorValue* quantized(uint32_t id) const;
};

runtime::Result<Payload> read_payload(runtime::Span<const uint8_t> bytes);

// The name of a node for messages.
const char* node_name(const fb::XNode& node);

// The values that a node reads and writes, kNoValue for one left out.
struct NodeValues {
  uint32_t inputs[5];
  int num_inputs = 0;
  uint32_t outputs[2];
  int num_outputs = 0;
};
// Fails for a type of node that cannot be run here.
runtime::Result<NodeValues> node_values(const fb::XNode& node);

// Elements of a value. Was checked not to wrap.
size_t numel(const fb::XNNTensorValue& tensor);

}  // namespace executorch::xnnpack
