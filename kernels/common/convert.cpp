#include "kernels/common/convert.h"

#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>

#include <algorithm>
#include <complex>
#include <cstring>

#include "kernels/common/vec/convert.h"

namespace executorch::kernels {
namespace {

using aten::ScalarType;

template <class T>
void same(const void* src, void* dst, int64_t n) {
  std::memmove(dst, src, static_cast<size_t>(n) * sizeof(T));
}

template <class From, class To>
void cast(const void* src, void* dst, int64_t n) {
  const auto* from = static_cast<const From*>(src);
  auto* to = static_cast<To*>(dst);
  for (int64_t i = 0; i < n; ++i) {
    to[i] = static_cast<To>(from[i]);
  }
}

template <class Complex>
void real_part(const void* src, void* dst, int64_t n) {
  const auto* from = static_cast<const Complex*>(src);
  auto* to = static_cast<typename Complex::value_type*>(dst);
  for (int64_t i = 0; i < n; ++i) {
    to[i] = from[i].real();
  }
}

using c64 = std::complex<float>;
using c128 = std::complex<double>;

// Index into the tables of vec/convert.h, or -1 for complex and other dtypes.
int index_of(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Byte:
      return vec::Convert::kU8;
    case ScalarType::Char:
      return vec::Convert::kI8;
    case ScalarType::Short:
      return vec::Convert::kI16;
    case ScalarType::Int:
      return vec::Convert::kI32;
    case ScalarType::Long:
      return vec::Convert::kI64;
    case ScalarType::Half:
      return vec::Convert::kF16;
    case ScalarType::Float:
      return vec::Convert::kF32;
    case ScalarType::Double:
      return vec::Convert::kF64;
    case ScalarType::Bool:
      return vec::Convert::kBool;
    case ScalarType::BFloat16:
      return vec::Convert::kBF16;
    case ScalarType::UInt16:
      return vec::Convert::kU16;
    default:
      return -1;
  }
}

int pivot_of(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Float:
      return vec::Convert::kFloat;
    case ScalarType::Double:
      return vec::Convert::kDouble;
    case ScalarType::Long:
      return vec::Convert::kInt64;
    default:
      return -1;
  }
}

ConvertFn same_dtype(ScalarType dtype) {
  switch (item_size(dtype)) {
    case 1:
      return same<uint8_t>;
    case 2:
      return same<uint16_t>;
    case 4:
      return same<uint32_t>;
    case 8:
      return same<uint64_t>;
    case 16:
      return same<c128>;
    default:
      return nullptr;
  }
}

bool is_complex(ScalarType dtype) {
  return dtype == ScalarType::ComplexFloat ||
         dtype == ScalarType::ComplexDouble;
}

// Conversions that take one step.
ConvertFn direct(ScalarType from, ScalarType to) {
  if (from == to) {
    return same_dtype(from);
  }
  switch (from) {
    case ScalarType::ComplexFloat:
      return to == ScalarType::ComplexDouble ? cast<c64, c128>
             : to == ScalarType::Float       ? real_part<c64>
                                             : nullptr;
    case ScalarType::ComplexDouble:
      return to == ScalarType::ComplexFloat ? cast<c128, c64>
             : to == ScalarType::Double     ? real_part<c128>
                                            : nullptr;
    default:
      break;
  }
  if (from == ScalarType::Float && to == ScalarType::ComplexFloat) {
    return cast<float, c64>;
  }
  if (from == ScalarType::Double && to == ScalarType::ComplexDouble) {
    return cast<double, c128>;
  }
  const int from_index = index_of(from), to_index = index_of(to);
  if (from_index < 0 || to_index < 0) {
    return nullptr;
  }
  if (const int pivot = pivot_of(to); pivot >= 0) {
    return vec::convert().items[from_index].to[pivot];
  }
  const int pivot = pivot_of(from);
  return pivot >= 0 ? vec::convert().items[to_index].from[pivot] : nullptr;
}

ScalarType middle(ScalarType from, ScalarType to) {
  const ScalarType complex = is_complex(from) ? from : to;
  if (is_complex(complex)) {
    return complex == ScalarType::ComplexFloat ? ScalarType::Float
                                               : ScalarType::Double;
  }
  return runtime::isFloatingType(from) ? ScalarType::Float : ScalarType::Long;
}

}  // namespace

Converter::Converter(ScalarType from, ScalarType to)
    : first_(direct(from, to)),
      src_item_(item_size(from)),
      dst_item_(item_size(to)) {
  if (first_ == nullptr && src_item_ != 0 && dst_item_ != 0) {
    const ScalarType between = middle(from, to);
    first_ = direct(from, between);
    second_ = direct(between, to);
  }
}

void Converter::through_middle(const void* src, void* dst, int64_t n) const {
  constexpr int64_t kBlock = 256;
  alignas(64) int64_t between[kBlock];
  const auto* from = static_cast<const char*>(src);
  auto* to = static_cast<char*>(dst);
  for (int64_t i = 0; i < n; i += kBlock) {
    const int64_t count = std::min(kBlock, n - i);
    first_(from + i * src_item_, between, count);
    second_(between, to + i * dst_item_, count);
  }
}

}  // namespace executorch::kernels
