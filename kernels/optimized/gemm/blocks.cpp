#include "kernels/optimized/gemm/blocks.h"

#include <executorch/runtime/kernel/thread_parallel_interface.h>

#include <algorithm>

namespace executorch::kernels::gemm {
namespace {

// Of a block, at most.
constexpr int64_t kRows = 256;
constexpr int64_t kColumns = 512;

int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

Blocks cut(const Panels& rows, const Panels& columns, int64_t row_blocks,
           int64_t column_blocks) {
  Blocks b;
  b.row_panels = divide_up(rows.count, row_blocks);
  b.column_panels = divide_up(columns.count, column_blocks);
  b.row_blocks = divide_up(rows.count, b.row_panels);
  b.column_blocks = divide_up(columns.count, b.column_panels);
  return b;
}

// About the time until all blocks are done, in items of an operand that a
// thread takes from its second level cache.
double time(const Blocks& b, int64_t batch, int64_t threads, const Panels& rows,
            const Panels& columns) {
  constexpr double kMacsPerItem = 16;
  const double m = double(b.row_panels * rows.width());
  const double n = double(b.column_panels * columns.width());
  const double products = m * n / kMacsPerItem;
  const int64_t turns =
      divide_up(batch * b.row_blocks * b.column_blocks, threads);
  // A thread that comes late leaves its work to the others.
  const double late = products / 2;
  return double(turns) * (products + m + n) + late;
}

}  // namespace

Blocks choose_blocks(int64_t batch, double macs, const Panels& rows,
                     const Panels& columns) {
  const int64_t r = divide_up(rows.size, kRows);
  const int64_t c = divide_up(columns.size, kColumns);
  Blocks best = cut(rows, columns, r, c);
  const int64_t threads = extension::get_thread_count();
  const auto most =
      static_cast<int64_t>(std::min(4.0 * double(threads), macs / kMinTask));
  if (threads == 1 || most < 2) {
    return best;
  }
  double least = time(best, batch, threads, rows, columns);
  for (int64_t i = r; i <= std::min(rows.count, std::max(r, most)); ++i) {
    for (int64_t tasks = std::min(threads, most); tasks <= most; tasks *= 2) {
      const int64_t j =
          std::clamp(divide_up(tasks, batch * i), c, columns.count);
      const Blocks blocks = cut(rows, columns, i, j);
      const double needed = time(blocks, batch, threads, rows, columns);
      if (needed < least) {
        least = needed;
        best = blocks;
      }
    }
  }
  return best;
}

}  // namespace executorch::kernels::gemm
