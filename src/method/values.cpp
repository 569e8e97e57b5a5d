// The values of a method as the program describes them, without tensor data.
#include <algorithm>

#include "src/method/build.h"

namespace executorch::method {

using aten::ArrayRef;
using aten::DimOrderType;
using aten::ScalarType;
using aten::SizesType;
using aten::StridesType;
using aten::Tensor;
using aten::TensorImpl;
using aten::TensorShapeDynamism;
using runtime::BoxedEvalueList;
using runtime::Error;

namespace {

// Shapes are copied, as a dynamic tensor changes its own.
struct Shapes {
  Span<SizesType> sizes;
  Span<StridesType> strides;
  Span<DimOrderType> orders;
  size_t used = 0;
};

// A TensorImpl has no default constructor.
struct TensorRoom {
  alignas(TensorImpl) unsigned char bytes[sizeof(TensorImpl)];
};

class Values {
 public:
  explicit Values(Plan& plan) : plan_(plan), stored_(*plan.tables.values()) {}

  Error make() {
    ET_CHECK_OK_OR_RETURN_ERROR(
        method::make(plan_, stored_.size(), &plan_.values));
    ET_CHECK_OK_OR_RETURN_ERROR(
        method::make(plan_, stored_.size(), &plan_.tensors));
    ET_CHECK_OK_OR_RETURN_ERROR(make_room_for_tensors());
    for (size_t i = 0; i < stored_.size(); ++i) {
      ET_CHECK_OK_OR_RETURN_ERROR(make_value(i));
    }
    return Error::Ok;
  }

 private:
  Error make_room_for_tensors() {
    size_t tensors = 0;
    size_t dims = 0;
    for (const fb::EValue* value : stored_) {
      if (const fb::Tensor* tensor = value->val_as_Tensor()) {
        ++tensors;
        dims += tensor->sizes()->size();
      }
    }
    ET_CHECK_OK_OR_RETURN_ERROR(method::make(plan_, tensors, &room_));
    ET_CHECK_OK_OR_RETURN_ERROR(method::make(plan_, dims, &shapes_.sizes));
    ET_CHECK_OK_OR_RETURN_ERROR(method::make(plan_, dims, &shapes_.strides));
    return method::make(plan_, dims, &shapes_.orders);
  }

  Error make_value(size_t index) {
    const fb::EValue& stored = *stored_[index];
    EValue& value = plan_.values[index];
    switch (stored.val_type()) {
      case fb::KernelTypes::Int:
        value = EValue(stored.val_as_Int()->int_val());
        return Error::Ok;
      case fb::KernelTypes::Bool:
        value = EValue(stored.val_as_Bool()->bool_val());
        return Error::Ok;
      case fb::KernelTypes::Double:
        value = EValue(stored.val_as_Double()->double_val());
        return Error::Ok;
      case fb::KernelTypes::Tensor:
        return make_tensor(index, *stored.val_as_Tensor());
      case fb::KernelTypes::String: {
        const auto* text = stored.val_as_String()->string_val();
        return make_view<char>(text->c_str(), text->size(), &value);
      }
      case fb::KernelTypes::DoubleList: {
        const auto* items = stored.val_as_DoubleList()->items();
        return make_view<double>(items->data(), items->size(), &value);
      }
      case fb::KernelTypes::BoolList: {
        const auto* items = stored.val_as_BoolList()->items();
        return make_view<bool>(reinterpret_cast<const bool*>(items->data()),
                               items->size(), &value);
      }
      case fb::KernelTypes::IntList:
        return make_list<int64_t>(*stored.val_as_IntList()->items(), &value);
      case fb::KernelTypes::TensorList:
        return make_list<Tensor>(*stored.val_as_TensorList()->items(), &value);
      case fb::KernelTypes::OptionalTensorList:
        return make_list<std::optional<Tensor>>(
            *stored.val_as_OptionalTensorList()->items(), &value);
      default:
        return Error::Ok;  // None
    }
  }

  Error make_tensor(size_t index, const fb::Tensor& stored) {
    const auto* info = stored.extra_tensor_info();
    ET_CHECK_OR_RETURN_ERROR(
        info == nullptr || info->device_type() == fb::DeviceType::CPU,
        NotSupported,
        "tensor %zu is on device type %d, only the CPU (0) is "
        "supported",
        index, static_cast<int>(info->device_type()));
    const size_t rank = stored.sizes()->size();
    SizesType* sizes = shapes_.sizes.data() + shapes_.used;
    StridesType* strides = shapes_.strides.data() + shapes_.used;
    DimOrderType* order = shapes_.orders.data() + shapes_.used;
    shapes_.used += rank;
    std::copy_n(stored.sizes()->data(), rank, sizes);
    std::copy_n(stored.dim_order()->data(), rank, order);
    StridesType stride = 1;
    for (size_t i = rank; i-- > 0;) {
      strides[order[i]] = stride;
      if (i > 0) {  // the last product may not fit
        stride *= std::max(sizes[order[i]], 1);
      }
    }
    auto* tensor = new (room_[next_tensor_++].bytes)
        TensorImpl(static_cast<ScalarType>(stored.scalar_type()),
                   static_cast<ssize_t>(rank), sizes, nullptr, order, strides,
                   static_cast<TensorShapeDynamism>(stored.shape_dynamism()));
    plan_.tensors[index] = tensor;
    plan_.values[index] = EValue(Tensor(tensor));
    return Error::Ok;
  }

  // A string or list that stays in the program.
  template <class T>
  Error make_view(const T* items, size_t count, EValue* value) {
    Span<ArrayRef<T>> view;
    ET_CHECK_OK_OR_RETURN_ERROR(method::make(plan_, 1, &view));
    view[0] = ArrayRef<T>(items, count);
    *value = EValue(&view[0]);
    return Error::Ok;
  }

  // A list of other values.
  template <class T, class Items>
  Error make_list(const Items& items, EValue* value) {
    const size_t room = std::max<size_t>(items.size(), 1);
    Span<EValue*> elements;
    Span<ListElement<T>> copies;
    Span<BoxedEvalueList<T>> list;
    ET_CHECK_OK_OR_RETURN_ERROR(method::make(plan_, room, &elements));
    ET_CHECK_OK_OR_RETURN_ERROR(method::make(plan_, room, &copies));
    ET_CHECK_OK_OR_RETURN_ERROR(method::make(plan_, 1, &list));
    for (size_t i = 0; i < items.size(); ++i) {
      const int64_t item = items[i];
      elements[i] = item < 0 ? nullptr : &plan_.values[item];
    }
    list[0] = BoxedEvalueList<T>(elements.data(), &copies[0].item,
                                 static_cast<int>(items.size()));
    *value = EValue(&list[0]);
    return Error::Ok;
  }

  // Gives a handle of a tensor a default value.
  template <class T>
  struct ListElement {
    T item{};
  };

  Plan& plan_;
  const flatbuffers::Vector<flatbuffers::Offset<fb::EValue>>& stored_;
  Span<TensorRoom> room_;
  size_t next_tensor_ = 0;
  Shapes shapes_;
};

template <>
struct Values::ListElement<Tensor> {
  Tensor item{nullptr};
};

}  // namespace

Error make_values(Plan& plan) { return Values(plan).make(); }

}  // namespace executorch::method
