// EValue: a value of any kind that an operator or a method takes or gives.
#pragma once

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/tag.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace executorch {
namespace runtime {

struct EValue;

/// A list whose elements are values of their own, as a program stores lists of
/// integers and tensors: what changes there is seen here. Reading copies the
/// elements into an array that the caller provides; so one list must not be
/// read by two threads at a time. Owns neither values nor array.
template <typename T>
class BoxedEvalueList {
 public:
  BoxedEvalueList() = default;

  /// @param wrapped_vals `size` pointers to the elements; null for a missing
  ///     one of a list of optionals.
  /// @param unwrapped_vals Room for `size` elements; may be uninitialized.
  BoxedEvalueList(EValue** wrapped_vals, T* unwrapped_vals, int size)
      : wrapped_vals_(wrapped_vals, static_cast<size_t>(size)),
        unwrapped_vals_(unwrapped_vals) {
    ET_CHECK(wrapped_vals != nullptr && unwrapped_vals != nullptr && size >= 0);
  }

  /// The elements as they are now; each has to be a T. Valid until the next
  /// call and as long as the array.
  aten::ArrayRef<T> get() const;

  /// The same. InvalidType: an element has another tag; InvalidState: an
  /// element is missing.
  Result<aten::ArrayRef<T>> tryGet() const;

  /// Runs the destructors of the elements in the array.
  void destroy_elements() {
    for (size_t i = 0; i < wrapped_vals_.size(); ++i) {
      unwrapped_vals_[i].~T();
    }
  }

 private:
  aten::ArrayRef<EValue*> wrapped_vals_;
  T* unwrapped_vals_ = nullptr;
};

namespace internal {

// What to<T>() returns: a tensor by reference, all else by value.
template <typename T>
using ToRef = std::conditional_t<std::is_same<T, aten::Tensor>::value, T&, T>;
template <typename T>
using ToConstRef =
    std::conditional_t<std::is_same<T, aten::Tensor>::value, const T&, T>;

// The tags that can be read as a T; bit i stands for Tag i. Enumerations and
// devices travel as an Int.
constexpr uint32_t tag_bit(Tag tag) { return 1u << static_cast<uint32_t>(tag); }
template <typename T>
constexpr uint32_t kTagsOf = tag_bit(Tag::Int);
template <>
inline constexpr uint32_t kTagsOf<double> = tag_bit(Tag::Double);
template <>
inline constexpr uint32_t kTagsOf<bool> = tag_bit(Tag::Bool);
template <>
inline constexpr uint32_t kTagsOf<aten::Scalar> = tag_bit(Tag::Int) |
                                                  tag_bit(Tag::Double) |
                                                  tag_bit(Tag::Bool);
template <>
inline constexpr uint32_t kTagsOf<aten::Tensor> = tag_bit(Tag::Tensor);
template <>
inline constexpr uint32_t kTagsOf<std::string_view> = tag_bit(Tag::String);
template <>
inline constexpr uint32_t kTagsOf<aten::ArrayRef<double>> =
    tag_bit(Tag::ListDouble);
template <>
inline constexpr uint32_t kTagsOf<aten::ArrayRef<bool>> =
    tag_bit(Tag::ListBool);
template <>
inline constexpr uint32_t kTagsOf<aten::ArrayRef<int64_t>> =
    tag_bit(Tag::ListInt);
template <>
inline constexpr uint32_t kTagsOf<aten::ArrayRef<aten::Tensor>> =
    tag_bit(Tag::ListTensor);
template <>
inline constexpr uint32_t kTagsOf<aten::ArrayRef<std::optional<aten::Tensor>>> =
    tag_bit(Tag::ListOptionalTensor);

// Lists whose elements are EValues.
template <typename T>
struct is_boxed_list
    : std::integral_constant<bool, (kTagsOf<T> &
                                    (tag_bit(Tag::ListInt) |
                                     tag_bit(Tag::ListTensor) |
                                     tag_bit(Tag::ListOptionalTensor))) != 0> {
};

template <typename T>
struct is_optional : std::false_type {};
template <typename T>
struct is_optional<std::optional<T>> : std::true_type {};

// What smart pointers and iterators have: `*value` makes an EValue.
template <typename T, typename = void>
struct derefs_to_value : std::false_type {};
template <typename T>
using IfClass = std::enable_if_t<std::is_class<std::decay_t<T>>::value, T>;
template <typename T>
struct derefs_to_value<T, std::void_t<decltype(*std::declval<IfClass<T>>())>>
    : std::is_convertible<decltype(*std::declval<T>()), EValue> {};

// Ends the process.
ET_EXPORT ET_NORETURN void wrong_tag(Tag found, uint32_t expected);

}  // namespace internal

/// A tag and what it says: nothing, a number, a tensor, or a pointer to a
/// string or list that somebody else owns. A tensor is a handle; made from a
/// TensorPtr, the value keeps the tensor alive. A value that was moved from is
/// None.
///
/// toX() needs a value of that kind and ends the process otherwise; tryToX()
/// returns InvalidType instead. Reading one value from several threads is safe
/// unless it is a BoxedEvalueList.
struct ET_EXPORT EValue {
  union Payload {
    union TriviallyCopyablePayload {
      TriviallyCopyablePayload() : as_int(0) {}
      int64_t as_int;
      double as_double;
      bool as_bool;
      aten::ArrayRef<char>* as_string_ptr;
      aten::ArrayRef<double>* as_double_list_ptr;
      aten::ArrayRef<bool>* as_bool_list_ptr;
      BoxedEvalueList<int64_t>* as_int_list_ptr;
      BoxedEvalueList<aten::Tensor>* as_tensor_list_ptr;
      BoxedEvalueList<std::optional<aten::Tensor>>* as_list_optional_tensor_ptr;
    } copyable_union;

    aten::Tensor as_tensor;

    Payload() : copyable_union() {}
  };

  Payload payload;
  Tag tag;

  // ---- Making one ----

  /// None.
  EValue() : tag(Tag::None) {}
  /*implicit*/ EValue(int64_t value) : tag(Tag::Int) {
    payload.copyable_union.as_int = value;
  }
  /*implicit*/ EValue(double value) : tag(Tag::Double) {
    payload.copyable_union.as_double = value;
  }
  /*implicit*/ EValue(bool value) : tag(Tag::Bool) {
    payload.copyable_union.as_bool = value;
  }
  /// An Int, Double or Bool.
  /*implicit*/ EValue(aten::Scalar value)
      : EValue(value.isFloatingPoint() ? EValue(value.to<double>())
               : value.isBoolean()     ? EValue(value.to<bool>())
                                       : EValue(value.to<int64_t>())) {}

  /// The tensor has to outlive the value.
  /*implicit*/ EValue(aten::Tensor value) : tag(Tag::Tensor) {
    payload.as_tensor = value;
  }
  /// Shares the ownership of the tensor; the pointer must not be null.
  /*implicit*/ EValue(std::shared_ptr<aten::Tensor> value) : tag(Tag::Tensor) {
    ET_CHECK_MSG(value != nullptr, "an EValue from a null TensorPtr");
    payload.as_tensor = *value;
    owner_ = std::move(value);
  }

  /// Strings and lists: the value keeps the pointer, which must not be null.
  /*implicit*/ EValue(aten::ArrayRef<char>* value) : tag(Tag::String) {
    payload.copyable_union.as_string_ptr = not_null(value);
  }
  /*implicit*/ EValue(aten::ArrayRef<double>* value) : tag(Tag::ListDouble) {
    payload.copyable_union.as_double_list_ptr = not_null(value);
  }
  /*implicit*/ EValue(aten::ArrayRef<bool>* value) : tag(Tag::ListBool) {
    payload.copyable_union.as_bool_list_ptr = not_null(value);
  }
  /*implicit*/ EValue(BoxedEvalueList<int64_t>* value) : tag(Tag::ListInt) {
    payload.copyable_union.as_int_list_ptr = not_null(value);
  }
  /*implicit*/ EValue(BoxedEvalueList<aten::Tensor>* value)
      : tag(Tag::ListTensor) {
    payload.copyable_union.as_tensor_list_ptr = not_null(value);
  }
  /*implicit*/ EValue(BoxedEvalueList<std::optional<aten::Tensor>>* value)
      : tag(Tag::ListOptionalTensor) {
    payload.copyable_union.as_list_optional_tensor_ptr = not_null(value);
  }

  /// From what points to a value, such as std::unique_ptr<Tensor>; it keeps the
  /// ownership.
  template <typename T,
            std::enable_if_t<internal::derefs_to_value<T>::value, int> = 0>
  /*implicit*/ EValue(T&& value)
      : EValue(static_cast<EValue>(*std::forward<T>(value))) {}
  /// None if there is no value.
  template <typename T,
            std::enable_if_t<std::is_convertible<T, EValue>::value, int> = 0>
  /*implicit*/ EValue(std::optional<T> value)
      : EValue(value ? static_cast<EValue>(*std::move(value)) : EValue()) {}

  /// Other pointers are no values; without these they would become a Bool.
  template <typename T>
  EValue(T* value) = delete;
  template <typename T, typename C>
  EValue(T C::*value) = delete;
  EValue(std::nullptr_t) = delete;

  EValue(const EValue&) = default;
  EValue(EValue&& other) noexcept
      : payload(other.payload),
        tag(other.tag),
        owner_(std::move(other.owner_)) {
    other.clear_to_none();
  }
  EValue& operator=(const EValue&) & = default;
  EValue& operator=(EValue&& other) & noexcept {
    if (this != &other) {
      payload = other.payload;
      tag = other.tag;
      owner_ = std::move(other.owner_);
      other.clear_to_none();
    }
    return *this;
  }
  ~EValue() = default;

  // ---- Asking for the kind ----

  bool isNone() const { return tag == Tag::None; }
  bool isInt() const { return tag == Tag::Int; }
  bool isDouble() const { return tag == Tag::Double; }
  bool isBool() const { return tag == Tag::Bool; }
  bool isScalar() const { return isInt() || isDouble() || isBool(); }
  bool isTensor() const { return tag == Tag::Tensor; }
  bool isString() const { return tag == Tag::String; }
  bool isIntList() const { return tag == Tag::ListInt; }
  bool isBoolList() const { return tag == Tag::ListBool; }
  bool isDoubleList() const { return tag == Tag::ListDouble; }
  bool isTensorList() const { return tag == Tag::ListTensor; }
  bool isListOptionalTensor() const { return tag == Tag::ListOptionalTensor; }

  // ---- Reading ----

  int64_t toInt() const { return read<int64_t>(); }
  double toDouble() const { return read<double>(); }
  bool toBool() const { return read<bool>(); }
  aten::Scalar toScalar() const { return read<aten::Scalar>(); }

  /// The handle of the tensor; moving it out leaves None.
  aten::Tensor& toTensor() & {
    check<aten::Tensor>();
    return payload.as_tensor;
  }
  const aten::Tensor& toTensor() const& {
    check<aten::Tensor>();
    return payload.as_tensor;
  }
  aten::Tensor toTensor() && {
    const aten::Tensor tensor = toTensor();
    clear_to_none();
    return tensor;
  }

  /// Views of what the pointer shows.
  std::string_view toString() const;
  aten::ArrayRef<double> toDoubleList() const;
  aten::ArrayRef<bool> toBoolList() const;
  aten::ArrayRef<int64_t> toIntList() const;
  aten::ArrayRef<aten::Tensor> toTensorList() const;
  aten::ArrayRef<std::optional<aten::Tensor>> toListOptionalTensor() const;

  /// Enumerations travel as an Int; the number is not checked.
  aten::ScalarType toScalarType() const;
  aten::MemoryFormat toMemoryFormat() const;
  aten::Layout toLayout() const;
  /// The device of that kind, of no particular number.
  aten::Device toDevice() const;

  Result<int64_t> tryToInt() const;
  Result<double> tryToDouble() const;
  Result<bool> tryToBool() const;
  Result<aten::Scalar> tryToScalar() const;
  Result<aten::Tensor> tryToTensor() const;
  Result<std::string_view> tryToString() const;
  Result<aten::ArrayRef<double>> tryToDoubleList() const;
  Result<aten::ArrayRef<bool>> tryToBoolList() const;
  Result<aten::ArrayRef<int64_t>> tryToIntList() const;
  Result<aten::ArrayRef<aten::Tensor>> tryToTensorList() const;
  Result<aten::ArrayRef<std::optional<aten::Tensor>>> tryToListOptionalTensor()
      const;
  Result<aten::ScalarType> tryToScalarType() const;
  Result<aten::MemoryFormat> tryToMemoryFormat() const;
  Result<aten::Layout> tryToLayout() const;
  Result<aten::Device> tryToDevice() const;

  /// The same by type. T may be std::optional of a type, which is empty for
  /// None.
  template <typename T>
  internal::ToRef<T> to() & {
    if constexpr (std::is_same<T, aten::Tensor>::value) {
      return toTensor();
    } else {
      return read<T>();
    }
  }
  template <typename T>
  internal::ToConstRef<T> to() const& {
    if constexpr (std::is_same<T, aten::Tensor>::value) {
      return toTensor();
    } else {
      return read<T>();
    }
  }
  template <typename T>
  T to() && {
    if constexpr (std::is_same<T, aten::Tensor>::value) {
      return std::move(*this).toTensor();
    } else {
      return read<T>();
    }
  }

  /// InvalidType: the value, or an element of the list, is of another kind.
  /// InvalidState: the list or an element of it is missing.
  template <typename T>
  Result<T> tryTo() const;

  /// Empty for None, else the value.
  template <typename T>
  std::optional<T> toOptional() const {
    return isNone() ? std::nullopt : std::optional<T>(to<T>());
  }
  template <typename T>
  Result<std::optional<T>> tryToOptional() const {
    return tryTo<std::optional<T>>();
  }

  // Whether the value keeps its tensor alive.
  bool internal_owns() const { return owner_ != nullptr; }

 private:
  template <typename T>
  static T* not_null(T* pointer) {
    ET_CHECK_MSG(pointer != nullptr, "an EValue from a null pointer");
    return pointer;
  }

  template <typename T>
  bool holds() const {
    return (internal::kTagsOf<T> >> static_cast<uint32_t>(tag) & 1u) != 0;
  }
  template <typename T>
  void check() const {
    if ET_UNLIKELY (!holds<T>()) {
      internal::wrong_tag(tag, internal::kTagsOf<T>);
    }
  }

  // The owner stays until the value is assigned or destroyed, so that a handle
  // moved out of a temporary is usable in its expression.
  void clear_to_none() noexcept {
    payload.copyable_union.as_int = 0;
    tag = Tag::None;
  }

  template <typename List>
  const BoxedEvalueList<typename List::value_type>* boxed_list() const {
    if constexpr (std::is_same<List, aten::ArrayRef<int64_t>>::value) {
      return payload.copyable_union.as_int_list_ptr;
    } else if constexpr (std::is_same<List,
                                      aten::ArrayRef<aten::Tensor>>::value) {
      return payload.copyable_union.as_tensor_list_ptr;
    } else {
      return payload.copyable_union.as_list_optional_tensor_ptr;
    }
  }
  // The value as a T; the tag is right.
  template <typename T>
  T get() const;
  // The same with a check; T may be optional.
  template <typename T>
  T read() const {
    if constexpr (internal::is_optional<T>::value) {
      return toOptional<typename T::value_type>();
    } else {
      check<T>();
      return get<T>();
    }
  }

  std::shared_ptr<aten::Tensor> owner_;
};

template <typename T>
T EValue::get() const {
  const auto& value = payload.copyable_union;
  if constexpr (std::is_same<T, int64_t>::value) {
    return value.as_int;
  } else if constexpr (std::is_same<T, double>::value) {
    return value.as_double;
  } else if constexpr (std::is_same<T, bool>::value) {
    return value.as_bool;
  } else if constexpr (std::is_same<T, aten::Scalar>::value) {
    return isDouble() ? T(value.as_double)
           : isInt()  ? T(value.as_int)
                      : T(value.as_bool);
  } else if constexpr (std::is_same<T, aten::Tensor>::value) {
    return payload.as_tensor;
  } else if constexpr (std::is_same<T, std::string_view>::value) {
    return T(value.as_string_ptr->data(), value.as_string_ptr->size());
  } else if constexpr (std::is_same<T, aten::ArrayRef<double>>::value) {
    return *value.as_double_list_ptr;
  } else if constexpr (std::is_same<T, aten::ArrayRef<bool>>::value) {
    return *value.as_bool_list_ptr;
  } else if constexpr (internal::is_boxed_list<T>::value) {
    return boxed_list<T>()->get();
  } else if constexpr (std::is_same<T, aten::Device>::value) {
    return T(static_cast<aten::DeviceType>(value.as_int), -1);
  } else {
    static_assert(std::is_enum<T>::value, "an EValue holds no such type");
    return static_cast<T>(value.as_int);
  }
}

template <typename T>
Result<T> EValue::tryTo() const {
  if constexpr (internal::is_optional<T>::value) {
    if (isNone()) {
      return T();
    }
    auto value = tryTo<typename T::value_type>();
    if (!value.ok()) {
      return value.error();
    }
    return T(*value);
  } else {
    if (!holds<T>()) {
      return Error::InvalidType;
    }
    if constexpr (internal::is_boxed_list<T>::value) {
      return boxed_list<T>()->tryGet();
    } else {
      return get<T>();
    }
  }
}

template <typename T>
aten::ArrayRef<T> BoxedEvalueList<T>::get() const {
  for (size_t i = 0; i < wrapped_vals_.size(); ++i) {
    if constexpr (internal::is_optional<T>::value) {
      if (wrapped_vals_[i] == nullptr) {
        ::new (&unwrapped_vals_[i]) T();
        continue;
      }
    }
    ET_CHECK_MSG(wrapped_vals_[i] != nullptr, "list element %zu is missing", i);
    ::new (&unwrapped_vals_[i]) T(wrapped_vals_[i]->template to<T>());
  }
  return {unwrapped_vals_, wrapped_vals_.size()};
}

template <typename T>
Result<aten::ArrayRef<T>> BoxedEvalueList<T>::tryGet() const {
  for (size_t i = 0; i < wrapped_vals_.size(); ++i) {
    if constexpr (internal::is_optional<T>::value) {
      if (wrapped_vals_[i] == nullptr) {
        ::new (&unwrapped_vals_[i]) T();
        continue;
      }
    }
    if (wrapped_vals_[i] == nullptr) {
      return Error::InvalidState;
    }
    auto value = wrapped_vals_[i]->template tryTo<T>();
    if (!value.ok()) {
      return value.error();
    }
    ::new (&unwrapped_vals_[i]) T(*value);
  }
  return aten::ArrayRef<T>(unwrapped_vals_, wrapped_vals_.size());
}

}  // namespace runtime
}  // namespace executorch
