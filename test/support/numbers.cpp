#include "test/support/numbers.h"

#include <cmath>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <type_traits>

namespace executorch::test {
namespace {

using aten::ScalarType;

// One element as something that can be compared exactly: integers stay
// integers, as a double does not hold every int64.
template <class T>
T load(const void* data, size_t i) {
  T value;
  std::memcpy(&value, static_cast<const char*>(data) + i * sizeof(T),
              sizeof(T));
  return value;
}

template <class T>
bool elements_agree(T got, T want, Tolerance tolerance, Rule rule) {
  if constexpr (std::is_integral_v<T>) {
    const uint64_t distance =
        got > want ? static_cast<uint64_t>(got) - static_cast<uint64_t>(want)
                   : static_cast<uint64_t>(want) - static_cast<uint64_t>(got);
    return distance <= static_cast<uint64_t>(tolerance.atol);
  } else {
    const auto x = static_cast<double>(got);
    switch (rule) {
      case Rule::uniform:
        return x >= 0 && x < 1;
      case Rule::finite:
        return std::isfinite(x);
      case Rule::close:
        break;
    }
    return close(x, static_cast<double>(want), tolerance);
  }
}

template <class T>
std::string compare(const void* got, const void* want, size_t count,
                    Tolerance tolerance, Rule rule,
                    const std::vector<size_t>* at, double* worst) {
  for (size_t i = 0; i < count; ++i) {
    const T x = load<T>(got, at != nullptr ? (*at)[i] : i);
    const T y = load<T>(want, i);
    if (!elements_agree(x, y, tolerance, rule)) {
      std::ostringstream text;
      text.precision(9);
      text << "element " << i << " of " << count << " is "
           << static_cast<double>(x) << ", expected " << static_cast<double>(y);
      return text.str();
    }
    const double difference =
        std::fabs(static_cast<double>(x) - static_cast<double>(y));
    if (worst != nullptr && difference > *worst) {
      *worst = difference;
    }
  }
  return "";
}

}  // namespace

const DType& dtype_by_name(const std::string& name) {
  for (const DType& dtype : kDTypes) {
    if (name == dtype.name) {
      return dtype;
    }
  }
  throw std::runtime_error("unknown dtype " + name);
}

const DType& dtype_of(ScalarType type) {
  for (const DType& dtype : kDTypes) {
    if (type == dtype.type) {
      return dtype;
    }
  }
  throw std::runtime_error("unknown dtype " +
                           std::to_string(static_cast<int>(type)));
}

std::vector<size_t> positions(const std::vector<int64_t>& shape,
                              const std::vector<aten::DimOrderType>& order) {
  const size_t rank = shape.size();
  std::vector<size_t> stride(rank);
  size_t count = 1;
  for (size_t i = rank; i-- > 0;) {
    const size_t dim = order.empty() ? i : order[i];
    stride[dim] = count;
    count *= static_cast<size_t>(shape[dim]);
  }
  std::vector<size_t> result(count);
  std::vector<int64_t> index(rank);
  for (size_t& position : result) {
    position = 0;
    for (size_t dim = 0; dim < rank; ++dim) {
      position += static_cast<size_t>(index[dim]) * stride[dim];
    }
    for (size_t dim = rank; dim-- > 0 && ++index[dim] == shape[dim];) {
      index[dim] = 0;
    }
  }
  return result;
}

bool close(double got, double want, Tolerance tolerance) {
  if (std::isnan(want) || std::isnan(got)) {
    return std::isnan(want) && std::isnan(got);
  }
  if (std::isinf(want) || std::isinf(got)) {
    return got == want;
  }
  return std::fabs(got - want) <=
         tolerance.atol + tolerance.rtol * std::fabs(want);
}

std::string compare_elements(ScalarType type, const void* got, const void* want,
                             size_t count, Tolerance tolerance, Rule rule,
                             const std::vector<size_t>* at, double* worst) {
  const auto as = [&](auto zero, size_t n) {
    return compare<decltype(zero)>(got, want, n, tolerance, rule, at, worst);
  };
  switch (type) {
    case ScalarType::Byte:
    case ScalarType::Bool:
      return as(uint8_t{}, count);
    case ScalarType::Char:
      return as(int8_t{}, count);
    case ScalarType::Short:
      return as(int16_t{}, count);
    case ScalarType::UInt16:
      return as(uint16_t{}, count);
    case ScalarType::Int:
      return as(int32_t{}, count);
    case ScalarType::Long:
      return as(int64_t{}, count);
    case ScalarType::Half:
      return as(aten::Half{}, count);
    case ScalarType::BFloat16:
      return as(aten::BFloat16{}, count);
    case ScalarType::Float:
      return as(float{}, count);
    case ScalarType::Double:
      return as(double{}, count);
    case ScalarType::ComplexFloat:
      return as(float{}, 2 * count);
    case ScalarType::ComplexDouble:
      return as(double{}, 2 * count);
    default:
      return "this dtype cannot be compared";
  }
}

}  // namespace executorch::test
