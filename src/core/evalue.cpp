// The slow path of EValue, and the named forms of what it can be read as: every
// user of the header would instantiate them.
#include <executorch/runtime/core/evalue.h>

#include <cstdio>

namespace executorch {
namespace runtime {
namespace internal {

void wrong_tag(Tag found, uint32_t expected) {
  char names[128] = "";
  size_t length = 0;
  for (uint32_t i = 0; i < 32; ++i) {
    if ((expected >> i & 1u) != 0 && length < sizeof(names)) {
      const int written = std::snprintf(names + length, sizeof(names) - length,
                                        "%s%s", length == 0 ? "" : " or ",
                                        tag_to_string(static_cast<Tag>(i)));
      length += written > 0 ? static_cast<size_t>(written) : 0;
    }
  }
  ET_CHECK_MSG(false, "the EValue is %s, not %s", tag_to_string(found), names);
  ET_UNREACHABLE();
}

}  // namespace internal

std::string_view EValue::toString() const { return read<std::string_view>(); }
aten::ArrayRef<double> EValue::toDoubleList() const { return read<aten::ArrayRef<double>>(); }
aten::ArrayRef<bool> EValue::toBoolList() const { return read<aten::ArrayRef<bool>>(); }
aten::ArrayRef<int64_t> EValue::toIntList() const { return read<aten::ArrayRef<int64_t>>(); }
aten::ArrayRef<aten::Tensor> EValue::toTensorList() const { return read<aten::ArrayRef<aten::Tensor>>(); }
aten::ArrayRef<std::optional<aten::Tensor>> EValue::toListOptionalTensor() const { return read<aten::ArrayRef<std::optional<aten::Tensor>>>(); }
aten::ScalarType EValue::toScalarType() const { return read<aten::ScalarType>(); }
aten::MemoryFormat EValue::toMemoryFormat() const { return read<aten::MemoryFormat>(); }
aten::Layout EValue::toLayout() const { return read<aten::Layout>(); }
aten::Device EValue::toDevice() const { return read<aten::Device>(); }

Result<int64_t> EValue::tryToInt() const { return tryTo<int64_t>(); }
Result<double> EValue::tryToDouble() const { return tryTo<double>(); }
Result<bool> EValue::tryToBool() const { return tryTo<bool>(); }
Result<aten::Scalar> EValue::tryToScalar() const { return tryTo<aten::Scalar>(); }
Result<aten::Tensor> EValue::tryToTensor() const { return tryTo<aten::Tensor>(); }
Result<std::string_view> EValue::tryToString() const { return tryTo<std::string_view>(); }
Result<aten::ArrayRef<double>> EValue::tryToDoubleList() const { return tryTo<aten::ArrayRef<double>>(); }
Result<aten::ArrayRef<bool>> EValue::tryToBoolList() const { return tryTo<aten::ArrayRef<bool>>(); }
Result<aten::ArrayRef<int64_t>> EValue::tryToIntList() const { return tryTo<aten::ArrayRef<int64_t>>(); }
Result<aten::ArrayRef<aten::Tensor>> EValue::tryToTensorList() const { return tryTo<aten::ArrayRef<aten::Tensor>>(); }
Result<aten::ArrayRef<std::optional<aten::Tensor>>> EValue::tryToListOptionalTensor() const { return tryTo<aten::ArrayRef<std::optional<aten::Tensor>>>(); }
Result<aten::ScalarType> EValue::tryToScalarType() const { return tryTo<aten::ScalarType>(); }
Result<aten::MemoryFormat> EValue::tryToMemoryFormat() const { return tryTo<aten::MemoryFormat>(); }
Result<aten::Layout> EValue::tryToLayout() const { return tryTo<aten::Layout>(); }
Result<aten::Device> EValue::tryToDevice() const { return tryTo<aten::Device>(); }

}  // namespace runtime
}  // namespace executorch
