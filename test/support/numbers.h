// Reading and comparing tensor elements in tests and tools.
#pragma once

#include <executorch/runtime/core/exec_aten/exec_aten.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace executorch::test {

struct DType {
  const char* name;  // PyTorch's, "float32"
  aten::ScalarType type;
  size_t size;
  char kind;  // NumPy's letter, as in <f4
};

inline constexpr DType kDTypes[] = {
    {"uint8", aten::ScalarType::Byte, 1, 'u'},
    {"int8", aten::ScalarType::Char, 1, 'i'},
    {"int16", aten::ScalarType::Short, 2, 'i'},
    {"int32", aten::ScalarType::Int, 4, 'i'},
    {"int64", aten::ScalarType::Long, 8, 'i'},
    {"uint16", aten::ScalarType::UInt16, 2, 'u'},
    {"uint32", aten::ScalarType::UInt32, 4, 'u'},
    {"uint64", aten::ScalarType::UInt64, 8, 'u'},
    {"float16", aten::ScalarType::Half, 2, 'f'},
    {"float32", aten::ScalarType::Float, 4, 'f'},
    {"float64", aten::ScalarType::Double, 8, 'f'},
    {"complex64", aten::ScalarType::ComplexFloat, 8, 'c'},
    {"complex128", aten::ScalarType::ComplexDouble, 16, 'c'},
    {"bool", aten::ScalarType::Bool, 1, 'b'},
    {"bfloat16", aten::ScalarType::BFloat16, 2, 'V'},
    {"complex32", aten::ScalarType::ComplexHalf, 4, 'V'},
    {"qint8", aten::ScalarType::QInt8, 1, 'i'},
    {"quint8", aten::ScalarType::QUInt8, 1, 'u'},
    {"qint32", aten::ScalarType::QInt32, 4, 'i'},
    {"quint4x2", aten::ScalarType::QUInt4x2, 1, 'V'},
    {"quint2x4", aten::ScalarType::QUInt2x4, 1, 'V'},
    {"bits1x8", aten::ScalarType::Bits1x8, 1, 'V'},
    {"bits2x4", aten::ScalarType::Bits2x4, 1, 'V'},
    {"bits4x2", aten::ScalarType::Bits4x2, 1, 'V'},
    {"bits8", aten::ScalarType::Bits8, 1, 'V'},
    {"bits16", aten::ScalarType::Bits16, 2, 'V'},
    {"float8_e5m2", aten::ScalarType::Float8_e5m2, 1, 'V'},
    {"float8_e4m3fn", aten::ScalarType::Float8_e4m3fn, 1, 'V'},
    {"float8_e5m2fnuz", aten::ScalarType::Float8_e5m2fnuz, 1, 'V'},
    {"float8_e4m3fnuz", aten::ScalarType::Float8_e4m3fnuz, 1, 'V'},
};

// Throw when there is none.
const DType& dtype_by_name(const std::string& name);
const DType& dtype_of(aten::ScalarType type);

// Where element `i` of the logical (row-major) order lies in memory that is
// laid out by `order`; an empty order is row-major.
std::vector<size_t> positions(const std::vector<int64_t>& shape,
                              const std::vector<aten::DimOrderType>& order);

// Allowed is |got - want| <= atol + rtol * |want|; NaN equals NaN and an
// infinity only itself.
struct Tolerance {
  double rtol = 0;
  double atol = 0;
};
bool close(double got, double want, Tolerance tolerance);

// How the elements must agree.
enum class Rule {
  close,    // within the tolerance; integers and bool with rtol 0
  uniform,  // any value in [0, 1)
  finite,   // any finite value
};

// Compares `count` elements; an empty string, or what is wrong. Element i is
// got[at[i]] if `at` is given. `worst` collects the largest difference.
std::string compare_elements(aten::ScalarType type, const void* got,
                             const void* want, size_t count,
                             Tolerance tolerance, Rule rule = Rule::close,
                             const std::vector<size_t>* at = nullptr,
                             double* worst = nullptr);

}  // namespace executorch::test
