// llama::quantized_moe_ffn: a mixture of experts on weights of 4 or 8 bits.
//
// Threads: one level, over blocks of columns within the two products; experts
// and tokens run inside a block. The result does not depend on their number.
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include "kernels/common/op.h"
#include "kernels/optimized/moe/experts.h"
#include "kernels/optimized/moe/routing.h"

namespace executorch::kernels {
namespace {

// Fails unless the tensor is contiguous and of the dtype and sizes.
Error check(const Tensor& t, const char* name, ScalarType dtype,
            std::initializer_list<int64_t> sizes) {
  ET_CHECK_OR_RETURN_ERROR(
      t.scalar_type() == dtype, InvalidArgument, "%s has dtype %s, expected %s",
      name, runtime::toString(t.scalar_type()), runtime::toString(dtype));
  ET_CHECK_OR_RETURN_ERROR(t.dim() == static_cast<ssize_t>(sizes.size()),
                           InvalidArgument, "%s has rank %zd, expected %zu",
                           name, t.dim(), sizes.size());
  int d = 0;
  for (const int64_t size : sizes) {
    ET_CHECK_OR_RETURN_ERROR(t.size(d) == size, InvalidArgument,
                             "%s has size %lld in dimension %d, expected %lld",
                             name, static_cast<long long>(t.size(d)), d,
                             static_cast<long long>(size));
    ++d;
  }
  ET_CHECK_OR_RETURN_ERROR(
      runtime::tensor_is_default_dim_order(t), InvalidArgument,
      "%s is not contiguous in the default dim order", name);
  return Error::Ok;
}

// Sizes that do not matter are taken from the tensor itself.
int64_t size_or(const Tensor& t, int64_t dim, int64_t otherwise) {
  return dim < t.dim() ? t.size(dim) : otherwise;
}

Error check_router(const moe::Router& router, std::string_view score_func,
                   bool has_bias) {
  ET_CHECK_OR_RETURN_ERROR(
      score_func == "sigmoid" || score_func == "softmax", InvalidArgument,
      "score_func is \"%.*s\"; \"sigmoid\" and \"softmax\" are supported",
      static_cast<int>(score_func.size()), score_func.data());
  ET_CHECK_OR_RETURN_ERROR(router.sigmoid || !has_bias, InvalidArgument,
                           "an expert bias needs score_func \"sigmoid\"");
  ET_CHECK_OR_RETURN_ERROR(router.experts > 0 && router.activated > 0 &&
                               router.activated <= router.experts,
                           InvalidArgument,
                           "%lld of %lld experts cannot be activated",
                           static_cast<long long>(router.activated),
                           static_cast<long long>(router.experts));
  return Error::Ok;
}

Error quantized_moe_ffn(KernelRuntimeContext&, const Tensor& x,
                        const Tensor& gate, const Tensor& bias,
                        const Tensor& packed_w13, const Tensor& packed_w2,
                        int64_t activated, int64_t experts, int64_t hidden,
                        int64_t dim, int64_t group_size, int64_t weight_nbit,
                        std::string_view score_func, double route_scale,
                        Tensor& out) {
  const bool has_bias = bias.numel() > 0;
  const moe::Router router{
      experts, activated, score_func == "sigmoid", route_scale,
      has_bias ? static_cast<const float*>(bias.const_data_ptr()) : nullptr};
  ET_CHECK_OK_OR_RETURN_ERROR(check_router(router, score_func, has_bias));
  const int64_t tokens = size_or(x, 0, 0);
  ET_CHECK_OK_OR_RETURN_ERROR(check(x, "x", ScalarType::Float, {tokens, dim}));
  ET_CHECK_OK_OR_RETURN_ERROR(
      check(gate, "gate_weight", ScalarType::Float, {experts, dim}));
  if (has_bias) {
    ET_CHECK_OK_OR_RETURN_ERROR(
        check(bias, "expert_bias", ScalarType::Float, {experts}));
  }
  const int64_t w13_bytes = size_or(packed_w13, 1, 0);
  const int64_t w2_bytes = size_or(packed_w2, 1, 0);
  ET_CHECK_OK_OR_RETURN_ERROR(
      check(packed_w13, "packed_w13", ScalarType::Byte, {experts, w13_bytes}));
  ET_CHECK_OK_OR_RETURN_ERROR(
      check(packed_w2, "packed_w2", ScalarType::Byte, {experts, w2_bytes}));
  ET_CHECK_OR_RETURN_ERROR(out.scalar_type() == ScalarType::Float,
                           InvalidArgument, "out has dtype %s, expected Float",
                           runtime::toString(out.scalar_type()));

  ET_CHECK_OR_RETURN_ERROR(hidden > 0 && hidden < INT32_MAX, InvalidArgument,
                           "hidden_dim is %lld",
                           static_cast<long long>(hidden));
  const moe::Experts networks{experts,
                              dim,
                              hidden,
                              {packed_w13.const_data_ptr<uint8_t>(),
                               w13_bytes,
                               {2 * hidden, dim, group_size, weight_nbit}},
                              {packed_w2.const_data_ptr<uint8_t>(),
                               w2_bytes,
                               {dim, hidden, group_size, weight_nbit}}};
  ET_CHECK_OK_OR_RETURN_ERROR(networks.up.shape.check());
  ET_CHECK_OK_OR_RETURN_ERROR(networks.down.shape.check());
  ET_CHECK_OK_OR_RETURN_ERROR(networks.up.check("packed_w13", experts));
  ET_CHECK_OK_OR_RETURN_ERROR(networks.down.check("packed_w2", experts));
  ET_CHECK_OR_RETURN_ERROR(runtime::resize_tensor(out, x.sizes()) == Error::Ok,
                           InvalidArgument, "out cannot take the shape of x");
  ET_CHECK_OR_RETURN_ERROR(runtime::tensor_is_default_dim_order(out),
                           InvalidArgument,
                           "out is not contiguous in the default dim order");

  moe::Routing routing;
  ET_CHECK_OK_OR_RETURN_ERROR(routing.route(router, x, gate));
  return networks.run(x.const_data_ptr<float>(), tokens, routing,
                      out.mutable_data_ptr<float>());
}

const Op kOps[] = {op<dtype_bit(ScalarType::Float), quantized_moe_ffn>(
    "llama::quantized_moe_ffn.out")};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
