// Questions to tensors: the order of their elements in memory.
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include <algorithm>
#include <cstring>

namespace executorch {
namespace runtime {
namespace {

using aten::ArrayRef;
using aten::DimOrderType;
using aten::Tensor;
using Order = ArrayRef<DimOrderType>;

constexpr DimOrderType kInOrder[kTensorDimensionLimit] = {
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
constexpr DimOrderType kChannelsLast4[] = {0, 2, 3, 1};
constexpr DimOrderType kChannelsLast5[] = {0, 2, 3, 4, 1};

Order channels_last(size_t dims) {
  return dims == 4   ? Order(kChannelsLast4)
         : dims == 5 ? Order(kChannelsLast5)
                     : Order();
}

// A tensor without a dim order is in order.
Order order_of(const Tensor& t) {
  const size_t dims = t.sizes().size();
  return t.dim_order().data() != nullptr
             ? t.dim_order()
             : Order(kInOrder, std::min(dims, kTensorDimensionLimit));
}

// Whether both orders put the elements of t at the same places: dimensions of
// size 1 may stand anywhere.
bool same_places(const Tensor& t, Order a, Order b) {
  if (a.size() != b.size()) {
    return false;
  }
  if (t.numel() == 0) {
    return true;
  }
  const auto sizes = t.sizes();
  size_t j = 0;
  for (const DimOrderType dim : a) {
    if (dim >= sizes.size() || sizes[dim] == 1) {
      continue;
    }
    while (j < b.size() && (b[j] >= sizes.size() || sizes[b[j]] == 1)) {
      ++j;
    }
    if (j == b.size() || b[j] != dim) {
      return false;
    }
    ++j;
  }
  return true;
}

bool is_default(const Tensor& t) {
  return t.sizes().size() <= kTensorDimensionLimit &&
         same_places(t, order_of(t), Order(kInOrder, t.sizes().size()));
}

bool is_channels_last(const Tensor& t) {
  const Order order = channels_last(t.sizes().size());
  return !order.empty() && same_places(t, order_of(t), order);
}

bool all_have(ArrayRef<Tensor> tensors, Order order) {
  return std::all_of(tensors.begin(), tensors.end(), [&](const Tensor& t) {
    return same_places(t, order_of(t), order);
  });
}

bool same_strides(const Tensor& a, const Tensor& b) {
  ET_CHECK_OR_RETURN_FALSE(a.strides() == b.strides(),
                           ET_TENSOR_CHECK_PREFIX__
                           ": strides of %zd and %zd dimensions",
                           a.dim(), b.dim());
  return true;
}

}  // namespace

bool tensors_have_same_strides(Tensor a, Tensor b) {
  return same_strides(a, b);
}

bool tensors_have_same_strides(Tensor a, Tensor b, Tensor c) {
  return same_strides(a, b) && same_strides(b, c);
}

bool tensor_is_contiguous(Tensor t) {
  const auto sizes = t.sizes();
  const auto strides = t.strides();
  if (strides.data() == nullptr || t.numel() == 0) {
    return true;
  }
  int64_t expected = 1;
  for (size_t i = sizes.size(); i > 0; --i) {
    ET_CHECK_OR_RETURN_FALSE(
        sizes[i - 1] == 1 || strides[i - 1] == expected,
        "not contiguous: stride %d of dimension %zu instead of %" PRId64,
        strides[i - 1], i - 1, expected);
    expected *= sizes[i - 1];
  }
  return true;
}

bool tensor_has_valid_dim_order(Tensor t) {
  const Order order = order_of(t);
  ET_CHECK_OR_RETURN_FALSE(order.size() == t.sizes().size() &&
                               validate_dim_order(order.data(), order.size()),
                           "the dim order is no permutation of %zd dimensions",
                           t.dim());
  return true;
}

bool tensor_is_default_dim_order(Tensor t) {
  ET_CHECK_OR_RETURN_FALSE(is_default(t), "expected the default dim order");
  return true;
}

bool tensor_is_channels_last_dim_order(Tensor t) {
  ET_CHECK_OR_RETURN_FALSE(is_channels_last(t),
                           "expected the channels last dim order");
  return true;
}

bool tensor_is_default_or_channels_last_dim_order(Tensor t) {
  ET_CHECK_OR_RETURN_FALSE(is_default(t) || is_channels_last(t),
                           "expected the default or the channels last dim "
                           "order");
  return true;
}

bool tensors_have_same_dim_order(const ArrayRef<Tensor> tensors) {
  if (tensors.size() < 2 ||
      std::all_of(tensors.begin(), tensors.end(), is_default) ||
      std::all_of(tensors.begin(), tensors.end(), is_channels_last) ||
      std::any_of(tensors.begin(), tensors.end(), [&](const Tensor& t) {
        return all_have(tensors, order_of(t));
      })) {
    return true;
  }
  ET_LOG(Error, "%zu tensors have different dim orders", tensors.size());
  return false;
}

Error get_dim_order(const Tensor& tensor, DimOrderType* out_dim_order,
                    size_t out_dim_order_size) {
  const Order order = order_of(tensor);
  ET_CHECK_OR_RETURN_ERROR(out_dim_order_size == order.size() &&
                               (out_dim_order != nullptr || order.empty()),
                           InvalidArgument,
                           "room for %zu dimensions, the tensor has %zu",
                           out_dim_order_size, order.size());
  std::copy(order.begin(), order.end(), out_dim_order);
  return Error::Ok;
}

}  // namespace runtime
}  // namespace executorch
