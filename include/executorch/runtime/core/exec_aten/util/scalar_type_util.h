// Macros that run code for the C++ type that a ScalarType stands for.
//
// All are made of the lists ET_INTERNAL_*_TYPES: a list calls a macro with (C++
// type, name, what was handed through) for each of its types. A new group of
// types is one list and one line per macro that uses it.
#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_traits.h>

// ---- Lists of types ----

// One type by its name.
#define ET_INTERNAL_TYPE(name__, _, ...)               \
  _(::executorch::runtime::ScalarTypeToCppType<        \
        ::executorch::aten::ScalarType::name__>::type, \
    name__, __VA_ARGS__)
#define ET_INTERNAL_INT_TYPES(_, ...) \
  _(uint8_t, Byte, __VA_ARGS__)       \
  _(int8_t, Char, __VA_ARGS__)        \
  _(int16_t, Short, __VA_ARGS__)      \
  _(int32_t, Int, __VA_ARGS__)        \
  _(int64_t, Long, __VA_ARGS__)
#define ET_INTERNAL_UINT_TYPES(_, ...) \
  _(uint16_t, UInt16, __VA_ARGS__)     \
  _(uint32_t, UInt32, __VA_ARGS__)     \
  _(uint64_t, UInt64, __VA_ARGS__)
#define ET_INTERNAL_FLOAT_TYPES(_, ...) \
  _(float, Float, __VA_ARGS__)          \
  _(double, Double, __VA_ARGS__)
#define ET_INTERNAL_REAL_TYPES(_, ...)  \
  ET_INTERNAL_INT_TYPES(_, __VA_ARGS__) \
  ET_INTERNAL_FLOAT_TYPES(_, __VA_ARGS__)
#define ET_INTERNAL_COMPLEX_TYPES(_, ...)        \
  ET_INTERNAL_TYPE(ComplexFloat, _, __VA_ARGS__) \
  ET_INTERNAL_TYPE(ComplexDouble, _, __VA_ARGS__)
#define ET_INTERNAL_COMPLEXH_TYPES(_, ...)      \
  ET_INTERNAL_TYPE(ComplexHalf, _, __VA_ARGS__) \
  ET_INTERNAL_COMPLEX_TYPES(_, __VA_ARGS__)
#define ET_INTERNAL_QINT_TYPES(_, ...)       \
  ET_INTERNAL_TYPE(QInt8, _, __VA_ARGS__)    \
  ET_INTERNAL_TYPE(QUInt8, _, __VA_ARGS__)   \
  ET_INTERNAL_TYPE(QInt32, _, __VA_ARGS__)   \
  ET_INTERNAL_TYPE(QUInt4x2, _, __VA_ARGS__) \
  ET_INTERNAL_TYPE(QUInt2x4, _, __VA_ARGS__)
#define ET_INTERNAL_BITS_TYPES(_, ...)      \
  ET_INTERNAL_TYPE(Bits1x8, _, __VA_ARGS__) \
  ET_INTERNAL_TYPE(Bits2x4, _, __VA_ARGS__) \
  ET_INTERNAL_TYPE(Bits4x2, _, __VA_ARGS__) \
  ET_INTERNAL_TYPE(Bits8, _, __VA_ARGS__)   \
  ET_INTERNAL_TYPE(Bits16, _, __VA_ARGS__)
#define ET_INTERNAL_ALL_TYPES(_, ...)        \
  ET_INTERNAL_REAL_TYPES(_, __VA_ARGS__)     \
  ET_INTERNAL_TYPE(Half, _, __VA_ARGS__)     \
  ET_INTERNAL_TYPE(BFloat16, _, __VA_ARGS__) \
  ET_INTERNAL_TYPE(Bool, _, __VA_ARGS__)     \
  ET_INTERNAL_COMPLEXH_TYPES(_, __VA_ARGS__) \
  ET_INTERNAL_QINT_TYPES(_, __VA_ARGS__)     \
  ET_INTERNAL_BITS_TYPES(_, __VA_ARGS__)

// A list with one, two or three types more.
#define ET_INTERNAL_AND(list__, a__, _, ...) \
  list__(_, __VA_ARGS__) ET_INTERNAL_TYPE(a__, _, __VA_ARGS__)
#define ET_INTERNAL_AND2(list__, a__, b__, _, ...) \
  ET_INTERNAL_AND(list__, a__, _, __VA_ARGS__)     \
  ET_INTERNAL_TYPE(b__, _, __VA_ARGS__)
#define ET_INTERNAL_AND3(list__, a__, b__, c__, _, ...) \
  ET_INTERNAL_AND2(list__, a__, b__, _, __VA_ARGS__)    \
  ET_INTERNAL_TYPE(c__, _, __VA_ARGS__)

// ---- ET_FORALL_*(_): calls _(C++ type, name) per type. WITH and WITH2 put one
// or two arguments before these ----

#define ET_INTERNAL_EACH(type__, name__, _) _(type__, name__)
#define ET_INTERNAL_EACH_WITH(type__, name__, _, x__) _(x__, type__, name__)
#define ET_INTERNAL_EACH_WITH2(type__, name__, _, x__, y__) \
  _(x__, y__, type__, name__)

#define ET_FORALL_INT_TYPES(_) ET_INTERNAL_INT_TYPES(ET_INTERNAL_EACH, _)
#define ET_FORALL_INT_TYPES_AND(t, _) \
  ET_INTERNAL_AND(ET_INTERNAL_INT_TYPES, t, ET_INTERNAL_EACH, _)
#define ET_FORALL_INT_TYPES_WITH(x, _) \
  ET_INTERNAL_INT_TYPES(ET_INTERNAL_EACH_WITH, _, x)
#define ET_FORALL_INT_TYPES_WITH2(x, y, _) \
  ET_INTERNAL_INT_TYPES(ET_INTERNAL_EACH_WITH2, _, x, y)

#define ET_FORALL_FLOAT_TYPES(_) ET_INTERNAL_FLOAT_TYPES(ET_INTERNAL_EACH, _)
#define ET_FORALL_FLOAT_TYPES_AND(t, _) \
  ET_INTERNAL_AND(ET_INTERNAL_FLOAT_TYPES, t, ET_INTERNAL_EACH, _)
#define ET_FORALL_FLOAT_TYPES_AND2(t, u, _) \
  ET_INTERNAL_AND2(ET_INTERNAL_FLOAT_TYPES, t, u, ET_INTERNAL_EACH, _)
#define ET_FORALL_FLOATH_TYPES(_) ET_FORALL_FLOAT_TYPES_AND(Half, _)
#define ET_FORALL_FLOATHBF16_TYPES(_) \
  ET_FORALL_FLOAT_TYPES_AND2(Half, BFloat16, _)
#define ET_FORALL_FLOAT_TYPES_WITH(x, _) \
  ET_INTERNAL_FLOAT_TYPES(ET_INTERNAL_EACH_WITH, _, x)
#define ET_FORALL_FLOATH_TYPES_WITH(x, _) \
  ET_INTERNAL_AND(ET_INTERNAL_FLOAT_TYPES, Half, ET_INTERNAL_EACH_WITH, _, x)
#define ET_FORALL_FLOAT_TYPES_WITH2(x, y, _) \
  ET_INTERNAL_FLOAT_TYPES(ET_INTERNAL_EACH_WITH2, _, x, y)
#define ET_FORALL_FLOATHBF16_TYPES_WITH2(x, y, _)           \
  ET_INTERNAL_AND2(ET_INTERNAL_FLOAT_TYPES, Half, BFloat16, \
                   ET_INTERNAL_EACH_WITH2, _, x, y)

#define ET_FORALL_REAL_TYPES(_) ET_INTERNAL_REAL_TYPES(ET_INTERNAL_EACH, _)
#define ET_FORALL_REAL_TYPES_AND(t, _) \
  ET_INTERNAL_AND(ET_INTERNAL_REAL_TYPES, t, ET_INTERNAL_EACH, _)
#define ET_FORALL_REAL_TYPES_AND2(t, u, _) \
  ET_INTERNAL_AND2(ET_INTERNAL_REAL_TYPES, t, u, ET_INTERNAL_EACH, _)
#define ET_FORALL_REAL_TYPES_AND3(t, u, v, _) \
  ET_INTERNAL_AND3(ET_INTERNAL_REAL_TYPES, t, u, v, ET_INTERNAL_EACH, _)
#define ET_FORALL_REALH_TYPES(_) ET_FORALL_REAL_TYPES_AND(Half, _)
#define ET_FORALL_REALHBF16_TYPES(_) \
  ET_FORALL_REAL_TYPES_AND2(Half, BFloat16, _)
#define ET_FORALL_REALHBBF16_TYPES(_) \
  ET_FORALL_REAL_TYPES_AND3(Bool, Half, BFloat16, _)
#define ET_FORALL_REAL_TYPES_WITH(x, _) \
  ET_INTERNAL_REAL_TYPES(ET_INTERNAL_EACH_WITH, _, x)
#define ET_FORALL_REAL_TYPES_AND_WITH(t, x, _) \
  ET_INTERNAL_AND(ET_INTERNAL_REAL_TYPES, t, ET_INTERNAL_EACH_WITH, _, x)
#define ET_FORALL_REAL_TYPES_WITH2(x, y, _) \
  ET_INTERNAL_REAL_TYPES(ET_INTERNAL_EACH_WITH2, _, x, y)
#define ET_FORALL_REALHBF16_TYPES_WITH2(x, y, _)           \
  ET_INTERNAL_AND2(ET_INTERNAL_REAL_TYPES, Half, BFloat16, \
                   ET_INTERNAL_EACH_WITH2, _, x, y)
#define ET_FORALL_REALHBBF16_TYPES_WITH2(x, y, _)                \
  ET_INTERNAL_AND3(ET_INTERNAL_REAL_TYPES, Half, BFloat16, Bool, \
                   ET_INTERNAL_EACH_WITH2, _, x, y)

#define ET_FORALL_QINT_TYPES(_) ET_INTERNAL_QINT_TYPES(ET_INTERNAL_EACH, _)
#define ET_FORALL_COMPLEX_TYPES(_) \
  ET_INTERNAL_COMPLEX_TYPES(ET_INTERNAL_EACH, _)
#define ET_FORALL_COMPLEXH_TYPES(_) \
  ET_INTERNAL_COMPLEXH_TYPES(ET_INTERNAL_EACH, _)

// ---- ET_SWITCH_*(type, context, name, ALIAS, [&] { ... }): runs the lambda
// with ALIAS standing for the C++ type of `type`. A type that is not in the
// list fails the context with InvalidArgument and logs `name` ----

#define ET_INTERNAL_CASE(type__, name__, alias__, ...) \
  case ::executorch::aten::ScalarType::name__: {       \
    using alias__ [[maybe_unused]] = type__;           \
    return __VA_ARGS__();                              \
  }

#define ET_INTERNAL_SWITCH(type__, context__, name__, ...)             \
  [&] {                                                                \
    const ::executorch::aten::ScalarType et_type__ = type__;           \
    switch (et_type__) {                                               \
      __VA_ARGS__                                                      \
      default:                                                         \
        context__.fail(::executorch::runtime::Error::InvalidArgument); \
        ET_LOG(Error, "Unhandled dtype %s for %s",                     \
               ::executorch::runtime::toString(et_type__), name__);    \
    }                                                                  \
  }()

#define ET_SWITCH_ALL_TYPES(type, ctx, name, alias, ...) \
  ET_INTERNAL_SWITCH(                                    \
      type, ctx, name,                                   \
      ET_INTERNAL_ALL_TYPES(ET_INTERNAL_CASE, alias, __VA_ARGS__))
#define ET_SWITCH_REAL_TYPES(type, ctx, name, alias, ...) \
  ET_INTERNAL_SWITCH(                                     \
      type, ctx, name,                                    \
      ET_INTERNAL_REAL_TYPES(ET_INTERNAL_CASE, alias, __VA_ARGS__))
#define ET_SWITCH_REAL_TYPES_AND(t, type, ctx, name, alias, ...) \
  ET_INTERNAL_SWITCH(type, ctx, name,                            \
                     ET_INTERNAL_AND(ET_INTERNAL_REAL_TYPES, t,  \
                                     ET_INTERNAL_CASE, alias, __VA_ARGS__))
#define ET_SWITCH_REAL_TYPES_AND2(t, u, type, ctx, name, alias, ...) \
  ET_INTERNAL_SWITCH(type, ctx, name,                                \
                     ET_INTERNAL_AND2(ET_INTERNAL_REAL_TYPES, t, u,  \
                                      ET_INTERNAL_CASE, alias, __VA_ARGS__))
#define ET_SWITCH_REAL_TYPES_AND3(t, u, v, type, ctx, name, alias, ...) \
  ET_INTERNAL_SWITCH(type, ctx, name,                                   \
                     ET_INTERNAL_AND3(ET_INTERNAL_REAL_TYPES, t, u, v,  \
                                      ET_INTERNAL_CASE, alias, __VA_ARGS__))
#define ET_SWITCH_REALH_TYPES(type, ctx, name, alias, ...) \
  ET_SWITCH_REAL_TYPES_AND(Half, type, ctx, name, alias, __VA_ARGS__)
#define ET_SWITCH_REALB_TYPES(type, ctx, name, alias, ...) \
  ET_SWITCH_REAL_TYPES_AND(Bool, type, ctx, name, alias, __VA_ARGS__)
#define ET_SWITCH_REALHB_TYPES(type, ctx, name, alias, ...) \
  ET_SWITCH_REAL_TYPES_AND2(Half, Bool, type, ctx, name, alias, __VA_ARGS__)
#define ET_SWITCH_REALHBF16_TYPES(type, ctx, name, alias, ...) \
  ET_SWITCH_REAL_TYPES_AND2(Half, BFloat16, type, ctx, name, alias, __VA_ARGS__)
#define ET_SWITCH_REALHBBF16_TYPES(type, ctx, name, alias, ...)           \
  ET_SWITCH_REAL_TYPES_AND3(Half, Bool, BFloat16, type, ctx, name, alias, \
                            __VA_ARGS__)
#define ET_SWITCH_REALHBBF16_AND_UINT_TYPES(type, ctx, name, alias, ...) \
  ET_INTERNAL_SWITCH(                                                    \
      type, ctx, name,                                                   \
      ET_INTERNAL_AND3(ET_INTERNAL_REAL_TYPES, Half, Bool, BFloat16,     \
                       ET_INTERNAL_CASE, alias, __VA_ARGS__)             \
          ET_INTERNAL_UINT_TYPES(ET_INTERNAL_CASE, alias, __VA_ARGS__))

#define ET_SWITCH_INT_TYPES(type, ctx, name, alias, ...) \
  ET_INTERNAL_SWITCH(                                    \
      type, ctx, name,                                   \
      ET_INTERNAL_INT_TYPES(ET_INTERNAL_CASE, alias, __VA_ARGS__))
#define ET_SWITCH_INT_TYPES_AND(t, type, ctx, name, alias, ...) \
  ET_INTERNAL_SWITCH(type, ctx, name,                           \
                     ET_INTERNAL_AND(ET_INTERNAL_INT_TYPES, t,  \
                                     ET_INTERNAL_CASE, alias, __VA_ARGS__))

#define ET_SWITCH_FLOAT_TYPES(type, ctx, name, alias, ...) \
  ET_INTERNAL_SWITCH(                                      \
      type, ctx, name,                                     \
      ET_INTERNAL_FLOAT_TYPES(ET_INTERNAL_CASE, alias, __VA_ARGS__))
#define ET_SWITCH_FLOAT_TYPES_AND(t, type, ctx, name, alias, ...) \
  ET_INTERNAL_SWITCH(type, ctx, name,                             \
                     ET_INTERNAL_AND(ET_INTERNAL_FLOAT_TYPES, t,  \
                                     ET_INTERNAL_CASE, alias, __VA_ARGS__))
#define ET_SWITCH_FLOAT_TYPES_AND2(t, u, type, ctx, name, alias, ...) \
  ET_INTERNAL_SWITCH(type, ctx, name,                                 \
                     ET_INTERNAL_AND2(ET_INTERNAL_FLOAT_TYPES, t, u,  \
                                      ET_INTERNAL_CASE, alias, __VA_ARGS__))
#define ET_SWITCH_FLOAT_TYPES_AND3(t, u, v, type, ctx, name, alias, ...) \
  ET_INTERNAL_SWITCH(type, ctx, name,                                    \
                     ET_INTERNAL_AND3(ET_INTERNAL_FLOAT_TYPES, t, u, v,  \
                                      ET_INTERNAL_CASE, alias, __VA_ARGS__))
#define ET_SWITCH_FLOATH_TYPES(type, ctx, name, alias, ...) \
  ET_SWITCH_FLOAT_TYPES_AND(Half, type, ctx, name, alias, __VA_ARGS__)
#define ET_SWITCH_FLOATHBF16_TYPES(type, ctx, name, alias, ...)      \
  ET_SWITCH_FLOAT_TYPES_AND2(Half, BFloat16, type, ctx, name, alias, \
                             __VA_ARGS__)
#define ET_SWITCH_FLOATHBF16_TYPES_AND(t, type, ctx, name, alias, ...)  \
  ET_SWITCH_FLOAT_TYPES_AND3(Half, BFloat16, t, type, ctx, name, alias, \
                             __VA_ARGS__)

#define ET_SWITCH_QINT_TYPES(type, ctx, name, alias, ...) \
  ET_INTERNAL_SWITCH(                                     \
      type, ctx, name,                                    \
      ET_INTERNAL_QINT_TYPES(ET_INTERNAL_CASE, alias, __VA_ARGS__))
#define ET_SWITCH_COMPLEX_TYPES(type, ctx, name, alias, ...) \
  ET_INTERNAL_SWITCH(                                        \
      type, ctx, name,                                       \
      ET_INTERNAL_COMPLEX_TYPES(ET_INTERNAL_CASE, alias, __VA_ARGS__))
#define ET_SWITCH_COMPLEXH_TYPES(type, ctx, name, alias, ...) \
  ET_INTERNAL_SWITCH(                                         \
      type, ctx, name,                                        \
      ET_INTERNAL_COMPLEXH_TYPES(ET_INTERNAL_CASE, alias, __VA_ARGS__))

/// The types that a Scalar holds.
#define ET_SWITCH_SCALAR_OBJ_TYPES(type, ctx, name, alias, ...) \
  ET_SWITCH_THREE_TYPES(Bool, Long, Double, type, ctx, name, alias, __VA_ARGS__)
#define ET_SWITCH_SCALAR_OBJ_REAL_TYPES(type, ctx, name, alias, ...) \
  ET_SWITCH_TWO_TYPES(Long, Double, type, ctx, name, alias, __VA_ARGS__)
#define ET_SWITCH_SCALAR_OBJ_INTB_TYPES(type, ctx, name, alias, ...) \
  ET_SWITCH_TWO_TYPES(Bool, Long, type, ctx, name, alias, __VA_ARGS__)
#define ET_SWITCH_SCALAR_OBJ_FLOATB_TYPES(type, ctx, name, alias, ...) \
  ET_SWITCH_TWO_TYPES(Bool, Double, type, ctx, name, alias, __VA_ARGS__)

/// The types that are named.
#define ET_SWITCH_TWO_TYPES(t, u, type, ctx, name, alias, ...)  \
  ET_INTERNAL_SWITCH(                                           \
      type, ctx, name,                                          \
      ET_INTERNAL_TYPE(t, ET_INTERNAL_CASE, alias, __VA_ARGS__) \
          ET_INTERNAL_TYPE(u, ET_INTERNAL_CASE, alias, __VA_ARGS__))
#define ET_SWITCH_THREE_TYPES(t, u, v, type, ctx, name, alias, ...) \
  ET_INTERNAL_SWITCH(                                               \
      type, ctx, name,                                              \
      ET_INTERNAL_TYPE(t, ET_INTERNAL_CASE, alias, __VA_ARGS__)     \
          ET_INTERNAL_TYPE(u, ET_INTERNAL_CASE, alias, __VA_ARGS__) \
              ET_INTERNAL_TYPE(v, ET_INTERNAL_CASE, alias, __VA_ARGS__))
#define ET_SWITCH_FOUR_TYPES(t, u, v, w, type, ctx, name, alias, ...)   \
  ET_INTERNAL_SWITCH(                                                   \
      type, ctx, name,                                                  \
      ET_INTERNAL_TYPE(t, ET_INTERNAL_CASE, alias, __VA_ARGS__)         \
          ET_INTERNAL_TYPE(u, ET_INTERNAL_CASE, alias, __VA_ARGS__)     \
              ET_INTERNAL_TYPE(v, ET_INTERNAL_CASE, alias, __VA_ARGS__) \
                  ET_INTERNAL_TYPE(w, ET_INTERNAL_CASE, alias, __VA_ARGS__))
