// Old spellings name the same things, by whatever path they are included.
#include <c10/macros/Macros.h>
#include <c10/util/BFloat16-math.h>
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <c10/util/bit_cast.h>
#include <c10/util/complex.h>
#include <c10/util/irange.h>
#include <c10/util/llvmMathExtras.h>
#include <c10/util/overflows.h>
#include <c10/util/safe_numerics.h>
#include <executorch/runtime/core/event_tracer_hooks.h>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <gtest/gtest.h>
#include <torch/headeronly/util/Half.h>
#include <torch/headeronly/util/complex_utils.h>

#include <type_traits>

namespace et = executorch::runtime;
namespace old = torch::executor;

template <class A, class B>
constexpr bool kSame = std::is_same_v<A, B>;

static_assert(kSame<old::Error, et::Error>);
static_assert(kSame<old::Result<int>, et::Result<int>>);
static_assert(kSame<old::ArrayRef<int>, executorch::aten::ArrayRef<int>>);
static_assert(kSame<old::Tensor, exec_aten::Tensor>);
static_assert(kSame<old::TensorList, executorch::aten::TensorList>);
static_assert(kSame<old::EValue, et::EValue>);
static_assert(kSame<executorch::ET_RUNTIME_NAMESPACE::Tag, et::Tag>);
static_assert(kSame<old::internal::EventTracerProfileScope,
                    et::internal::EventTracerProfileOpScope>);
static_assert(kSame<c10::Half, executorch::aten::Half>);
static_assert(kSame<torch::headeronly::Half, old::Half>);
static_assert(kSame<c10::complex<float>, executorch::aten::complex<float>>);
static_assert(torch::headeronly::is_complex<c10::complex<float>>::value);

// As kernels used to be written.
namespace torch {
namespace executor {
namespace native {

Tensor& shrink_out(Tensor& out) {
  const Tensor::SizesType sizes[] = {1};
  ET_CHECK(internal::resize_tensor_impl(out.unsafeGetTensorImpl(),
                                        {sizes, 1}) == Error::Ok);
  return out;
}

}  // namespace native
}  // namespace executor
}  // namespace torch

C10_ALWAYS_INLINE float one() {
  return c10::detail::fp32_from_bits(c10::bit_cast<uint32_t>(1.0f));
}

TEST(CompatTest, OldCodeRuns) {
  int32_t size = 4;
  et::etensor::TensorImpl impl(old::ScalarType::Float, 1, &size, nullptr,
                               nullptr, nullptr,
                               old::TensorShapeDynamism::DYNAMIC_BOUND);
  old::Tensor tensor(&impl);
  EXPECT_EQ(old::native::shrink_out(tensor).numel(), 1);
  EXPECT_EQ(one(), 1.0f);
  EXPECT_EQ(c10::llvm::countTrailingZeros(8u), 3u);
  EXPECT_EQ(c10::llvm::NextPowerOf2(8), 16u);
  EXPECT_EQ(c10::llvm::alignTo(9, 8), 16u);
}
