#include "kernels/quantized/checks.h"

#include <limits>

#include "kernels/common/checks.h"

namespace executorch::kernels {

Error resize_like(const Tensor& x, ScalarType type, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_type(out, type, "out"));
  ET_CHECK_OR_RETURN_ERROR(out.dim() == x.dim(), InvalidArgument,
                           "out has %zd dimensions, the input %zd",
                           ssize_t(out.dim()), ssize_t(x.dim()));
  ET_CHECK_OK_OR_RETURN_ERROR(runtime::resize_tensor(out, x.sizes()));
  ET_CHECK_OR_RETURN_ERROR(
      x.numel() == 0 || same_layout(x, out), InvalidArgument,
      "out and the input have different dim orders; export them with the same");
  return Error::Ok;
}

Error check_type(const Tensor& t, ScalarType expected, const char* what) {
  ET_CHECK_OR_RETURN_ERROR(t.scalar_type() == expected, InvalidArgument,
                           "%s is of type %s, expected %s", what,
                           runtime::toString(t.scalar_type()),
                           runtime::toString(expected));
  return Error::Ok;
}

Error check_type(const Tensor& t, DtypeSet allowed, const char* what) {
  ET_CHECK_OR_RETURN_ERROR(
      is_in(t.scalar_type(), allowed), InvalidArgument,
      "%s of type %s are not supported, expected one of %s", what,
      runtime::toString(t.scalar_type()), DtypeNames(allowed).text);
  return Error::Ok;
}

Error check_range(int64_t min, int64_t max, ScalarType type) {
  int64_t least = 0, most = 0;
  const bool known = visit(QuantizedTypes{}, type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    least = std::numeric_limits<T>::min();
    most = std::numeric_limits<T>::max();
  });
  ET_CHECK_OR_RETURN_ERROR(known, InvalidArgument,
                           "dtype %s is not one for quantized values",
                           runtime::toString(type));
  ET_CHECK_OR_RETURN_ERROR(min >= least && max <= most, InvalidArgument,
                           "quant_min %lld or quant_max %lld is outside of %s",
                           (long long)min, (long long)max,
                           runtime::toString(type));
  return Error::Ok;
}

Error check_params(const Tensor& scales, const Tensor* zero_points) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_type(scales, kFloats, "scales"));
  return zero_points == nullptr
             ? Error::Ok
             : check_type(*zero_points, kNumbers, "zero points");
}

Result<double> number(const Tensor& t, const char* what) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_type(t, kNumbers, what));
  ET_CHECK_OR_RETURN_ERROR(t.numel() == 1, InvalidArgument,
                           "%s has %zd elements, expected one", what,
                           ssize_t(t.numel()));
  return Param(t).at(0);
}

Error lay_per_channel(const Tensor& x, int64_t axis, const Tensor& t,
                      const char* what, Param& param) {
  const int64_t dims = x.dim();
  ET_CHECK_OR_RETURN_ERROR(axis >= -dims && axis < dims, InvalidArgument,
                           "axis %lld is outside of the %lld dimensions",
                           (long long)axis, (long long)dims);
  const int64_t d = axis < 0 ? axis + dims : axis;
  ET_CHECK_OR_RETURN_ERROR(
      t.dim() >= 1 && t.numel() == t.size(0) &&
          (t.numel() == x.size(d) || t.numel() == 1),
      InvalidArgument, "%zd %s given for the %zd channels of dimension %lld",
      ssize_t(t.numel()), what, ssize_t(x.size(d)), (long long)d);
  param.step[d] = t.numel() == 1 ? 0 : 1;
  return Error::Ok;
}

Error lay_per_token(const Tensor& x, const Tensor& t, const char* what,
                    Param& param) {
  const int64_t dims = x.dim(), skipped = dims - t.dim();
  bool broadcasts = skipped >= 0;
  int64_t step = 1;
  for (int64_t d = t.dim() - 1; d >= 0 && broadcasts; --d) {
    broadcasts = t.size(d) == 1 || t.size(d) == x.size(d + skipped);
    param.step[d + std::max<int64_t>(skipped, 0)] = t.size(d) == 1 ? 0 : step;
    step *= t.size(d);
  }
  if (broadcasts) {
    return Error::Ok;
  }
  int64_t rows = 1;
  for (int64_t d = dims - 2; d >= 0; --d) {
    param.step[d] = rows;
    rows *= x.size(d);
  }
  ET_CHECK_OR_RETURN_ERROR(
      dims > 0 && t.numel() == rows, InvalidArgument,
      "%zd %s given for %lld rows, and they do not broadcast",
      ssize_t(t.numel()), what, (long long)rows);
  param.step[dims - 1] = 0;
  return Error::Ok;
}

Error lay_per_block(const Tensor& x, const Blocks& blocks, const Tensor& t,
                    const char* what, Param& param) {
  param.add_dimensions();
  int64_t count = 1;
  for (int64_t d = x.dim() - 1; d >= 0; --d) {
    param.step[d] = count;
    count *= block_count(x, blocks, d);
  }
  ET_CHECK_OR_RETURN_ERROR(t.numel() == count, InvalidArgument,
                           "%zd %s given for %lld blocks or groups",
                           ssize_t(t.numel()), what, (long long)count);
  return Error::Ok;
}

Result<Blocks> blocks_of(const Tensor& x, ArrayRef<int64_t> sizes) {
  ET_CHECK_OR_RETURN_ERROR(sizes.size() == size_t(x.dim()), InvalidArgument,
                           "%zu block sizes given for %zd dimensions",
                           sizes.size(), ssize_t(x.dim()));
  Blocks blocks = {};
  for (size_t d = 0; d < sizes.size(); ++d) {
    const int64_t whole = std::max<int64_t>(1, x.size(d));
    blocks.size[d] = sizes[d] == -1 || sizes[d] == x.size(d) ? whole : sizes[d];
    ET_CHECK_OR_RETURN_ERROR(
        blocks.size[d] >= 1 && x.size(d) % blocks.size[d] == 0, InvalidArgument,
        "blocks of %lld do not divide size %zd of dimension %zu",
        (long long)sizes[d], ssize_t(x.size(d)), d);
  }
  return blocks;
}

Result<Blocks> groups_of(const Tensor& x, int64_t group_size,
                         const Tensor& scales) {
  ET_CHECK_OR_RETURN_ERROR(x.dim() == 2, InvalidArgument,
                           "the input has %zd dimensions, expected a matrix",
                           ssize_t(x.dim()));
  const int64_t columns = x.size(1);
  ET_CHECK_OR_RETURN_ERROR(group_size > 1, InvalidArgument,
                           "group_size is %lld, expected more than 1",
                           (long long)group_size);
  if (group_size > columns && scales.dim() > 0 &&
      scales.size(scales.dim() - 1) == 1) {
    group_size = std::max<int64_t>(columns, 1);
  }
  const int64_t sizes[] = {1, group_size};
  return blocks_of(x, {sizes, 2});
}

}  // namespace executorch::kernels
