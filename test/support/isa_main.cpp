#include <gtest/gtest.h>

#include "test/support/forced_isa.h"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  return executorch::test::expect_forced_isa() ? RUN_ALL_TESTS()
                                               : executorch::test::kSkipped;
}
