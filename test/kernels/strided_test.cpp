// Strided copies against a loop over all indices.
#include "kernels/common/strided.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

namespace executorch::kernels {
namespace {

struct Case {
  const char* name;
  std::vector<int64_t> sizes;
  std::vector<int> order;  // of the dimensions of the source in its memory
};

const Case kCases[] = {
    {"scalar", {}, {}},
    {"plain", {70, 3, 5}, {0, 1, 2}},
    {"empty", {4, 0, 3}, {2, 1, 0}},
    {"small_matrix", {3, 5}, {1, 0}},
    {"odd_matrix", {67, 129}, {1, 0}},
    {"matrix_for_threads", {700, 513}, {1, 0}},
    {"channels_last", {2, 5, 17, 19}, {0, 2, 3, 1}},
    {"heads", {3, 40, 7, 24}, {0, 2, 1, 3}},
    {"pairs", {31, 33, 2}, {1, 0, 2}},
    {"reversed", {9, 10, 11, 12}, {3, 2, 1, 0}},
    {"ones", {1, 6, 1, 7, 1}, {4, 3, 2, 1, 0}},
    {"many", {2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, {9, 0, 8, 1, 7, 2, 6, 3, 5, 4}},
};

ConstView source(const Case& c, const std::vector<char>& bytes, int64_t item) {
  ConstView v(bytes.data(), item);
  v.reshape(c.sizes.data(), static_cast<int>(c.sizes.size()));
  int64_t stride = item;
  for (size_t i = c.order.size(); i-- > 0;) {
    v.strides[c.order[i]] = stride;
    stride *= v.sizes[c.order[i]];
  }
  return v;
}

// Item number `n` of a view in logical order.
template <class V>
auto* item_at(const V& v, int64_t n) {
  auto* p = v.data;
  for (int d = v.dims - 1; d >= 0; --d) {
    p += n % v.sizes[d] * v.strides[d];
    n /= v.sizes[d];
  }
  return p;
}

std::vector<char> random_bytes(int64_t count) {
  std::mt19937 random(7);
  std::vector<char> bytes(count);
  for (char& b : bytes) {
    b = static_cast<char>(random());
  }
  return bytes;
}

void expect_copied(const View& dst, const ConstView& src, const char* what) {
  copy(dst, src);
  for (int64_t n = 0; n < src.numel(); ++n) {
    ASSERT_EQ(std::memcmp(item_at(dst, n), item_at(src, n), src.item), 0)
        << what << ", item of " << src.item << " bytes, number " << n;
  }
}

TEST(Strided, CopiesAnyOrderOfAnyItem) {
  for (const Case& c : kCases) {
    for (const int64_t item : {1, 2, 4, 8, 16}) {
      const int64_t bytes = source(c, {}, item).numel() * item;
      const std::vector<char> from = random_bytes(bytes);
      const ConstView src = source(c, from, item);
      std::vector<char> to(bytes);
      View dst(to.data(), item);
      dst.reshape(c.sizes.data(), src.dims);
      expect_copied(dst, src, c.name);
    }
  }
}

TEST(Strided, CopiesSlicesFlipsAndRepeats) {
  const std::vector<char> from = random_bytes(40 * 50 * 4);
  const int64_t sizes[] = {40, 50};
  ConstView src(from.data(), 4);
  src.reshape(sizes, 2);
  src.slice(0, 3, 12, 3);
  src.flip(1);
  src.insert(1, 5, 0);
  std::vector<char> to(20 * 7 * 60 * 4, 'x');
  const int64_t whole[] = {20, 7, 60};
  View dst(to.data(), 4);
  dst.reshape(whole, 3);
  dst.slice(0, 1, 12);
  dst.slice(1, 2, 5);
  dst.slice(2, 10, 50);
  const std::vector<char> before = to;
  expect_copied(dst, src, "slices");

  // Nothing beside the part has changed.
  ConstView part = dst;
  part.data = before.data() + (dst.data - to.data());
  copy(dst, part);
  EXPECT_EQ(to, before);
}

TEST(Strided, FillsWithItemsOfOneOrMoreBytes) {
  std::vector<int32_t> to(3 * 5000, 1);
  const int64_t sizes[] = {3, 5000};
  View dst(reinterpret_cast<char*>(to.data()), 4);
  dst.reshape(sizes, 2);
  dst.slice(1, 1, 4998);
  for (const int32_t value : {0, -1, 0x01020304}) {
    fill(dst, &value);
    for (int64_t n = 0; n < dst.numel(); ++n) {
      ASSERT_EQ(std::memcmp(item_at(dst, n), &value, 4), 0);
    }
  }
  EXPECT_EQ(to[0], 1);
  EXPECT_EQ(to[4999], 1);
}

TEST(Strided, CopiesFlatRangesOfDifferentShapes) {
  const std::vector<char> from = random_bytes(6 * 10 * 2);
  const Case transposed = {"", {6, 10}, {1, 0}};
  const ConstView src = source(transposed, from, 2);
  std::vector<char> to(from.size());
  const int64_t sizes[] = {4, 15};
  View dst(to.data(), 2);
  dst.reshape(sizes, 2);
  copy_flat(dst, 7, src, 0, 53);
  copy_flat(dst, 0, src, 53, 7);
  for (int64_t n = 0; n < 60; ++n) {
    ASSERT_EQ(std::memcmp(item_at(dst, (n + 7) % 60), item_at(src, n), 2), 0);
  }
}

TEST(Strided, ConvertsWhileCopying) {
  const std::vector<float> from = {1.5f, -2, 300, 4, 5, 6};
  const int64_t sizes[] = {3, 2};
  ConstView src(reinterpret_cast<const char*>(from.data()), 4);
  src.reshape(sizes, 2);
  src.swap(0, 1);
  std::vector<int16_t> to(6);
  const int64_t swapped[] = {2, 3};
  View dst(reinterpret_cast<char*>(to.data()), 2);
  dst.reshape(swapped, 2);
  copy(dst, aten::ScalarType::Short, src, aten::ScalarType::Float);
  EXPECT_EQ(to, (std::vector<int16_t>{1, 300, 5, -2, 4, 6}));
}

}  // namespace
}  // namespace executorch::kernels
