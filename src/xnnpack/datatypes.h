// The datatypes of a payload, by name: their numbers differ from those of
// XNNPACK and between its versions.
#pragma once

#include <xnnpack.h>

#include "src/format/xnnpack_generated.h"

namespace executorch::xnnpack {

struct Datatype {
  fb_xnnpack::XNNDatatype id;
  xnn_datatype xnn;
  int bits;  // of an element
};

// Null for a datatype that this backend does not run.
const Datatype* datatype(fb_xnnpack::XNNDatatype id);

}  // namespace executorch::xnnpack
