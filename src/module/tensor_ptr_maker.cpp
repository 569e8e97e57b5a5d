// Tensors filled with one value or with random numbers.
#include <executorch/extension/tensor/tensor_ptr_maker.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include <algorithm>
#include <random>

#include "src/module/elements.h"
#include "src/module/owned_memory.h"

namespace executorch::extension {

using aten::Device;
using aten::DeviceType;
using aten::Scalar;
using aten::ScalarType;
using internal::Dynamism;
using internal::Sizes;
using internal::Strides;
using runtime::Error;
using runtime::Result;

namespace {

std::mt19937_64& generator() {
  thread_local std::mt19937_64 engine{std::random_device{}()};
  return engine;
}

// Writes what `next()` gives, an int64_t or double each time, to every element.
template <class Next>
Error fill(const Result<TensorPtr>& made, Next&& next) {
  ET_CHECK_OK_OR_RETURN_ERROR(made.error());
  const aten::Tensor& tensor = **made;
  const ScalarType type = tensor.scalar_type();
  ET_CHECK_OR_RETURN_ERROR(internal::holds_numbers(type), NotSupported,
                           "a tensor of dtype %s cannot be filled with numbers",
                           runtime::toString(type));
  constexpr size_t kBlock = 256;
  decltype(next()) block[kBlock];
  auto* target = static_cast<uint8_t*>(tensor.mutable_data_ptr());
  const size_t count = static_cast<size_t>(tensor.numel());
  for (size_t at = 0; at < count; at += kBlock) {
    const size_t n = std::min(kBlock, count - at);
    std::generate_n(block, n, next);
    internal::store(type, target + at * tensor.element_size(), block, n);
  }
  return Error::Ok;
}

// `made` if it could be filled, else the error.
Result<TensorPtr> filled(Result<TensorPtr> made, Error error) {
  if (error != Error::Ok) {
    return error;
  }
  return made;
}

// How many random bits a number below 1 of this dtype can have.
int fraction_bits(ScalarType type) {
  switch (type) {
    case ScalarType::BFloat16:
      return 8;
    case ScalarType::Half:
      return 11;
    case ScalarType::Float:
      return 24;
    default:
      return 53;
  }
}

}  // namespace

Result<TensorPtr> try_empty_strided(Sizes sizes, Strides strides,
                                    ScalarType type, Dynamism dynamism) {
  // The tensor is made first: only then is its size known to be one.
  auto made = try_make_tensor_ptr(sizes, nullptr, {}, strides, type,
                                  Device(DeviceType::CPU), dynamism);
  ET_CHECK_OK_OR_RETURN_ERROR(made.error());
  ET_ASSIGN_OR_RETURN(memory, internal::allocate((*made)->nbytes()));
  void* data = memory.get();
  return try_make_tensor_ptr(std::move(sizes), data, {}, std::move(strides),
                             type, Device(DeviceType::CPU), dynamism,
                             [memory = std::move(memory)](void*) {});
}

Result<TensorPtr> try_full_strided(Sizes sizes, Strides strides, Scalar value,
                                   ScalarType type, Dynamism dynamism) {
  auto made =
      try_empty_strided(std::move(sizes), std::move(strides), type, dynamism);
  if (value.isFloatingPoint()) {
    const double number = value.to<double>();
    const Error error = fill(made, [&] { return number; });
    return filled(std::move(made), error);
  }
  const int64_t number = value.to<int64_t>();
  const Error error = fill(made, [&] { return number; });
  return filled(std::move(made), error);
}

Result<TensorPtr> try_rand_strided(Sizes sizes, Strides strides,
                                   ScalarType type, Dynamism dynamism) {
  auto made =
      try_empty_strided(std::move(sizes), std::move(strides), type, dynamism);
  const int bits = fraction_bits(type);
  const double unit = 1.0 / static_cast<double>(uint64_t{1} << bits);
  const Error error = fill(made, [&] {
    return static_cast<double>(generator()() >> (64 - bits)) * unit;
  });
  return filled(std::move(made), error);
}

Result<TensorPtr> try_randn_strided(Sizes sizes, Strides strides,
                                    ScalarType type, Dynamism dynamism) {
  auto made =
      try_empty_strided(std::move(sizes), std::move(strides), type, dynamism);
  std::normal_distribution<double> normal;
  const Error error = fill(made, [&] { return normal(generator()); });
  return filled(std::move(made), error);
}

Result<TensorPtr> try_randint_strided(int64_t low, int64_t high, Sizes sizes,
                                      Strides strides, ScalarType type,
                                      Dynamism dynamism) {
  ET_CHECK_OR_RETURN_ERROR(low < high, InvalidArgument,
                           "there is no integer x with %lld <= x < %lld",
                           static_cast<long long>(low),
                           static_cast<long long>(high));
  auto made =
      try_empty_strided(std::move(sizes), std::move(strides), type, dynamism);
  std::uniform_int_distribution<int64_t> uniform(low, high - 1);
  const Error error = fill(made, [&] { return uniform(generator()); });
  return filled(std::move(made), error);
}

}  // namespace executorch::extension
