// Lists of types, as make_boxed_from_unboxed_functor.h takes a parameter list
// apart.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace executorch {
namespace extension {
namespace kernel_util_internal {

template <class... T>
struct false_t : std::false_type {};

template <class... Items>
struct typelist final {
  typelist() = delete;
};

/// How many types are in the list.
template <class TypeList>
struct size;
template <class... Items>
struct size<typelist<Items...>> final {
  static constexpr size_t value = sizeof...(Items);
};

template <template <class...> class Template, class T>
struct is_instantiation_of : std::false_type {};
template <template <class...> class Template, class... Args>
struct is_instantiation_of<Template, Template<Args...>> : std::true_type {};
template <template <class...> class Template, class T>
using is_instantiation_of_t = typename is_instantiation_of<Template, T>::type;

/// Type number `Index`.
template <size_t Index, class TypeList>
struct element;
template <size_t Index, class... Items>
struct element<Index, typelist<Items...>> final {
  static_assert(Index < sizeof...(Items), "the list has no such element");
  using type = std::tuple_element_t<Index, std::tuple<Items...>>;
};
template <size_t Index, class TypeList>
using element_t = typename element<Index, TypeList>::type;

/// The first type, or `Default` of an empty list.
template <class Default, class TypeList>
struct head_with_default final {
  using type = Default;
};
template <class Default, class Head, class... Tail>
struct head_with_default<Default, typelist<Head, Tail...>> final {
  using type = Head;
};
template <class Default, class TypeList>
using head_with_default_t = typename head_with_default<Default, TypeList>::type;

/// The list without its first `num` types; empty if it has not more.
template <class TypeList, size_t num>
struct drop_if_nonempty {
  using type = TypeList;
};
template <class Head, class... Tail, size_t num>
struct drop_if_nonempty<typelist<Head, Tail...>, num>
    : drop_if_nonempty<typelist<Tail...>, num - 1> {};
template <class Head, class... Tail>
struct drop_if_nonempty<typelist<Head, Tail...>, 0> {
  using type = typelist<Head, Tail...>;
};
template <class TypeList, size_t num>
using drop_if_nonempty_t = typename drop_if_nonempty<TypeList, num>::type;

}  // namespace kernel_util_internal
}  // namespace extension
}  // namespace executorch
