#include "kernels/optimized/map.h"

#include <cstring>

#include "kernels/common/convert.h"

namespace executorch::kernels {
namespace {

ScalarType compute_type(ScalarType common) {
  if (is_in(common, kInts | kBool)) {
    return ScalarType::Long;
  }
  return is_in(common, kHalfs) ? ScalarType::Float : common;
}

BlockFn loop(const MapOp& op, ScalarType compute) {
  switch (compute) {
    case ScalarType::Float:
      return op.vec != nullptr          ? vec::loops().*op.vec
             : op.vec_binary != nullptr ? (vec::loops().*op.vec_binary).arrays
                                        : op.f32;
    case ScalarType::Double:
      return op.f64;
    case ScalarType::Long:
      return op.i64;
    case ScalarType::ComplexFloat:
      return op.c64;
    default:
      return op.c128;
  }
}

// Values are converted once, here: first to the common dtype, which is where
// PyTorch rounds them, then to the compute type.
class NumberReader {
 public:
  NumberReader(ScalarType common, ScalarType compute)
      : common_(common), compute_(compute) {}

  void read(const char* data, ScalarType dtype, bool exact, void* to) const {
    const bool rounds = !(exact && is_in(common_, kHalfs));
    const ScalarType between = rounds ? common_ : compute_;
    Number middle;
    Converter(dtype, between)(data, middle.bytes, 1);
    Converter(between, compute_)(middle.bytes, to, 1);
  }

 private:
  ScalarType common_, compute_;
};

}  // namespace

Error map(const MapOp& op, ScalarType common,
          std::initializer_list<Operand> operands, Tensor& out,
          std::initializer_list<Scalar> params) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_dtype(common, op.allowed));
  if (op.result == MapResult::kFloating) {
    common = to_floating(common);
  }
  const bool predicate = op.result == MapResult::kBool;
  const ScalarType result = predicate ? ScalarType::Bool : common;
  ET_CHECK_OK_OR_RETURN_ERROR(op.same_dtype ? check_same_dtype(result, out)
                                            : check_cast(result, out));

  const ScalarType compute = compute_type(common);
  const NumberReader reader(common, compute);
  Operand in[kMaxOperands];
  Number values[kMaxOperands];
  size_t count = 0;
  for (const Operand& x : operands) {
    Operand& operand = in[count];
    operand = x;
    if (x.dims == 0 && (x.dtype != compute || common != compute)) {
      const bool exact = op.exact_last && count + 1 == operands.size();
      reader.read(x.data, x.dtype, exact, values[count].bytes);
      operand.data = reinterpret_cast<const char*>(values[count].bytes);
      operand.dtype = compute;
    } else if (is_in(common, kHalfs) && is_in(x.dtype, kInts)) {
      operand.rounded_to = common;
    }
    operand.as = compute;
    ++count;
  }
  alignas(16) char numbers[kMaxParams * sizeof(Number::bytes)];
  char* end = numbers;
  for (const Scalar& value : params) {
    const Number x = number(value);
    reader.read(reinterpret_cast<const char*>(x.bytes), x.dtype,
                op.exact_params, end);
    end += item_size(compute);
  }

  Computation computation;
  computation.run = loop(op, compute);
  computation.params = numbers;
  computation.writes = predicate ? ScalarType::Bool : compute;
  computation.result = result;
  computation.cost = op.cost;
  if (compute == ScalarType::Float && op.vec_binary != nullptr) {
    computation.run_with_value = (vec::loops().*op.vec_binary).value;
  }
  return elementwise(computation, {in, count}, out);
}

}  // namespace executorch::kernels
