// Questions to tensors: element type and shape.
#include <executorch/runtime/core/exec_aten/util/tensor_shape_to_c_string.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

namespace executorch {
namespace runtime {
namespace {

using aten::ScalarType;
using aten::Tensor;

std::array<char, kTensorShapeStringSizeLimit> shape_text(const Tensor& t) {
  return tensor_shape_to_c_string({t.sizes().data(), t.sizes().size()});
}

bool has_kind(const Tensor& t, bool is_kind, const char* kind) {
  if (!is_kind) {
    ET_LOG(Error, "expected a tensor of %s type, got %s", kind,
           toString(t.scalar_type()));
  }
  return is_kind;
}

bool same_dtype(const Tensor& a, const Tensor& b) {
  if (a.scalar_type() != b.scalar_type()) {
    ET_LOG(Error, ET_TENSOR_CHECK_PREFIX__ ": types %s and %s",
           toString(a.scalar_type()), toString(b.scalar_type()));
    return false;
  }
  return true;
}

bool same_shape(const Tensor& a, const Tensor& b) {
  if (a.sizes() == b.sizes() || (a.numel() == 1 && b.numel() == 1)) {
    return true;
  }
  ET_LOG(Error, ET_TENSOR_CHECK_PREFIX__ ": shapes %s and %s",
         shape_text(a).data(), shape_text(b).data());
  return false;
}

}  // namespace

bool tensor_is_type(Tensor t, ScalarType dtype) {
  return has_kind(t, t.scalar_type() == dtype, toString(dtype));
}

bool tensor_is_type(Tensor t, ScalarType dtype, ScalarType dtype2) {
  return tensor_is_type(t, dtype, dtype2, dtype2);
}

bool tensor_is_type(Tensor t, ScalarType dtype, ScalarType dtype2,
                    ScalarType dtype3) {
  const ScalarType type = t.scalar_type();
  if (type != dtype && type != dtype2 && type != dtype3) {
    ET_LOG(Error, "expected a tensor of %s, %s or %s type, got %s",
           toString(dtype), toString(dtype2), toString(dtype3), toString(type));
    return false;
  }
  return true;
}

bool tensor_is_bool_type(Tensor t) {
  return tensor_is_type(t, ScalarType::Bool);
}

bool tensor_is_integral_type(Tensor t, bool include_bool) {
  return has_kind(t, isIntegralType(t.scalar_type(), include_bool),
                  include_bool ? "an integer or Bool" : "an integer");
}

bool tensor_is_floating_type(Tensor t) {
  return has_kind(t, isFloatingType(t.scalar_type()), "a floating");
}

bool tensor_is_real_type(Tensor t) {
  return has_kind(t, isRealType(t.scalar_type()),
                  "an integer, Float or Double");
}

bool tensor_is_realh_type(Tensor t) {
  return has_kind(t, isRealHType(t.scalar_type()),
                  "an integer, Half, Float or Double");
}

bool tensor_is_realhbf16_type(Tensor t) {
  return has_kind(t, isRealHBF16Type(t.scalar_type()),
                  "an integer or a floating");
}

bool tensor_is_realhb_type(Tensor t) {
  return has_kind(t, isRealHBType(t.scalar_type()),
                  "an integer, Bool, Half, Float or Double");
}

bool tensor_is_realhbbf16_type(Tensor t) {
  return has_kind(t, isRealHBBF16Type(t.scalar_type()),
                  "an integer, Bool or a floating");
}

bool tensor_is_complex_type(Tensor t) {
  return has_kind(t, isComplexType(t.scalar_type()), "a complex");
}

bool tensor_is_bits_type(Tensor t) {
  return has_kind(t, isBitsType(t.scalar_type()), "a bits");
}

bool tensor_can_cast_to(Tensor t, ScalarType dtype) {
  ET_CHECK_OR_RETURN_FALSE(canCast(t.scalar_type(), dtype),
                           "%s does not cast to %s", toString(t.scalar_type()),
                           toString(dtype));
  return true;
}

bool tensors_have_same_dtype(Tensor a, Tensor b) { return same_dtype(a, b); }

bool tensors_have_same_dtype(Tensor a, Tensor b, Tensor c) {
  return same_dtype(a, b) && same_dtype(b, c);
}

bool dim_is_valid(int64_t dim, int64_t upper_bound) {
  ET_CHECK_OR_RETURN_FALSE(dim >= -upper_bound && dim < upper_bound,
                           "dimension %" PRId64 " is not in [%" PRId64
                           ", %" PRId64 ")",
                           dim, -upper_bound, upper_bound);
  return true;
}

bool tensor_is_rank(Tensor t, size_t rank) {
  ET_CHECK_OR_RETURN_FALSE(t.sizes().size() == rank,
                           "expected %zu dimensions, got %zd", rank, t.dim());
  return true;
}

bool tensor_has_rank_greater_or_equal_to(Tensor t, size_t rank) {
  ET_CHECK_OR_RETURN_FALSE(t.sizes().size() >= rank,
                           "expected at least %zu dimensions, got %zd", rank,
                           t.dim());
  return true;
}

bool tensor_has_rank_smaller_or_equal_to(Tensor t, size_t rank) {
  ET_CHECK_OR_RETURN_FALSE(t.sizes().size() <= rank,
                           "expected at most %zu dimensions, got %zd", rank,
                           t.dim());
  return true;
}

bool tensors_have_same_rank(Tensor a, Tensor b) {
  ET_CHECK_OR_RETURN_FALSE(a.dim() == b.dim(),
                           ET_TENSOR_CHECK_PREFIX__ ": %zd and %zd dimensions",
                           a.dim(), b.dim());
  return true;
}

bool tensor_has_dim(Tensor t, int64_t d) {
  return dim_is_valid(d, nonzero_dim(t));
}

bool tensor_has_non_empty_dim(Tensor t, int64_t d) {
  if (!tensor_has_dim(t, d)) {
    return false;
  }
  const ssize_t dim = d < 0 ? d + nonzero_dim(t) : d;
  ET_CHECK_OR_RETURN_FALSE(nonempty_size(t, dim) != 0,
                           "dimension %zd has no elements", dim);
  return true;
}

bool tensor_dim_has_index(Tensor t, int64_t d, int64_t ix) {
  if (!tensor_has_dim(t, d)) {
    return false;
  }
  const int64_t size = nonempty_size(t, d < 0 ? d + nonzero_dim(t) : d);
  ET_CHECK_OR_RETURN_FALSE(ix >= -size && ix < size,
                           "index %" PRId64 " is not in [%" PRId64 ", %" PRId64
                           ") along dimension %" PRId64,
                           ix, -size, size, d);
  return true;
}

bool tensor_has_expected_size(Tensor a,
                              aten::ArrayRef<aten::SizesType> expected_sizes) {
  if (a.sizes() == expected_sizes) {
    return true;
  }
  ET_LOG(Error, "expected shape %s, got %s",
         tensor_shape_to_c_string(
             Span<const int32_t>(expected_sizes.data(), expected_sizes.size()))
             .data(),
         shape_text(a).data());
  return false;
}

bool tensors_have_same_size_at_dims(Tensor a, size_t dim_a, Tensor b,
                                    size_t dim_b) {
  ET_CHECK_OR_RETURN_FALSE(dim_a < a.sizes().size() && dim_b < b.sizes().size(),
                           "dimensions %zu of %zd and %zu of %zd", dim_a,
                           a.dim(), dim_b, b.dim());
  ET_CHECK_OR_RETURN_FALSE(a.sizes()[dim_a] == b.sizes()[dim_b],
                           ET_TENSOR_CHECK_PREFIX__
                           ": size %d of dimension %zu, %d of %zu",
                           a.sizes()[dim_a], dim_a, b.sizes()[dim_b], dim_b);
  return true;
}

bool tensors_have_same_shape(Tensor a, Tensor b) { return same_shape(a, b); }

bool tensors_have_same_shape(Tensor a, Tensor b, Tensor c) {
  return same_shape(a, b) && same_shape(b, c);
}

bool tensors_have_same_shape_and_dtype(Tensor a, Tensor b) {
  return same_shape(a, b) && same_dtype(a, b);
}

bool tensors_have_same_shape_and_dtype(Tensor a, Tensor b, Tensor c) {
  return tensors_have_same_shape(a, b, c) && tensors_have_same_dtype(a, b, c);
}

}  // namespace runtime
}  // namespace executorch
