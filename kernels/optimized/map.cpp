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

// What `table` has for the operator, or null.
BlockFn entry(const vec::Loops& table, const MapOp& op) {
  return op.vec != nullptr          ? table.*op.vec
         : op.vec_binary != nullptr ? (table.*op.vec_binary).arrays
                                    : nullptr;
}

BlockFn loop(const MapOp& op, ScalarType compute) {
  switch (compute) {
    case ScalarType::Float:
      return op.f32 != nullptr ? op.f32 : entry(vec::loops(), op);
    case ScalarType::Half:
      return entry(vec::halves(), op);
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

// Whether there is a loop on float16 that needs no conversions: all operands
// are such tensors, but the last one of tensors of one layout may be a number.
bool computes_halves(const MapOp& op, ScalarType common, Span<Operand> operands,
                     const Tensor& out) {
  if (common != ScalarType::Half || loop(op, ScalarType::Half) == nullptr) {
    return false;
  }
  for (const Operand& x : operands) {
    const bool is_number = x.dims == 0 && op.vec_binary != nullptr &&
                           &x == operands.end() - 1 &&
                           operands[0].is_laid_out_as(out);
    if (!is_number && (x.dims == 0 || x.dtype != ScalarType::Half)) {
      return false;
    }
  }
  return true;
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

// The case that small models consist of: float tensors of one layout, or one
// and a number, with so few elements that each check counts. False if it is not
// that.
bool run_few_floats(const MapOp& op, Span<Operand> operands, Tensor& out) {
  constexpr int64_t kFew = 1024;
  const int64_t n = out.numel();
  if (out.scalar_type() != ScalarType::Float || n > kFew ||
      op.result == MapResult::kBool) {
    return false;
  }
  const vec::Loops& loops = vec::loops();
  BlockFn run = loop(op, ScalarType::Float);
  const char* begin = static_cast<const char*>(out.const_data_ptr());
  const int64_t bytes = n * int64_t{sizeof(float)};
  const void* in[kMaxOperands];
  float value;
  for (size_t k = 0; k < operands.size(); ++k) {
    const Operand& x = operands[k];
    if (x.dims == 0 && x.dtype == ScalarType::Double && k == 1 &&
        op.vec_binary != nullptr) {
      value = static_cast<float>(*reinterpret_cast<const double*>(x.data));
      run = (loops.*op.vec_binary).value;
      in[k] = &value;
      continue;
    }
    const bool apart = x.data + bytes <= begin || begin + bytes <= x.data;
    if (x.dtype != ScalarType::Float || !x.is_laid_out_as(out) ||
        !(apart || x.data == begin)) {
      return false;
    }
    in[k] = x.data;
  }
  if (run == nullptr) {
    return false;
  }
  run(in, out.mutable_data_ptr(), n, nullptr);
  return true;
}

}  // namespace

Error map(const MapOp& op, ScalarType common, Span<Operand> operands,
          Tensor& out, std::initializer_list<Scalar> params) {
  if (common == ScalarType::Float && params.size() == 0 &&
      run_few_floats(op, operands, out)) {
    return Error::Ok;
  }
  ET_CHECK_OK_OR_RETURN_ERROR(check_dtype(common, op.allowed));
  if (op.result == MapResult::kFloating) {
    common = to_floating(common);
  }
  const bool predicate = op.result == MapResult::kBool;
  const ScalarType result = predicate ? ScalarType::Bool : common;
  ET_CHECK_OK_OR_RETURN_ERROR(op.same_dtype ? check_same_dtype(result, out)
                                            : check_cast(result, out));

  // Arrays of float16 may be computed as they are, numbers are floats then too.
  const ScalarType compute = compute_type(common);
  const ScalarType arrays =
      computes_halves(op, common, operands, out) ? common : compute;
  const NumberReader reader(common, compute);
  Number values[kMaxOperands];
  for (size_t k = 0; k < operands.size(); ++k) {
    Operand& x = operands[k];
    if (x.dims == 0 && (x.dtype != compute || common != compute)) {
      const bool exact = op.exact_last && k + 1 == operands.size();
      reader.read(x.data, x.dtype, exact, values[k].bytes);
      x.data = reinterpret_cast<const char*>(values[k].bytes);
      x.dtype = compute;
    } else if (is_in(common, kHalfs) && is_in(x.dtype, kInts)) {
      x.rounded_to = common;
    }
    x.as = x.dims == 0 ? compute : arrays;
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
  computation.run = loop(op, arrays);
  computation.params = numbers;
  computation.writes = predicate ? ScalarType::Bool : arrays;
  computation.result = result;
  computation.commutes = op.commutes;
  computation.cost = op.cost;
  if (compute == ScalarType::Float && op.vec_binary != nullptr) {
    const bool is_number = operands[operands.size() - 1].dims == 0;
    computation.run_with_value =
        arrays == compute ? (vec::loops().*op.vec_binary).value
        : is_number       ? (vec::halves().*op.vec_binary).value
                          : nullptr;
  }
  return elementwise(computation, {operands.data(), operands.size()}, out);
}

}  // namespace executorch::kernels
