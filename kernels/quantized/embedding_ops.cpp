// Embeddings whose weights are 8, 4 or 2-bit integers: the rows that the
// indices name, dequantized with one scale per row or per group within a row.
//
// Four-bit weights have the first value in the high half of a byte, two-bit
// ones in the lowest bits; both are stored unsigned, so that 0 stands for
// quant_min.
#include "kernels/quantized/checks.h"
#include "kernels/quantized/dequantizer.h"

namespace executorch::kernels {
namespace {

using OptionalTensor = std::optional<Tensor>;
using OptionalType = std::optional<ScalarType>;

struct Embedding {
  const Tensor& weight;
  const Tensor& scales;
  const OptionalTensor& zero_points;
  int64_t quant_min;
  int64_t quant_max;
  const Tensor& indices;

  int64_t rows() const { return weight.size(0); }
  int64_t groups() const { return scales.dim() == 2 ? scales.size(1) : 1; }
};

template <int kBits>
int64_t columns(const Embedding& e) {
  return e.weight.size(1) * (8 / kBits);
}

int64_t index_at(const Tensor& indices, int64_t i) {
  return indices.scalar_type() == ScalarType::Long
             ? indices.const_data_ptr<int64_t>()[i]
             : indices.const_data_ptr<int32_t>()[i];
}

Error check_param(const Embedding& e, const Tensor& t, const char* what) {
  ET_CHECK_OR_RETURN_ERROR(
      (t.dim() == 1 || t.dim() == 2) && t.size(0) == e.rows() &&
          t.numel() == e.rows() * e.groups(),
      InvalidArgument, "%zd %s given for %lld rows of %lld groups",
      ssize_t(t.numel()), what, (long long)e.rows(), (long long)e.groups());
  return Error::Ok;
}

// Values that share a byte are stored unsigned.
template <int kBits>
constexpr DtypeSet kWeights = dtype_bit(ScalarType::Byte) |
                              (kBits == 8 ? dtype_bit(ScalarType::Char) : 0);

template <int kBits>
Error check_weight(const Embedding& e) {
  ET_CHECK_OR_RETURN_ERROR(e.weight.dim() == 2, InvalidArgument,
                           "weight has %zd dimensions, expected a matrix",
                           ssize_t(e.weight.dim()));
  ET_CHECK_OR_RETURN_ERROR(runtime::tensor_is_default_dim_order(e.weight),
                           InvalidArgument,
                           "weight must be in default dim order");
  ET_CHECK_OR_RETURN_ERROR(
      kBits == 8 || (e.quant_min <= 0 && e.quant_min >= -(1 << (kBits - 1)) &&
                     e.quant_max - e.quant_min < (1 << kBits)),
      InvalidArgument,
      "quant_min %lld and quant_max %lld need more than %d bits",
      (long long)e.quant_min, (long long)e.quant_max, kBits);
  const Tensor* zero_points = e.zero_points ? &*e.zero_points : nullptr;
  ET_CHECK_OK_OR_RETURN_ERROR(check_params(e.scales, zero_points));
  ET_CHECK_OK_OR_RETURN_ERROR(check_param(e, e.scales, "scales"));
  if (zero_points != nullptr) {
    ET_CHECK_OK_OR_RETURN_ERROR(check_param(e, *zero_points, "zero points"));
  }
  ET_CHECK_OR_RETURN_ERROR(
      columns<kBits>(e) <= std::numeric_limits<aten::SizesType>::max(),
      InvalidArgument, "a row of %lld values is too long",
      (long long)columns<kBits>(e));
  ET_CHECK_OR_RETURN_ERROR(
      e.groups() > 0 && columns<kBits>(e) % e.groups() == 0, InvalidArgument,
      "%lld groups do not divide a row of %lld values", (long long)e.groups(),
      (long long)columns<kBits>(e));
  return Error::Ok;
}

Error check_indices(const Embedding& e) {
  constexpr DtypeSet kAllowed = dtype_set(ScalarType::Int, ScalarType::Long);
  ET_CHECK_OK_OR_RETURN_ERROR(check_type(e.indices, kAllowed, "indices"));
  ET_CHECK_OR_RETURN_ERROR(runtime::tensor_is_default_dim_order(e.indices),
                           InvalidArgument,
                           "indices must be in default dim order");
  for (int64_t i = 0; i < e.indices.numel(); ++i) {
    const int64_t index = index_at(e.indices, i);
    ET_CHECK_OR_RETURN_ERROR(
        index >= 0 && index < e.rows(), InvalidArgument,
        "index %lld at position %lld is outside of the %lld rows",
        (long long)index, (long long)i, (long long)e.rows());
  }
  return Error::Ok;
}

Error resize_out(const Embedding& e, int64_t columns, ScalarType type,
                 Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_type(out, kFloats, "results"));
  ET_CHECK_OK_OR_RETURN_ERROR(check_type(out, type, "out"));
  const size_t dims = e.indices.dim();
  ET_CHECK_OR_RETURN_ERROR(size_t(out.dim()) == dims + 1 &&
                               runtime::tensor_is_default_dim_order(out),
                           InvalidArgument,
                           "out must have %zu dimensions in default dim order",
                           dims + 1);
  aten::SizesType sizes[kMaxDims];
  std::copy(e.indices.sizes().begin(), e.indices.sizes().end(), sizes);
  sizes[dims] = static_cast<aten::SizesType>(columns);
  return runtime::resize_tensor(out, {sizes, dims + 1});
}

// Writes one row of the result.
template <int kBits>
void dequantize_row(const Embedding& e, int64_t row, Dequantizer& dequantizer,
                    int64_t out_size, char* out) {
  const int64_t width = columns<kBits>(e), group = width / e.groups();
  const auto* weight = static_cast<const uint8_t*>(e.weight.const_data_ptr()) +
                       row * e.weight.size(1);
  const auto offset = static_cast<int8_t>(-e.quant_min);
  const int64_t step[2] = {0, 0};
  int64_t loaded = -1;
  for (int64_t begin = 0; begin < width; begin += kPiece) {
    const int64_t end = std::min(width, begin + kPiece);
    int8_t buffer[kPiece];
    const void* values = weight + begin;
    if constexpr (kBits != 8) {
      const vec::Loops& loops = vec::loops();
      (kBits == 4 ? loops.unpack4 : loops.unpack2)(weight + begin * kBits / 8,
                                                   buffer, end - begin, offset);
      values = buffer;
    }
    for (int64_t i = begin; i < end;) {
      const int64_t g = i / group, n = std::min(end, (g + 1) * group) - i;
      if (g != loaded) {
        const int64_t at = row * e.groups() + g;
        const int64_t both[2] = {at, at};
        dequantizer.load(both, step, 1);
        loaded = g;
      }
      dequantizer.run(static_cast<const char*>(values) + (i - begin),
                      out + i * out_size, n);
      i += n;
    }
  }
}

template <int kBits>
Error embedding(const Embedding& e, OptionalType dtype, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_weight<kBits>(e));
  ET_CHECK_OK_OR_RETURN_ERROR(check_indices(e));
  const int64_t width = columns<kBits>(e);
  ET_CHECK_OK_OR_RETURN_ERROR(
      resize_out(e, width, dtype.value_or(e.scales.scalar_type()), out));
  Dequantization q = {Param(e.scales), std::nullopt};
  if (e.zero_points) {
    q.zero_point.emplace(*e.zero_points);
  }
  const ScalarType in = kBits == 8 ? e.weight.scalar_type() : ScalarType::Char;
  const int64_t size = out.element_size();
  char* to = static_cast<char*>(out.mutable_data_ptr());
  parallel(e.indices.numel(),
           std::max<int64_t>(1, kGrain / std::max<int64_t>(1, width)),
           [&](int64_t begin, int64_t end) {
             Dequantizer dequantizer(q, in, out.scalar_type());
             for (int64_t i = begin; i < end; ++i) {
               dequantize_row<kBits>(e, index_at(e.indices, i), dequantizer,
                                     size, to + i * width * size);
             }
           });
  return Error::Ok;
}

template <int kBits>
Error plain(KernelRuntimeContext&, const Tensor& weight, const Tensor& scales,
            const OptionalTensor& zero_points, int64_t quant_min,
            int64_t quant_max, const Tensor& indices, Tensor& out) {
  return embedding<kBits>(
      {weight, scales, zero_points, quant_min, quant_max, indices},
      std::nullopt, out);
}

template <int kBits>
Error typed(KernelRuntimeContext&, const Tensor& weight, const Tensor& scales,
            const OptionalTensor& zero_points, int64_t quant_min,
            int64_t quant_max, const Tensor& indices, OptionalType dtype,
            Tensor& out) {
  return embedding<kBits>(
      {weight, scales, zero_points, quant_min, quant_max, indices}, dtype, out);
}

const Op kOps[] = {
    op<kWeights<8>, plain<8>>("quantized_decomposed::embedding_byte.out"),
    op<kWeights<8>, typed<8>>("quantized_decomposed::embedding_byte.dtype_out"),
    op<kWeights<4>, plain<4>>("quantized_decomposed::embedding_4bit.out"),
    op<kWeights<4>, typed<4>>("quantized_decomposed::embedding_4bit.dtype_out"),
    op<kWeights<2>, plain<2>>("quantized_decomposed::embedding_2bit.out"),
    op<kWeights<2>, typed<2>>("quantized_decomposed::embedding_2bit.dtype_out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
