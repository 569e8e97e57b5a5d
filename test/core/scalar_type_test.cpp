// Element types: promotion against PyTorch's table, sizes, names, switches.
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/core/portable_type/scalar.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace executorch::runtime {
namespace {

using aten::ScalarType;

constexpr int kNumTypes = static_cast<int>(ScalarType::Undefined);

ScalarType by_name(const std::string& name) {
  for (int i = 0; i <= kNumTypes; ++i) {
    if (name == toString(static_cast<ScalarType>(i))) {
      return static_cast<ScalarType>(i);
    }
  }
  ADD_FAILURE() << "no type is called " << name;
  return ScalarType::Undefined;
}

struct Pair {
  ScalarType a, b, promoted;
};

std::vector<Pair> read_table() {
  std::ifstream file(ET_TEST_DATA_DIR "/core/promote_types.tsv");
  std::vector<Pair> pairs;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') {
      continue;
    }
    std::istringstream columns(line);
    std::string a, b, promoted;
    columns >> a >> b >> promoted;
    pairs.push_back({by_name(a), by_name(b), by_name(promoted)});
  }
  return pairs;
}

TEST(ScalarTypeTest, PromotesAsPyTorch) {
  const std::vector<Pair> pairs = read_table();
  ASSERT_EQ(pairs.size(), 400u);
  for (const Pair& p : pairs) {
    EXPECT_EQ(promoteTypes(p.a, p.b), p.promoted)
        << toString(p.a) << " and " << toString(p.b) << " give "
        << toString(promoteTypes(p.a, p.b));
    const bool half =
        p.promoted == ScalarType::Half || p.promoted == ScalarType::BFloat16;
    EXPECT_EQ(promoteTypes(p.a, p.b, true),
              half ? ScalarType::Float : p.promoted);
  }
}

TEST(ScalarTypeTest, PromotionIsTotal) {
  for (int a = -128; a < 128; ++a) {
    for (int b = -128; b < 128; ++b) {
      const ScalarType type =
          promoteTypes(static_cast<ScalarType>(a), static_cast<ScalarType>(b));
      EXPECT_TRUE(isValid(type) || type == ScalarType::Undefined);
    }
  }
}

TEST(ScalarTypeTest, KindsDoNotOverlap) {
  for (int i = 0; i < kNumTypes; ++i) {
    const auto type = static_cast<ScalarType>(i);
    const int kinds = isIntegralType(type, true) + isFloatingType(type) +
                      isComplexType(type) + isQIntType(type) +
                      isBitsType(type) + isFloat8Type(type) +
                      isBarebonesUnsignedType(type);
    EXPECT_EQ(kinds, 1) << toString(type);
  }
}

// Fails as a KernelRuntimeContext does.
struct Context {
  Error error = Error::Ok;
  void fail(Error e) { error = e; }
};

// Which types a switch takes.
template <class Switch>
std::string taken(Switch&& run) {
  std::string names;
  for (int i = 0; i < kNumTypes; ++i) {
    Context context;
    const auto type = static_cast<ScalarType>(i);
    size_t size = 0;
    run(type, context, size);
    if (context.error == Error::Ok) {
      EXPECT_EQ(size, elementSize(type)) << toString(type);
      names += std::string(toString(type)) + " ";
    } else {
      EXPECT_EQ(context.error, Error::InvalidArgument);
    }
  }
  return names;
}

#define TAKEN(switch__, ...)                                  \
  taken([](ScalarType type, Context& context, size_t& size) { \
    switch__(__VA_ARGS__ type, context, "test", CTYPE,        \
             [&] { size = sizeof(CTYPE); });                  \
  })
#define WITH(...) __VA_ARGS__,

TEST(ScalarTypeTest, SwitchesTakeTheirTypes) {
  const std::string ints = "Byte Char Short Int Long ";
  EXPECT_EQ(TAKEN(ET_SWITCH_INT_TYPES, ), ints);
  EXPECT_EQ(TAKEN(ET_SWITCH_INT_TYPES_AND, WITH(Bool)), ints + "Bool ");
  EXPECT_EQ(TAKEN(ET_SWITCH_REAL_TYPES, ), ints + "Float Double ");
  EXPECT_EQ(TAKEN(ET_SWITCH_REALH_TYPES, ), ints + "Half Float Double ");
  EXPECT_EQ(TAKEN(ET_SWITCH_REALB_TYPES, ), ints + "Float Double Bool ");
  EXPECT_EQ(TAKEN(ET_SWITCH_REALHB_TYPES, ), ints + "Half Float Double Bool ");
  EXPECT_EQ(TAKEN(ET_SWITCH_REALHBF16_TYPES, ),
            ints + "Half Float Double BFloat16 ");
  EXPECT_EQ(TAKEN(ET_SWITCH_REALHBBF16_TYPES, ),
            ints + "Half Float Double Bool BFloat16 ");
  EXPECT_EQ(TAKEN(ET_SWITCH_REALHBBF16_AND_UINT_TYPES, ),
            ints + "Half Float Double Bool BFloat16 UInt16 UInt32 UInt64 ");
  EXPECT_EQ(TAKEN(ET_SWITCH_FLOAT_TYPES, ), "Float Double ");
  EXPECT_EQ(TAKEN(ET_SWITCH_FLOATH_TYPES, ), "Half Float Double ");
  EXPECT_EQ(TAKEN(ET_SWITCH_FLOATHBF16_TYPES, ), "Half Float Double BFloat16 ");
  EXPECT_EQ(TAKEN(ET_SWITCH_FLOATHBF16_TYPES_AND, WITH(Bool)),
            "Half Float Double Bool BFloat16 ");
  EXPECT_EQ(TAKEN(ET_SWITCH_COMPLEX_TYPES, ), "ComplexFloat ComplexDouble ");
  EXPECT_EQ(TAKEN(ET_SWITCH_COMPLEXH_TYPES, ),
            "ComplexHalf ComplexFloat ComplexDouble ");
  EXPECT_EQ(TAKEN(ET_SWITCH_QINT_TYPES, ),
            "QInt8 QUInt8 QInt32 QUInt4x2 QUInt2x4 ");
  EXPECT_EQ(TAKEN(ET_SWITCH_SCALAR_OBJ_TYPES, ), "Long Double Bool ");
  EXPECT_EQ(TAKEN(ET_SWITCH_TWO_TYPES, WITH(Int, UInt64)), "Int UInt64 ");
  EXPECT_EQ(TAKEN(ET_SWITCH_THREE_TYPES, WITH(Int, Half, Byte)),
            "Byte Int Half ");
  EXPECT_EQ(TAKEN(ET_SWITCH_FOUR_TYPES, WITH(Int, Half, Byte, Bool)),
            "Byte Int Half Bool ");
  EXPECT_EQ(TAKEN(ET_SWITCH_ALL_TYPES, ),
            ints +
                "Half Float Double ComplexHalf ComplexFloat ComplexDouble Bool "
                "QInt8 QUInt8 QInt32 BFloat16 QUInt4x2 QUInt2x4 Bits1x8 "
                "Bits2x4 Bits4x2 Bits8 Bits16 ");
}

TEST(ScalarTypeTest, SwitchesNest) {
  Context context;
  const auto size = [&](ScalarType a, ScalarType b) {
    size_t sum = 0;
    ET_SWITCH_REAL_TYPES(a, context, "outer", A, [&] {
      ET_SWITCH_REAL_TYPES(b, context, "inner", B,
                           [&] { sum = sizeof(A) * 10 + sizeof(B); });
    });
    return sum;
  };
  EXPECT_EQ(size(ScalarType::Long, ScalarType::Char), 81u);
  EXPECT_EQ(context.error, Error::Ok);
}

TEST(ScalarTypeTest, ForallListsHaveTheirTypes) {
#define PRINT(type__, name__) names += #name__ " ";
#define PRINT_WITH2(x__, y__, type__, name__) names += #x__ #y__ #name__ " ";
  std::string names;
  ET_FORALL_FLOATHBF16_TYPES(PRINT)
  EXPECT_EQ(names, "Float Double Half BFloat16 ");
  names.clear();
  ET_FORALL_REALHBBF16_TYPES(PRINT)
  EXPECT_EQ(names, "Byte Char Short Int Long Float Double Bool Half BFloat16 ");
  names.clear();
  ET_FORALL_REALHBBF16_TYPES_WITH2(x, y, PRINT_WITH2)
  EXPECT_EQ(names,
            "xyByte xyChar xyShort xyInt xyLong xyFloat xyDouble xyHalf "
            "xyBFloat16 xyBool ");
#undef PRINT
#undef PRINT_WITH2
}

TEST(ScalarTest, ConvertsWithoutAborting) {
  struct {
    aten::ScalarType kind;
    etensor::Scalar scalar;
    int64_t as_int;
    double as_double;
    bool as_bool;
  } const cases[] = {
      {ScalarType::Long, 7, 7, 7.0, true},
      {ScalarType::Double, 2.9, 2, 2.9, true},
      {ScalarType::Double, -2.9, -2, -2.9, true},
      {ScalarType::Double, 1e300, INT64_MAX, 1e300, true},
      {ScalarType::Double, -1e300, INT64_MIN, -1e300, true},
      {ScalarType::Bool, true, 1, 1.0, true},
      {ScalarType::Bool, false, 0, 0.0, false},
      {ScalarType::Long, uint8_t{200}, 200, 200.0, true},
      {ScalarType::Double, etensor::Half(0.5f), 0, 0.5, true},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(c.scalar.to<int64_t>(), c.as_int);
    EXPECT_EQ(c.scalar.to<double>(), c.as_double);
    EXPECT_EQ(c.scalar.to<bool>(), c.as_bool);
    EXPECT_EQ(c.scalar.isBoolean(), c.kind == ScalarType::Bool);
    EXPECT_EQ(c.scalar.isFloatingPoint(), c.kind == ScalarType::Double);
    EXPECT_EQ(c.scalar.isIntegral(false), c.kind == ScalarType::Long);
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(etensor::Scalar(nan).to<int64_t>(), 0);
}

}  // namespace
}  // namespace executorch::runtime
