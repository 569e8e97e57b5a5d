// Random numbers for operators that ask for some. Each call of an operator has
// its own stream; no two streams of a process are the same, and a program
// cannot choose a seed.
#pragma once

#include <cstdint>

namespace executorch::kernels {

class RandomStream {
 public:
  RandomStream();

  uint64_t bits();
  // Uniform in [0, 1): a multiple of 2^-`precision`, at most 53.
  double uniform(int precision);
  // Of the standard normal distribution.
  double normal();

 private:
  uint64_t state_;
};

}  // namespace executorch::kernels
