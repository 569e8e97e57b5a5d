#include "src/xnnpack/datatypes.h"

namespace executorch::xnnpack {

using fb_xnnpack::XNNDatatype;

const Datatype* datatype(XNNDatatype id) {
  static constexpr Datatype kTable[] = {
      {XNNDatatype::fp32, xnn_datatype_fp32, 32},
      {XNNDatatype::fp16, xnn_datatype_fp16, 16},
      {XNNDatatype::bf16, xnn_datatype_bf16, 16},
      {XNNDatatype::int32, xnn_datatype_int32, 32},
      {XNNDatatype::qint8, xnn_datatype_qint8, 8},
      {XNNDatatype::quint8, xnn_datatype_quint8, 8},
      {XNNDatatype::qint32, xnn_datatype_qint32, 32},
      {XNNDatatype::qcint8, xnn_datatype_qcint8, 8},
      {XNNDatatype::qcint32, xnn_datatype_qcint32, 32},
      {XNNDatatype::qcint4, xnn_datatype_qcint4, 4},
      {XNNDatatype::qdint8, xnn_datatype_qdint8, 8},
      {XNNDatatype::qbint4, xnn_datatype_qbint4, 4},
  };
  for (const Datatype& type : kTable) {
    if (type.id == id) {
      return &type;
    }
  }
  return nullptr;
}

}  // namespace executorch::xnnpack
