#include "kernels/quantized/affine.h"

#include "kernels/common/checks.h"

namespace executorch::kernels {
namespace {

double as_double(double x) { return x; }
double as_float(double x) { return static_cast<float>(x); }
double as_half(double x) {
  return static_cast<float>(aten::Half(static_cast<float>(x)));
}
double as_bfloat16(double x) {
  return static_cast<float>(aten::BFloat16(static_cast<float>(x)));
}

bool is_narrow_float(ScalarType t) {
  return t == ScalarType::Half || t == ScalarType::BFloat16;
}

}  // namespace

Fit fit(ScalarType type) {
  switch (type) {
    case ScalarType::Half:
      return as_half;
    case ScalarType::BFloat16:
      return as_bfloat16;
    case ScalarType::Float:
      return as_float;
    default:
      return as_double;
  }
}

ScalarType wide(ScalarType type) {
  return is_narrow_float(type) ? ScalarType::Float : type;
}

void put(Tensor& t, int64_t i, double value) {
  visit(RealTypes{}, t.scalar_type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    t.mutable_data_ptr<T>()[i] = cast_to<T>(value);
  });
}

vec::Int integer_index(ScalarType type) {
  switch (type) {
    case ScalarType::Byte:
      return vec::kUInt8;
    case ScalarType::Char:
      return vec::kInt8;
    case ScalarType::UInt16:
      return vec::kUInt16;
    case ScalarType::Short:
      return vec::kInt16;
    default:
      return vec::kInt32;
  }
}

vec::Precision precision_of(ScalarType type) {
  return type == ScalarType::Half       ? vec::kFloat16
         : type == ScalarType::BFloat16 ? vec::kBFloat16
                                        : vec::kFloat32;
}

Param::Param(double value) : number_(value) {}

Param::Param(const Tensor& t)
    : data_(t.const_data_ptr()), type_(t.scalar_type()), weak_(t.dim() == 0) {
  visit(RealTypes{}, type_, [&](auto tag) {
    using T = typename decltype(tag)::type;
    read_ = [](const void* data, int64_t i) {
      return static_cast<double>(static_cast<const T*>(data)[i]);
    };
  });
}

ScalarType Param::meet(ScalarType other) const {
  if (!weak_) {
    // PyTorch refuses uint16 beside another integer type; int64 holds both.
    const ScalarType met = promote(other, type_);
    return met == ScalarType::Undefined ? ScalarType::Long : met;
  }
  return runtime::isFloatingType(type_) && !runtime::isFloatingType(other)
             ? type_
             : other;
}

Rows::Rows(const Tensor& t, const int64_t* block, const Param& scale,
           const Param& zero_point) {
  for (const auto d : t.dim_order()) {
    const int64_t size = t.size(d);
    const int64_t whole = block == nullptr ? 1 : block[d];
    numel_ *= size;
    add_inner({size / whole, {scale.step[d], zero_point.step[d]}});
    add_inner({whole, {0, 0}});
  }
  if (numel_ > 0 && count_ > 0) {
    const Dim& inner = dims_[--count_];
    length_ = inner.size;
    step_[0] = inner.step[0];
    step_[1] = inner.step[1];
  }
}

// Joins neighbours that one step covers.
void Rows::add_inner(const Dim& dim) {
  if (dim.size == 1) {
    return;
  }
  if (count_ > 0) {
    Dim& outer = dims_[count_ - 1];
    if (outer.step[0] == dim.step[0] * dim.size &&
        outer.step[1] == dim.step[1] * dim.size) {
      outer = {outer.size * dim.size, {dim.step[0], dim.step[1]}};
      return;
    }
  }
  dims_[count_++] = dim;
}

void Rows::start(int64_t row, int64_t at[2]) const {
  at[0] = at[1] = 0;
  for (int d = count_ - 1; d >= 0; --d) {
    const int64_t next = d == 0 ? 0 : row / dims_[d].size;
    const int64_t index = row - next * dims_[d].size;
    at[0] += index * dims_[d].step[0];
    at[1] += index * dims_[d].step[1];
    row = next;
  }
}

}  // namespace executorch::kernels
