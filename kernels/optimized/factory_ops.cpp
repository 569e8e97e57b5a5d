// Operators that make a tensor from numbers: full, arange, rand.
#include <cinttypes>
#include <cmath>
#include <limits>

#include "kernels/common/checks.h"
#include "kernels/common/convert.h"
#include "kernels/common/op.h"
#include "kernels/common/random.h"
#include "kernels/common/strided.h"

namespace executorch::kernels {
namespace {

Error fill_with(const Scalar& value, ArrayRef<int64_t> size, Tensor& out) {
  const ScalarType dtype = out.scalar_type();
  if (!is_in(dtype, kHalfs)) {  // a half takes too large a number as infinity
    ET_CHECK_OK_OR_RETURN_ERROR(check_fits(value, dtype));
  }
  ET_CHECK_OK_OR_RETURN_ERROR(resize(out, size));
  fill(mutable_view(out), number(value, dtype).bytes);
  return Error::Ok;
}

Error full(KernelRuntimeContext&, ArrayRef<int64_t> size, const Scalar& value,
           Tensor& out) {
  return fill_with(value, size, out);
}

Error full_like(KernelRuntimeContext&, const Tensor& self, const Scalar& value,
                std::optional<MemoryFormat> format, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_format(format));
  ET_CHECK_OK_OR_RETURN_ERROR(check_dtype(out.scalar_type(), kAnyDtype));
  const ConstView v = view(self);
  return fill_with(value, {v.sizes, static_cast<size_t>(v.dims)}, out);
}

Error fill_scalar(KernelRuntimeContext& ctx, const Tensor& self,
                  const Scalar& value, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(self.scalar_type(), out));
  return full_like(ctx, self, value, std::nullopt, out);
}

Error fill_tensor(KernelRuntimeContext&, const Tensor& self,
                  const Tensor& value, Tensor& out) {
  ET_CHECK_OR_RETURN_ERROR(
      value.dim() == 0, InvalidArgument,
      "the value to fill with has %zd dimensions, expected none",
      static_cast<ssize_t>(value.dim()));
  ET_CHECK_OK_OR_RETURN_ERROR(check_dtype(value.scalar_type(), kAnyDtype));
  ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(self.scalar_type(), out));
  Number item;
  Converter(value.scalar_type(), out.scalar_type())(value.const_data_ptr(),
                                                    item.bytes, 1);
  ET_CHECK_OK_OR_RETURN_ERROR(resize(out, view(self)));
  fill(mutable_view(out), item.bytes);
  return Error::Ok;
}

Error ones(KernelRuntimeContext&, ArrayRef<int64_t> size, Tensor& out) {
  return fill_with(Scalar(1), size, out);
}

Error zeros(KernelRuntimeContext&, ArrayRef<int64_t> size, Tensor& out) {
  return fill_with(Scalar(0), size, out);
}

Error scalar_tensor(KernelRuntimeContext&, const Scalar& value, Tensor& out) {
  return fill_with(value, {}, out);
}

Error empty(KernelRuntimeContext&, ArrayRef<int64_t> size,
            std::optional<MemoryFormat> format, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_format(format));
  return resize(out, size);
}

// Writes value(i) for each element i in logical order, converted from T.
template <class T, class F>
void generate(Tensor& out, F value) {
  constexpr int64_t kBlock = 256;
  T block[kBlock];
  char converted[kBlock * 16];
  const Converter convert(runtime::CppTypeToScalarType<T>::value,
                          out.scalar_type());
  const View to = mutable_view(out);
  for (int64_t i = 0; i < out.numel(); i += kBlock) {
    int64_t n = std::min<int64_t>(kBlock, out.numel() - i);
    for (int64_t k = 0; k < n; ++k) {
      block[k] = value(i + k);
    }
    convert(block, converted, n);
    ConstView from(converted, to.item);
    from.reshape(&n, 1);
    copy_flat(to, i, from, 0, n);
  }
}

int64_t to_int64(const Scalar& value) {
  return value.isFloatingPoint() ? static_cast<int64_t>(value.to<double>())
                                 : value.to<int64_t>();
}

// How many values there are from start to end. Integers of 64 bits are counted
// exactly, everything else in double, as in PyTorch.
Result<int64_t> arange_size(const Scalar& start, const Scalar& end,
                            const Scalar& step, ScalarType dtype) {
  const double first = to_double(start), last = to_double(end),
               by = to_double(step);
  const double whole = dtype == ScalarType::Long ? std::trunc(by) : by;
  ET_CHECK_OR_RETURN_ERROR(
      std::isfinite(first) && std::isfinite(last) && std::isfinite(by) &&
          whole != 0 && (by > 0 ? first <= last : first >= last),
      InvalidArgument, "there is no range from %g to %g by steps of %g", first,
      last, by);
  double size = std::ceil((last - first) / by);
  ET_CHECK_OR_RETURN_ERROR(
      size <= std::numeric_limits<aten::SizesType>::max() &&
          std::fabs(first) < 0x1p63 && std::fabs(last) < 0x1p63 &&
          std::fabs(by) < 0x1p63,
      InvalidArgument, "a range from %g to %g by steps of %g is too large",
      first, last, by);
  if (dtype != ScalarType::Long) {
    return static_cast<int64_t>(size);
  }
  int64_t distance;
  ET_CHECK_OR_RETURN_ERROR(
      !__builtin_sub_overflow(to_int64(end), to_int64(start), &distance),
      InvalidArgument, "a range from %g to %g is too large", first, last);
  const int64_t by_whole = to_int64(step);
  return distance / by_whole + (distance % by_whole != 0);
}

Error arange_start(KernelRuntimeContext&, const Scalar& start,
                   const Scalar& end, const Scalar& step, Tensor& out) {
  const ScalarType dtype = out.scalar_type();
  const int64_t size = ET_UNWRAP(arange_size(start, end, step, dtype));
  ET_CHECK_OK_OR_RETURN_ERROR(resize(out, {&size, 1}));
  if (is_in(dtype, kInts)) {
    const int64_t first = to_int64(start), by = to_int64(step);
    generate<int64_t>(out, [=](int64_t i) { return first + i * by; });
  } else {
    const double first = to_double(start), by = to_double(step);
    generate<double>(
        out, [=](int64_t i) { return first + static_cast<double>(i) * by; });
  }
  return Error::Ok;
}

Error arange(KernelRuntimeContext& ctx, const Scalar& end, Tensor& out) {
  return arange_start(ctx, Scalar(0), end, Scalar(1), out);
}

// Significant bits of a floating dtype.
int precision(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Half:
      return 11;
    case ScalarType::BFloat16:
      return 8;
    case ScalarType::Float:
      return 24;
    default:
      return 53;
  }
}

Error rand(KernelRuntimeContext&, ArrayRef<int64_t> size, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(resize(out, size));
  RandomStream random;
  const int bits = precision(out.scalar_type());
  generate<double>(out, [&](int64_t) { return random.uniform(bits); });
  return Error::Ok;
}

Error randn(KernelRuntimeContext&, ArrayRef<int64_t> size, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(resize(out, size));
  RandomStream random;
  generate<double>(out, [&](int64_t) { return random.normal(); });
  return Error::Ok;
}

const Op kOps[] = {
    op<kAnyDtype, full>("aten::full.out"),
    op<kEveryDtype, full_like>("aten::full_like.out"),
    op<kAnyDtype, fill_scalar>("aten::fill.Scalar_out"),
    op<kAnyDtype, fill_tensor>("aten::fill.Tensor_out"),
    op<kAnyDtype, ones>("aten::ones.out"),
    op<kAnyDtype, zeros>("aten::zeros.out"),
    op<kAnyDtype, scalar_tensor>("aten::scalar_tensor.out"),
    op<kEveryDtype, empty>("aten::empty.out"),
    op<kReal, arange>("aten::arange.out"),
    op<kReal, arange_start>("aten::arange.start_out"),
    op<kFloats, rand>("aten::rand.out"),
    op<kFloats, randn>("aten::randn.out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
