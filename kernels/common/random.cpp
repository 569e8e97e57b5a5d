#include "kernels/common/random.h"

#include <atomic>
#include <chrono>
#include <cmath>

namespace executorch::kernels {
namespace {

// SplitMix64: a bijection that passes the usual statistical tests when it is
// applied to a counter.
uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

uint64_t process_seed() {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  static const int somewhere = 0;  // differs by address randomization
  return mix(static_cast<uint64_t>(now)) ^
         mix(reinterpret_cast<uintptr_t>(&somewhere));
}

}  // namespace

RandomStream::RandomStream() {
  static const uint64_t seed = process_seed();
  static std::atomic<uint64_t> count{0};
  state_ = mix(seed + mix(++count));
}

uint64_t RandomStream::bits() {
  state_ += 0x9E3779B97F4A7C15u;
  return mix(state_);
}

double RandomStream::uniform(int precision) {
  return std::ldexp(static_cast<double>(bits() >> (64 - precision)),
                    -precision);
}

double RandomStream::normal() {
  constexpr double kTwoPi = 6.283185307179586;
  const double radius = std::sqrt(-2 * std::log(1 - uniform(53)));
  return radius * std::cos(kTwoPi * uniform(53));
}

}  // namespace executorch::kernels
