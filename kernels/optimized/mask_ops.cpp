// Operators whose result depends on how many elements fulfil a condition:
// masked_select, masked_scatter, nonzero, repeat_interleave.
#include <cinttypes>
#include <complex>
#include <cstring>

#include "kernels/common/checks.h"
#include "kernels/common/op.h"
#include "kernels/common/strided_loops.h"
#include "kernels/optimized/item.h"

namespace executorch::kernels {
namespace {

// A tensor and its mask, broadcast to a common shape.
struct Masked {
  ConstView self{nullptr, 1}, mask{nullptr, 1};
  int64_t count = 0;  // of elements where the mask is true

  Error init(const Tensor& tensor, const Tensor& bools) {
    ET_CHECK_OR_RETURN_ERROR(bools.scalar_type() == ScalarType::Bool,
                             InvalidArgument,
                             "the mask has dtype %s, expected Bool",
                             runtime::toString(bools.scalar_type()));
    Shape shape;
    ET_CHECK_OK_OR_RETURN_ERROR(shape.broadcast(tensor.sizes()));
    ET_CHECK_OK_OR_RETURN_ERROR(shape.broadcast(bools.sizes()));
    int64_t sizes[runtime::kTensorDimensionLimit];
    std::copy_n(shape.sizes, shape.dims, sizes);
    const ArrayRef<int64_t> common(sizes, shape.dims);
    self = view(tensor);
    mask = view(bools);
    ET_CHECK_OK_OR_RETURN_ERROR(expand(self, common));
    ET_CHECK_OK_OR_RETURN_ERROR(expand(mask, common));
    for_each_item(mask, [&](const char* item) { count += *item != 0; });
    return Error::Ok;
  }

  // Calls f(item of v) where the mask is true; v has the common shape.
  template <class V, class F>
  void for_each(const V& v, F f) const {
    int64_t left = v.numel();
    if (left == 0) {
      return;
    }
    Walker<V> at(v, 0);
    for_each_item(mask, [&](const char* item) {
      if (*item != 0) {
        f(at.data());
      }
      at.advance(1);
    });
  }
};

Error masked_select(KernelRuntimeContext&, const Tensor& self,
                    const Tensor& mask, Tensor& out) {
  Masked masked;
  ET_CHECK_OK_OR_RETURN_ERROR(masked.init(self, mask));
  ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(self.scalar_type(), out));
  ET_CHECK_OK_OR_RETURN_ERROR(resize(out, {&masked.count, 1}));
  char* to = static_cast<char*>(out.mutable_data_ptr());
  const int64_t item = masked.self.item;
  masked.for_each(masked.self, [&](const char* from) {
    copy_bytes(to, from, item);
    to += item;
  });
  return Error::Ok;
}

Error masked_scatter(KernelRuntimeContext&, const Tensor& self,
                     const Tensor& mask, const Tensor& source, Tensor& out) {
  Masked masked;
  ET_CHECK_OK_OR_RETURN_ERROR(masked.init(self, mask));
  ET_CHECK_OR_RETURN_ERROR(
      source.scalar_type() == self.scalar_type() &&
          source.numel() >= masked.count,
      InvalidArgument,
      "a source of dtype %s and %zd elements, expected %s and at least "
      "%" PRId64,
      runtime::toString(source.scalar_type()),
      static_cast<ssize_t>(source.numel()),
      runtime::toString(self.scalar_type()), masked.count);
  ET_CHECK_OK_OR_RETURN_ERROR(deliver(masked.self, self.scalar_type(), out));
  if (masked.count > 0) {
    Walker<ConstView> from(view(source), 0);
    const View to = mutable_view(out);
    masked.for_each(to, [&](char* item) {
      copy_bytes(item, from.data(), to.item);
      from.advance(1);
    });
  }
  return Error::Ok;
}

template <class T>
bool is_nonzero(const char* item) {
  return *reinterpret_cast<const T*>(item) != T(0);
}

// Writes the places of the elements of which kTest is true.
template <bool (*kTest)(const char*)>
Error list_places(const ConstView& v, Tensor& out) {
  int64_t shape[2] = {0, v.dims};
  for_each_item(v, [&](const char* item) { shape[0] += kTest(item); });
  ET_CHECK_OK_OR_RETURN_ERROR(resize(out, shape));
  View to = mutable_view(out);
  int64_t at[runtime::kTensorDimensionLimit] = {};
  const int last = std::max(v.dims - 1, 0);
  const auto list_row = [&](const char* row, int64_t stride, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      if (kTest(row + i * stride)) {
        at[last] = i;
        for (int d = 0; d < v.dims; ++d) {
          std::memcpy(to.data + d * to.strides[1], at + d, sizeof(int64_t));
        }
        to.data += to.strides[0];
      }
    }
    for (int d = last - 1; d >= 0 && ++at[d] == v.sizes[d]; --d) {
      at[d] = 0;
    }
  };
  for_each_row(v, list_row);
  return Error::Ok;
}

Error nonzero(KernelRuntimeContext&, const Tensor& self, Tensor& out) {
  const ScalarType dtype = self.scalar_type();
  ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(ScalarType::Long, out));
  const ConstView v = view(self);
  Error error = Error::Ok;
  visit(RealBoolTypes{}, dtype, [&](auto tag) {
    error = list_places<is_nonzero<typename decltype(tag)::type>>(v, out);
  });
  switch (dtype) {
    case ScalarType::UInt16:
      return list_places<is_nonzero<uint16_t>>(v, out);
    case ScalarType::ComplexFloat:
      return list_places<is_nonzero<std::complex<float>>>(v, out);
    case ScalarType::ComplexDouble:
      return list_places<is_nonzero<std::complex<double>>>(v, out);
    default:
      return error;
  }
}

Error repeat_interleave(KernelRuntimeContext&, const Tensor& repeats,
                        std::optional<int64_t> output_size, Tensor& out) {
  const ScalarType dtype = repeats.scalar_type();
  ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(dtype, out));
  ET_CHECK_OR_RETURN_ERROR(repeats.dim() == 1, InvalidArgument,
                           "the repeats have %zd dimensions, expected 1",
                           static_cast<ssize_t>(repeats.dim()));
  const ConstView v = view(repeats);
  int64_t total = 0;
  bool valid = true;
  for_each_item(v, [&](const char* item) {
    const int64_t n = read_index(item, dtype);
    valid = valid && n >= 0 && !__builtin_add_overflow(total, n, &total);
  });
  ET_CHECK_OR_RETURN_ERROR(
      valid && output_size.value_or(total) == total, InvalidArgument,
      "the repeats are not all positive, or do not add up to the output size "
      "%" PRId64,
      output_size.value_or(total));
  ET_CHECK_OK_OR_RETURN_ERROR(resize(out, {&total, 1}));
  View to = mutable_view(out);
  int64_t number = 0;
  for_each_item(v, [&](const char* item) {
    // Little endian: the first bytes of the number are the 32-bit one.
    to.sizes[0] = read_index(item, dtype);
    fill(to, &number);
    to.data += to.sizes[0] * to.strides[0];
    ++number;
  });
  return Error::Ok;
}

const Op kOps[] = {
    op<kEveryDtype, masked_select>("aten::masked_select.out"),
    op<kEveryDtype, masked_scatter>("aten::masked_scatter.out"),
    op<kAnyDtype, nonzero>("aten::nonzero.out"),
    op<dtype_set(ScalarType::Int, ScalarType::Long), repeat_interleave>(
        "aten::repeat_interleave.Tensor_out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
