// Matrix products of floating-point activations with int8 weights.
//
// Weights are dequantized in pieces that stay in the cache, each used for
// several rows of the input; sums are float32. Threads share the columns of the
// result.
#include "kernels/common/checks.h"
#include "kernels/common/convert.h"
#include "kernels/common/scratch.h"
#include "kernels/quantized/checks.h"
#include "kernels/quantized/dequantizer.h"

namespace executorch::kernels {
namespace {

using OptionalTensor = std::optional<Tensor>;

// Rows of the input that share a dequantized piece.
constexpr int64_t kRows = 8;
// Multiplications that are worth a thread.
constexpr int64_t kGrainProducts = 64 * 1024;

struct Product {
  const float* input;  // rows x depth
  const int8_t* weight;
  Dequantization params;
  int64_t rows, depth, columns;
  int64_t groups;  // per row of the weight
};

Error check(const Tensor& input, const Tensor& weight, const Tensor& scales,
            const OptionalTensor& zero_points, int64_t depth) {
  ET_CHECK_OK_OR_RETURN_ERROR(
      check_type(weight, ScalarType::Char, "the weight"));
  const Tensor* zeros = zero_points ? &*zero_points : nullptr;
  ET_CHECK_OK_OR_RETURN_ERROR(check_params(scales, zeros));
  ET_CHECK_OR_RETURN_ERROR(
      input.dim() == 2 && weight.dim() == 2 &&
          runtime::tensor_is_default_dim_order(input) &&
          runtime::tensor_is_default_dim_order(weight),
      InvalidArgument, "input and weight must be matrices in row-major order");
  ET_CHECK_OR_RETURN_ERROR(input.size(1) == depth, InvalidArgument,
                           "the rows of the input have %zd elements, expected "
                           "%lld as in the weight",
                           ssize_t(input.size(1)), (long long)depth);
  ET_CHECK_OR_RETURN_ERROR(zeros == nullptr || zeros->sizes() == scales.sizes(),
                           InvalidArgument,
                           "zero points and scales have different shapes");
  return Error::Ok;
}

Error resize(int64_t rows, int64_t columns, ScalarType type, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_type(out, kNarrowFloats, "results"));
  ET_CHECK_OK_OR_RETURN_ERROR(check_type(out, type, "out"));
  ET_CHECK_OR_RETURN_ERROR(
      out.dim() == 2 && runtime::tensor_is_default_dim_order(out),
      InvalidArgument, "out must be a matrix in row-major order");
  const aten::SizesType sizes[] = {static_cast<aten::SizesType>(rows),
                                   static_cast<aten::SizesType>(columns)};
  return runtime::resize_tensor(out, {sizes, 2});
}

Dequantization params_of(const Tensor& scales,
                         const OptionalTensor& zero_points) {
  Dequantization q = {Param(scales), std::nullopt};
  q.converts_first = true;  // all in float32
  if (zero_points) {
    q.zero_point.emplace(*zero_points);
  }
  return q;
}

void load(Dequantizer& dequantizer, int64_t at) {
  const int64_t both[2] = {at, at}, step[2] = {0, 0};
  dequantizer.load(both, step, 1);
}

void store(const float* sums, int64_t n, Tensor& out, int64_t at) {
  const Converter narrow(ScalarType::Float, out.scalar_type());
  char* to = static_cast<char*>(out.mutable_data_ptr());
  narrow(sums, to + at * out.element_size(), n);
}

// Columns from `begin` on of a weight whose rows have one scale each.
void multiply_columns(const Product& p, int64_t begin, int64_t n, Tensor& out) {
  Dequantizer dequantizer(p.params, ScalarType::Char, ScalarType::Float);
  float sums[kRows][kPiece], piece[kPiece];
  for (int64_t row = 0; row < p.rows; row += kRows) {
    const int64_t count = std::min(kRows, p.rows - row);
    std::fill(&sums[0][0], &sums[0][0] + kRows * kPiece, 0.0f);
    for (int64_t k = 0; k < p.depth; ++k) {
      load(dequantizer, k);
      dequantizer.run(p.weight + k * p.columns + begin, piece, n);
      for (int64_t r = 0; r < count; ++r) {
        vec::loops().multiply_add(p.input[(row + r) * p.depth + k], piece,
                                  sums[r], n);
      }
    }
    for (int64_t r = 0; r < count; ++r) {
      store(sums[r], n, out, (row + r) * p.columns + begin);
    }
  }
}

// Column `column` of the product with a transposed weight, whose rows are cut
// into groups with one scale each.
void multiply_transposed(const Product& p, int64_t column, Tensor& out) {
  Dequantizer dequantizer(p.params, ScalarType::Char, ScalarType::Float);
  const int64_t group = p.depth / p.groups;
  const int8_t* weight = p.weight + column * p.depth;
  float piece[kPiece];
  for (int64_t row = 0; row < p.rows; row += kRows) {
    const int64_t count = std::min(kRows, p.rows - row);
    float sums[kRows] = {};
    for (int64_t k = 0; k < p.depth;) {
      const int64_t g = k / group;
      const int64_t n = std::min(kPiece, (g + 1) * group - k);
      load(dequantizer, column * p.groups + g);
      dequantizer.run(weight + k, piece, n);
      for (int64_t r = 0; r < count; ++r) {
        sums[r] +=
            vec::loops().dot(p.input + (row + r) * p.depth + k, piece, n);
      }
      k += n;
    }
    for (int64_t r = 0; r < count; ++r) {
      store(&sums[r], 1, out, (row + r) * p.columns + column);
    }
  }
}

// The input as float32: itself, or a copy.
Result<const float*> as_float32(const Tensor& x, Scratch& copy) {
  if (x.scalar_type() == ScalarType::Float) {
    return x.const_data_ptr<float>();
  }
  float* values = copy.array<float>(x.numel());
  ET_CHECK_OR_RETURN_ERROR(
      values != nullptr || x.numel() == 0, MemoryAllocationFailed,
      "no memory for %zd elements of the input", ssize_t(x.numel()));
  const Converter widen(x.scalar_type(), ScalarType::Float);
  widen(x.const_data_ptr(), values, x.numel());
  return static_cast<const float*>(values);
}

Error mixed_mm(KernelRuntimeContext&, const Tensor& input, const Tensor& weight,
               const Tensor& scales, const OptionalTensor& zero_points,
               Tensor& out) {
  const int64_t depth = weight.dim() == 2 ? weight.size(0) : 0;
  ET_CHECK_OK_OR_RETURN_ERROR(check(input, weight, scales, zero_points, depth));
  ET_CHECK_OR_RETURN_ERROR(scales.numel() == depth, InvalidArgument,
                           "%zd scales given for %lld rows of the weight",
                           ssize_t(scales.numel()), (long long)depth);
  const int64_t rows = input.size(0), columns = weight.size(1);
  ET_CHECK_OK_OR_RETURN_ERROR(resize(rows, columns, input.scalar_type(), out));
  Scratch copy;
  const Result<const float*> values = as_float32(input, copy);
  ET_CHECK_OK_OR_RETURN_ERROR(values.error());
  const Product p = {*values,
                     weight.const_data_ptr<int8_t>(),
                     params_of(scales, zero_points),
                     rows,
                     depth,
                     columns,
                     1};
  const int64_t work = std::max<int64_t>(1, rows * depth * kPiece);
  parallel((columns + kPiece - 1) / kPiece,
           std::max<int64_t>(1, kGrainProducts / work),
           [&](int64_t begin, int64_t end) {
             for (int64_t i = begin * kPiece; i < end * kPiece; i += kPiece) {
               if (i < columns) {
                 multiply_columns(p, i, std::min(kPiece, columns - i), out);
               }
             }
           });
  return Error::Ok;
}

Error mixed_linear(KernelRuntimeContext&, const Tensor& input,
                   const Tensor& weight, const Tensor& scales,
                   const OptionalTensor& zero_points,
                   std::optional<ScalarType> dtype, Tensor& out) {
  const int64_t depth = weight.dim() == 2 ? weight.size(1) : 0;
  ET_CHECK_OK_OR_RETURN_ERROR(check(input, weight, scales, zero_points, depth));
  const int64_t rows = input.size(0), columns = weight.size(0);
  const int64_t groups = scales.dim() == 2 ? scales.size(1) : 1;
  ET_CHECK_OR_RETURN_ERROR(
      (scales.dim() == 1 || scales.dim() == 2) && scales.size(0) == columns,
      InvalidArgument, "%zd rows of scales given for %lld rows of the weight",
      ssize_t(scales.dim() == 0 ? 0 : scales.size(0)), (long long)columns);
  ET_CHECK_OR_RETURN_ERROR(groups > 0 && depth % groups == 0, InvalidArgument,
                           "%lld groups do not divide a row of %lld weights",
                           (long long)groups, (long long)depth);
  ET_CHECK_OK_OR_RETURN_ERROR(
      resize(rows, columns, dtype.value_or(input.scalar_type()), out));
  Scratch copy;
  const Result<const float*> values = as_float32(input, copy);
  ET_CHECK_OK_OR_RETURN_ERROR(values.error());
  const Product p = {*values,
                     weight.const_data_ptr<int8_t>(),
                     params_of(scales, zero_points),
                     rows,
                     depth,
                     columns,
                     groups};
  const int64_t work = std::max<int64_t>(1, rows * depth);
  parallel(columns, std::max<int64_t>(1, kGrainProducts / work),
           [&](int64_t begin, int64_t end) {
             for (int64_t i = begin; i < end; ++i) {
               multiply_transposed(p, i, out);
             }
           });
  return Error::Ok;
}

const Op kOps[] = {
    op<kNarrowFloats, mixed_mm>("quantized_decomposed::mixed_mm.out"),
    op<kNarrowFloats, mixed_linear>("quantized_decomposed::mixed_linear.out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
