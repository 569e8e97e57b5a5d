#include "kernels/optimized/gemm/grouped_weights.h"

#include <cstring>

namespace executorch::kernels::gemm {

using runtime::Error;
using runtime::Span;

namespace {

struct Field {
  const char* name;
  int32_t expected;
};

}  // namespace

Error GroupedShape::check() const {
  const auto ll = [](int64_t x) { return static_cast<long long>(x); };
  ET_CHECK_OR_RETURN_ERROR(bits == 4 || bits == 8, InvalidArgument,
                           "weights have %lld bits; 4 and 8 are supported",
                           ll(bits));
  ET_CHECK_OR_RETURN_ERROR(
      group > 0 && group % kChunk == 0 && group < kMaxGroup, InvalidArgument,
      "the group size is %lld; it must be a multiple of 16 below %lld",
      ll(group), ll(kMaxGroup));
  constexpr int64_t kLimit = int64_t{1} << 31;
  ET_CHECK_OR_RETURN_ERROR(
      n > 0 && k > 0 && n < kLimit && k < kLimit && k % group == 0,
      InvalidArgument,
      "a weight of %lld x %lld is not made of whole groups of %lld along k",
      ll(n), ll(k), ll(group));
  return Error::Ok;
}

Error check_grouped(Span<const uint8_t> blob, const GroupedShape& shape,
                    const char* what, int64_t index) {
  const int64_t required =
      kGroupedHeaderBytes + shape.panels() * shape.panel_bytes();
  ET_CHECK_OR_RETURN_ERROR(
      static_cast<int64_t>(blob.size()) >= required, InvalidArgument,
      "%s, expert %lld: %zu bytes, a weight of %lld x %lld needs %lld", what,
      static_cast<long long>(index), blob.size(),
      static_cast<long long>(shape.n), static_cast<long long>(shape.k),
      static_cast<long long>(required));
  const Field fields[] = {{"magic", 6712},
                          {"type (1 is universal)", 1},
                          {"bits", static_cast<int32_t>(shape.bits)},
                          {"has_zeros", 0},
                          {"has_bias", 0},
                          {"nr", 8},
                          {"kr", 16},
                          {"sr", 2}};
  const uint8_t* at = blob.data();
  for (const Field& field : fields) {
    int32_t value;
    std::memcpy(&value, at, sizeof(value));
    at += sizeof(value);
    ET_CHECK_OR_RETURN_ERROR(
        value == field.expected, InvalidArgument,
        "%s, expert %lld: header field %s is %d, expected %d; pack the weights "
        "for the universal format",
        what, static_cast<long long>(index), field.name, value, field.expected);
  }
  return Error::Ok;
}

}  // namespace executorch::kernels::gemm
