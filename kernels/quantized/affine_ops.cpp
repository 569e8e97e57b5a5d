// The operators of torchao: quantization with one scale and zero point per
// block of a tensor, of which all other granularities are special cases.
#include <cmath>
#include <string_view>

#include "kernels/common/checks.h"
#include "kernels/common/scratch.h"
#include "kernels/quantized/checks.h"
#include "kernels/quantized/dequantizer.h"
#include "kernels/quantized/extremes.h"
#include "kernels/quantized/quantizer.h"

namespace executorch::kernels {
namespace {

using OptionalTensor = std::optional<Tensor>;
using OptionalScalar = std::optional<Scalar>;
using OptionalType = std::optional<ScalarType>;

struct Range {
  int64_t min, max;
};

// The range given, else that of the type.
Result<Range> range_of(ScalarType type, const OptionalScalar& min,
                       const OptionalScalar& max) {
  Range range = {0, 0};
  visit(QuantizedTypes{}, type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    range = {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
  });
  const double least = min ? to_double(*min) : range.min;
  const double most = max ? to_double(*max) : range.max;
  ET_CHECK_OR_RETURN_ERROR(
      std::abs(least) < 1e10 && least == std::floor(least) &&
          std::abs(most) < 1e10 && most == std::floor(most),
      InvalidArgument, "quant_min %g or quant_max %g is not an integer", least,
      most);
  range = {static_cast<int64_t>(least), static_cast<int64_t>(most)};
  ET_CHECK_OK_OR_RETURN_ERROR(check_range(range.min, range.max, type));
  return range;
}

Error quantize_affine(KernelRuntimeContext&, const Tensor& x,
                      ArrayRef<int64_t> block_size, const Tensor& scale,
                      const OptionalTensor& zero_point, ScalarType dtype,
                      const OptionalScalar& min, const OptionalScalar& max,
                      Tensor& out) {
  const Tensor* zeros = zero_point ? &*zero_point : nullptr;
  ET_CHECK_OK_OR_RETURN_ERROR(check_params(scale, zeros));
  const Result<Range> range = range_of(dtype, min, max);
  ET_CHECK_OK_OR_RETURN_ERROR(range.error());
  const Result<Blocks> blocks = blocks_of(x, block_size);
  ET_CHECK_OK_OR_RETURN_ERROR(blocks.error());
  Quantization q = {Param(scale),     zeros ? Param(*zeros) : Param(0),
                    range->min,       range->max,
                    vec::kRoundFirst, /*in_float32=*/false};
  ET_CHECK_OK_OR_RETURN_ERROR(
      lay_per_block(x, *blocks, scale, "scales", q.scale));
  if (zeros != nullptr) {
    ET_CHECK_OK_OR_RETURN_ERROR(
        lay_per_block(x, *blocks, *zeros, "zero points", q.zero_point));
  }
  ET_CHECK_OK_OR_RETURN_ERROR(resize_like(x, dtype, out));
  quantize(x, blocks->size, q, out);
  return Error::Ok;
}

Error dequantize_affine(KernelRuntimeContext&, const Tensor& x,
                        ArrayRef<int64_t> block_size, const Tensor& scale,
                        const OptionalTensor& zero_point, ScalarType dtype,
                        const OptionalScalar& min, const OptionalScalar& max,
                        ScalarType out_dtype, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_type(x, dtype, "the input"));
  ET_CHECK_OK_OR_RETURN_ERROR(check_type(out, kNarrowFloats, "results"));
  const Tensor* zeros = zero_point ? &*zero_point : nullptr;
  ET_CHECK_OK_OR_RETURN_ERROR(check_params(scale, zeros));
  ET_CHECK_OK_OR_RETURN_ERROR(range_of(dtype, min, max).error());
  const Result<Blocks> blocks = blocks_of(x, block_size);
  ET_CHECK_OK_OR_RETURN_ERROR(blocks.error());
  Dequantization q = {Param(scale), std::nullopt, /*converts_first=*/true};
  ET_CHECK_OK_OR_RETURN_ERROR(
      lay_per_block(x, *blocks, scale, "scales", q.scale));
  if (zeros != nullptr) {
    q.zero_point.emplace(*zeros);
    q.zero_point->convert_to(out_dtype);
    ET_CHECK_OK_OR_RETURN_ERROR(
        lay_per_block(x, *blocks, *zeros, "zero points", *q.zero_point));
  }
  ET_CHECK_OK_OR_RETURN_ERROR(resize_like(x, out_dtype, out));
  dequantize(x, blocks->size, q, out);
  return Error::Ok;
}

// -- choose_qparams ----------------------------------------------------------

enum class Mapping { kSymmetric, kNoClipping, kAsymmetric };

Result<Mapping> mapping_of(std::string_view name) {
  if (name == "SYMMETRIC") {
    return Mapping::kSymmetric;
  }
  if (name == "SYMMETRIC_NO_CLIPPING_ERR") {
    return Mapping::kNoClipping;
  }
  ET_CHECK_OR_RETURN_ERROR(name == "ASYMMETRIC", InvalidArgument,
                           "unknown mapping type %.*s", int(name.size()),
                           name.data());
  return Mapping::kAsymmetric;
}

struct QParams {
  double scale, zero_point;
};

// As in eager all steps are rounded to the type of the input, by `type`.
QParams choose(Extremes x, Mapping mapping, Range range, double eps, Fit type) {
  const Fit float32 = fit(ScalarType::Float);
  const double low = at_most(x.min, 0), high = at_least(x.max, 0);
  const double min = static_cast<double>(range.min);
  const double max = static_cast<double>(range.max);
  if (mapping == Mapping::kAsymmetric) {
    const double scale =
        at_least(type(type(high - low) / float32(max - min)), type(eps));
    const double zero = type(min - std::nearbyint(type(low / scale)));
    return {scale, at_most(at_least(zero, type(min)), type(max))};
  }
  const double middle = type(std::trunc((max + min + 1) / 2));
  if (mapping == Mapping::kSymmetric) {
    const double half_range = float32((max - min) / 2);
    return {at_least(type(at_least(high, -low) / half_range), type(eps)),
            middle};
  }
  const double by_low = type(low / float32(min));
  const double by_high = type(high / float32(max));
  return {at_least(by_low > by_high ? by_low : by_high, type(eps)), middle};
}

// The extremes of each block.
void reduce(const Tensor& x, const Blocks& blocks, int64_t count,
            Extremes* result) {
  Param index(0);
  int64_t step = 1;
  for (int64_t d = x.dim() - 1; d >= 0; --d) {
    index.step[d] = step;
    step *= block_count(x, blocks, d);
  }
  std::fill(result, result + count, Extremes());
  const Rows rows(x, blocks.size, index, Param(0));
  const auto* data = static_cast<const char*>(x.const_data_ptr());
  const int64_t length = rows.length(), size = x.element_size();
  auto reduce_rows = [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      int64_t at[2];
      rows.start(row, at);
      const char* values = data + row * length * size;
      if (rows.step()[0] == 0) {
        result[at[0]].merge(extremes(values, x.scalar_type(), length, 1));
        continue;
      }
      for (int64_t i = 0; i < length; ++i) {
        result[at[0] + i * rows.step()[0]].merge(
            extremes(values + i * size, x.scalar_type(), 1, 1));
      }
    }
  };
  // Only if each block is one row can threads share them.
  const bool separate = rows.count() == count;
  parallel(rows.count(),
           separate ? std::max<int64_t>(1, kGrain / length) : rows.count(),
           reduce_rows);
}

// Eager reduces over the dimensions in which a block is longer than one, and
// drops those that it spans; if there is none, it reduces over all.
struct Reduction {
  Blocks blocks;
  bool spans_all;
};

Reduction reduction_of(const Tensor& x, const Blocks& blocks) {
  const int64_t* sizes = blocks.size;
  Reduction r = {blocks, std::all_of(sizes, sizes + x.dim(),
                                     [](int64_t size) { return size == 1; })};
  for (int64_t d = 0; r.spans_all && d < x.dim(); ++d) {
    r.blocks.size[d] = x.size(d);
  }
  return r;
}

Error resize_params(const Tensor& x, const Reduction& r, bool keep_dims,
                    Tensor& out) {
  aten::SizesType sizes[kMaxDims];
  size_t dims = 0;
  for (int64_t d = 0; d < x.dim(); ++d) {
    const int64_t block = r.blocks.size[d];
    const bool spanned = r.spans_all || (block == x.size(d) && block != 1);
    if (keep_dims || !spanned) {
      sizes[dims++] = static_cast<aten::SizesType>(block_count(x, r.blocks, d));
    }
  }
  return runtime::resize_tensor(out, {sizes, dims});
}

double smallest_normal(ScalarType type) {
  return type == ScalarType::Half ? 0x1p-14 : 0x1p-126;
}

Error choose_qparams_affine(KernelRuntimeContext&, const OptionalTensor& input,
                            std::string_view mapping_type,
                            ArrayRef<int64_t> block_size, ScalarType dtype,
                            const OptionalScalar& min,
                            const OptionalScalar& max,
                            std::optional<double> eps, OptionalType scale_dtype,
                            OptionalType zero_point_dtype, bool keep_dims,
                            Tensor& scale, Tensor& zero_point) {
  ET_CHECK_OR_RETURN_ERROR(input.has_value(), InvalidArgument,
                           "there is no input to choose from");
  const Tensor& x = *input;
  const ScalarType in = x.scalar_type();
  ET_CHECK_OR_RETURN_ERROR(x.numel() > 0, InvalidArgument,
                           "an empty tensor has no extremes");
  const Result<Mapping> mapping = mapping_of(mapping_type);
  ET_CHECK_OK_OR_RETURN_ERROR(mapping.error());
  const Result<Range> range = range_of(dtype, min, max);
  ET_CHECK_OK_OR_RETURN_ERROR(range.error());
  const Result<Blocks> blocks = blocks_of(x, block_size);
  ET_CHECK_OK_OR_RETURN_ERROR(blocks.error());
  ET_CHECK_OK_OR_RETURN_ERROR(
      check_type(scale, scale_dtype.value_or(in), "scale_out"));
  ET_CHECK_OK_OR_RETURN_ERROR(check_type(scale, kFloats, "scales"));
  const bool by_range = *mapping == Mapping::kAsymmetric;
  ET_CHECK_OK_OR_RETURN_ERROR(check_type(
      zero_point, zero_point_dtype.value_or(by_range ? ScalarType::Int : in),
      "zero_point_out"));
  ET_CHECK_OK_OR_RETURN_ERROR(check_type(zero_point, kNumbers, "zero points"));
  const Reduction r = reduction_of(x, *blocks);
  int64_t count = 1;
  for (int64_t d = 0; d < x.dim(); ++d) {
    count *= block_count(x, r.blocks, d);
  }
  Scratch scratch;
  Extremes* extremes = scratch.array<Extremes>(count);
  ET_CHECK_OR_RETURN_ERROR(extremes != nullptr, MemoryAllocationFailed,
                           "no memory for the extremes of %lld blocks",
                           (long long)count);
  ET_CHECK_OK_OR_RETURN_ERROR(resize_params(x, r, keep_dims, scale));
  ET_CHECK_OK_OR_RETURN_ERROR(resize_params(x, r, keep_dims, zero_point));
  reduce(x, r.blocks, count, extremes);
  for (int64_t i = 0; i < count; ++i) {
    const QParams q = choose(extremes[i], *mapping, *range,
                             eps.value_or(smallest_normal(in)), fit(in));
    put(scale, i, q.scale);
    put(zero_point, i, q.zero_point);
  }
  return Error::Ok;
}

const Op kOps[] = {
    op<kNarrowFloats, quantize_affine>("torchao::quantize_affine.out"),
    op<kQuantized, dequantize_affine>("torchao::dequantize_affine.out"),
    op<kNarrowFloats, choose_qparams_affine>(
        "torchao::choose_qparams_affine.out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
