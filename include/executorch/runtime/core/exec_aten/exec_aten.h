// The tensor types under the names that operators use.
#pragma once

#include <executorch/runtime/core/array_ref.h>
#include <executorch/runtime/core/portable_type/scalar.h>
#include <executorch/runtime/core/portable_type/tensor.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace executorch {
/// Types of operator arguments.
namespace aten {

namespace etensor = ::executorch::runtime::etensor;

using etensor::compute_numel;
using etensor::Device;
using etensor::DeviceType;
using etensor::Layout;
using etensor::MemoryFormat;
using etensor::safe_numel;
using etensor::Scalar;
using etensor::Tensor;
using etensor::TensorImpl;
using runtime::ArrayRef;
using runtime::IntArrayRef;
using runtime::TensorShapeDynamism;

using SizesType = TensorImpl::SizesType;
using DimOrderType = TensorImpl::DimOrderType;
using StridesType = TensorImpl::StridesType;

using etensor::BFloat16;
using etensor::complex;
using etensor::Half;
using etensor::qint32;
using etensor::qint8;
using etensor::quint2x4;
using etensor::quint4x2;
using etensor::quint8;

using TensorList = ArrayRef<Tensor>;

using std::nullopt;
using std::nullopt_t;
using std::optional;
using std::string_view;
template <typename T>
using OptionalArrayRef = std::optional<ArrayRef<T>>;
using OptionalIntArrayRef = OptionalArrayRef<int64_t>;

}  // namespace aten
}  // namespace executorch

namespace torch {
namespace executor {
using TensorList = ::executorch::aten::TensorList;
}  // namespace executor
}  // namespace torch
