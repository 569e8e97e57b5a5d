// Sums of quantized tensors: dequantize both, add in float32, quantize.
//
// To add an operator: what happens to the sum before it is quantized is Adder's
// `finish`.
#include "kernels/common/elementwise.h"
#include "kernels/quantized/checks.h"
#include "kernels/quantized/vec/loops.h"

namespace executorch::kernels {
namespace {

struct Input {
  Input(ScalarType type, double scale, int64_t zero_point)
      : dequantize(vec::loops().dequantize_f32[vec::kFloat32][vec::kOne]
                                              [integer_index(type)]),
        size(static_cast<int64_t>(runtime::elementSize(type))),
        scale(static_cast<float>(scale)),
        zero_point(static_cast<float>(zero_point)) {}

  void read(const void* x, int64_t begin, int64_t n, float* values) const {
    dequantize(static_cast<const char*>(x) + begin * size, values, n,
               {&scale, &zero_point});
  }

  vec::Dequantize<float> dequantize;
  int64_t size;
  float scale, zero_point;
};

struct Output {
  Output(ScalarType type, double scale, int64_t zero_point, int64_t min,
         int64_t max)
      : quantize(vec::loops().quantize_f32[vec::kOne][vec::kRoundFirst]
                                          [integer_index(type)]),
        size(static_cast<int64_t>(runtime::elementSize(type))),
        inverse_scale(static_cast<float>(1.0 / scale)),
        zero_point(static_cast<float>(zero_point)),
        min(static_cast<float>(min)),
        max(static_cast<float>(max)) {}

  void write(const float* values, int64_t begin, int64_t n, void* out) const {
    quantize(values, static_cast<char*>(out) + begin * size, n,
             {&inverse_scale, &zero_point, min, max, &inverse_scale,
              &zero_point, 0});
  }

  vec::Quantize<float> quantize;
  int64_t size;
  float inverse_scale, zero_point, min, max;
};

struct Sum {
  Input a;
  std::optional<Input> b;  // else a number
  float number;
  Output out;
  bool relu;

  // A BlockFn.
  static void run(const void* const* in, void* out, int64_t n,
                  const void* params) {
    const Sum& sum = *static_cast<const Sum*>(params);
    float x[kPiece], y[kPiece];
    std::fill(y, y + kPiece, sum.number);
    for (int64_t i = 0; i < n; i += kPiece) {
      const int64_t count = std::min(kPiece, n - i);
      sum.a.read(in[0], i, count, x);
      if (sum.b) {
        sum.b->read(in[1], i, count, y);
      }
      vec::loops().add(x, y, x, count);
      if (sum.relu) {
        std::for_each(x, x + count, [](float& v) { v = v < 0 ? 0 : v; });
      }
      sum.out.write(x, i, count, out);
    }
  }
};

Error check_types(const Tensor& a, const Tensor* b, double out_scale,
                  int64_t out_min, int64_t out_max, ScalarType out_type,
                  const Tensor& out) {
  if (b != nullptr) {
    ET_CHECK_OK_OR_RETURN_ERROR(
        check_type(*b, a.scalar_type(), "the second input"));
  }
  ET_CHECK_OK_OR_RETURN_ERROR(check_type(out, out_type, "out"));
  ET_CHECK_OR_RETURN_ERROR(out_scale != 0, InvalidArgument,
                           "the scale of the result is 0");
  return check_range(out_min, out_max, out_type);
}

Error run(const Sum& sum, Span<const Operand> operands, Tensor& out) {
  Computation computation;
  computation.run = &Sum::run;
  computation.params = &sum;
  computation.writes = computation.result = out.scalar_type();
  computation.cost = 4;
  return elementwise(computation, operands, out);
}

template <bool kRelu>
Error add(KernelRuntimeContext&, const Tensor& a, double a_scale,
          int64_t a_zero_point, int64_t, int64_t, const Tensor& b,
          double b_scale, int64_t b_zero_point, int64_t, int64_t,
          double out_scale, int64_t out_zero_point, int64_t out_min,
          int64_t out_max, Tensor& out) {
  const ScalarType type = a.scalar_type();
  ET_CHECK_OK_OR_RETURN_ERROR(
      check_types(a, &b, out_scale, out_min, out_max, type, out));
  const Sum sum = {
      Input(type, a_scale, a_zero_point), Input(type, b_scale, b_zero_point), 0,
      Output(type, out_scale, out_zero_point, out_min, out_max), kRelu};
  const Operand operands[] = {{a, type}, {b, type}};
  return run(sum, {operands, 2}, out);
}

Error add_number(KernelRuntimeContext&, const Tensor& a, double a_scale,
                 int64_t a_zero_point, int64_t, int64_t, ScalarType a_type,
                 const Scalar& b, double out_scale, int64_t out_zero_point,
                 int64_t out_min, int64_t out_max, ScalarType out_type,
                 Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_type(a, a_type, "the input"));
  ET_CHECK_OK_OR_RETURN_ERROR(
      check_types(a, nullptr, out_scale, out_min, out_max, out_type, out));
  const Sum sum = {
      Input(a_type, a_scale, a_zero_point), std::nullopt,
      static_cast<float>(to_double(b)),
      Output(out_type, out_scale, out_zero_point, out_min, out_max), false};
  const Operand operands[] = {{a, a_type}};
  return run(sum, {operands, 1}, out);
}

const Op kOps[] = {
    op<kQuantized, add<false>>("quantized_decomposed::add.out"),
    op<kQuantized, add<true>>("quantized_decomposed::add_relu.out"),
    op<kQuantized, add_number>("quantized_decomposed::add.scalar_out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
