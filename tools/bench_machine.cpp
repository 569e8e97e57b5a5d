#include "tools/bench_machine.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#include <sys/auxv.h>
#endif

namespace executorch::tools {
namespace {

// A loop of `steps` steps; `work` is what it does in each: multiply-adds, or
// bytes. Accumulators are enough to hide the latency of an instruction.
struct Loop {
  void (*run)(size_t steps, const void* data);
  double work;
};

constexpr size_t kAccumulators = 12;
constexpr size_t kReadBytes = 512;  // per step

// Keeps a result alive that nothing reads.
template <class T>
inline void use(const T& value) {
  asm volatile("" : : "m"(value) : "memory");
}

// The bodies are macros because a function for another instruction set cannot
// be inlined from a template.
#define EXECUTORCH_LOOP(name, isa, vector, zero, step)                \
  __attribute__((target(isa))) void name(size_t steps, const void*) { \
    vector sums[kAccumulators];                                       \
    for (auto& sum : sums) sum = zero;                                \
    vector a = zero, b = zero;                                        \
    asm volatile("" : "+m"(a), "+m"(b));                              \
    for (size_t i = 0; i < steps; ++i) {                              \
      _Pragma("GCC unroll 12") for (auto& sum : sums) { sum = step; } \
    }                                                                 \
    use(sums);                                                        \
  }
#define EXECUTORCH_READ(name, isa, vector, zero, load, add)                \
  __attribute__((target(isa))) void name(size_t steps, const void* data) { \
    constexpr size_t kCount = kReadBytes / sizeof(vector);                 \
    vector sums[4];                                                        \
    for (auto& sum : sums) sum = zero;                                     \
    const auto* at = static_cast<const char*>(data);                       \
    for (size_t i = 0; i < steps; ++i, at += kReadBytes) {                 \
      _Pragma("GCC unroll 32") for (size_t k = 0; k < kCount; ++k) {       \
        sums[k % 4] = add(sums[k % 4], load(at + k * sizeof(vector)));     \
      }                                                                    \
    }                                                                      \
    use(sums);                                                             \
  }

#if defined(__x86_64__)
EXECUTORCH_LOOP(fma_512, "avx512f", __m512, _mm512_setzero_ps(),
                _mm512_fmadd_ps(a, b, sum))
EXECUTORCH_LOOP(fma_256, "avx2,fma", __m256, _mm256_setzero_ps(),
                _mm256_fmadd_ps(a, b, sum))
EXECUTORCH_LOOP(fma_128, "sse2", __m128, _mm_setzero_ps(),
                _mm_add_ps(sum, _mm_mul_ps(a, b)))
EXECUTORCH_LOOP(dot_512, "avx512f,avx512vnni", __m512i, _mm512_setzero_si512(),
                _mm512_dpbusd_epi32(sum, a, b))
EXECUTORCH_LOOP(
    dot_256, "avx2", __m256i, _mm256_setzero_si256(),
    _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(a, b), a)))
EXECUTORCH_LOOP(dot_128, "sse2", __m128i, _mm_setzero_si128(),
                _mm_add_epi32(sum, _mm_madd_epi16(a, b)))
EXECUTORCH_READ(read_512, "avx512f", __m512i, _mm512_setzero_si512(),
                _mm512_loadu_si512, _mm512_add_epi64)
#define EXECUTORCH_LOAD_256(p) \
  _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))
EXECUTORCH_READ(read_256, "avx2", __m256i, _mm256_setzero_si256(),
                EXECUTORCH_LOAD_256, _mm256_add_epi64)
#define EXECUTORCH_LOAD_128(p) \
  _mm_loadu_si128(reinterpret_cast<const __m128i*>(p))
EXECUTORCH_READ(read_128, "sse2", __m128i, _mm_setzero_si128(),
                EXECUTORCH_LOAD_128, _mm_add_epi64)

Loop fma_loop() {
  if (__builtin_cpu_supports("avx512f")) return {fma_512, 16};
  if (__builtin_cpu_supports("fma")) return {fma_256, 8};
  return {fma_128, 4};
}
Loop dot_loop() {
  if (__builtin_cpu_supports("avx512vnni")) return {dot_512, 64};
  if (__builtin_cpu_supports("avx2")) return {dot_256, 32};
  return {dot_128, 8};
}
Loop read_loop() {
  if (__builtin_cpu_supports("avx512f")) return {read_512, kReadBytes};
  if (__builtin_cpu_supports("avx2")) return {read_256, kReadBytes};
  return {read_128, kReadBytes};
}
#elif defined(__aarch64__)
EXECUTORCH_LOOP(fma_128, "arch=armv8-a", float32x4_t, vdupq_n_f32(0),
                vfmaq_f32(sum, a, b))
#define EXECUTORCH_BYTES(x) vreinterpretq_s8_s32(x)
EXECUTORCH_LOOP(dot_128, "arch=armv8.2-a+dotprod", int32x4_t, vdupq_n_s32(0),
                vdotq_s32(sum, EXECUTORCH_BYTES(a), EXECUTORCH_BYTES(b)))
EXECUTORCH_LOOP(mul_128, "arch=armv8-a", int32x4_t, vdupq_n_s32(0),
                vpadalq_s16(sum, vmull_s8(vget_low_s8(EXECUTORCH_BYTES(a)),
                                          vget_low_s8(EXECUTORCH_BYTES(b)))))
#define EXECUTORCH_LOAD_128(p) vld1q_s32(reinterpret_cast<const int32_t*>(p))
EXECUTORCH_READ(read_128, "arch=armv8-a", int32x4_t, vdupq_n_s32(0),
                EXECUTORCH_LOAD_128, vaddq_s32)

Loop fma_loop() { return {fma_128, 4}; }
Loop dot_loop() {
  constexpr unsigned long kDotProduct = 1UL << 20;  // HWCAP_ASIMDDP
  if (getauxval(AT_HWCAP) & kDotProduct) return {dot_128, 16};
  return {mul_128, 8};
}
Loop read_loop() { return {read_128, kReadBytes}; }
#else
void no_loop(size_t, const void*) {}
Loop fma_loop() { return {no_loop, 0}; }
Loop dot_loop() { return {no_loop, 0}; }
Loop read_loop() { return {no_loop, 0}; }
#endif

#undef EXECUTORCH_LOOP
#undef EXECUTORCH_READ

// Units of work per nanosecond, the best of some tries.
double rate(const Loop& loop, size_t steps, const void* data, size_t repeats,
            size_t per_step) {
  double best = 0;
  for (int i = 0; i < 7; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    for (size_t k = 0; k < repeats; ++k) {
      loop.run(steps, data);
    }
    const double ns = std::chrono::duration<double, std::nano>(
                          std::chrono::steady_clock::now() - begin)
                          .count();
    best = std::max(best, loop.work * static_cast<double>(per_step) *
                              static_cast<double>(steps * repeats) / ns);
  }
  return best;
}

double read_rate(size_t bytes) {
  const std::vector<char> data(bytes, 1);
  const size_t repeats = std::max<size_t>(1, (size_t{64} << 20) / bytes);
  return rate(read_loop(), bytes / kReadBytes, data.data(), repeats, 1);
}

size_t cache_size(int name, size_t otherwise) {
  const long size = sysconf(name);
  return size > 0 ? static_cast<size_t>(size) : otherwise;
}

}  // namespace

nlohmann::json machine_peaks() {
  const size_t l2 = cache_size(_SC_LEVEL2_CACHE_SIZE, size_t{512} << 10);
  const size_t l3 = cache_size(_SC_LEVEL3_CACHE_SIZE, size_t{8} << 20);
  constexpr size_t kSteps = 1 << 20;
  return {{"fma_gmacs", rate(fma_loop(), kSteps, nullptr, 1, kAccumulators)},
          {"int8_gmacs", rate(dot_loop(), kSteps, nullptr, 1, kAccumulators)},
          {"l2_gbs", read_rate(l2 / 2)},
          {"l3_gbs", read_rate(std::max(l3 / 4, 3 * l2))},
          {"dram_gbs", read_rate(std::max(8 * l3, size_t{128} << 20))}};
}

}  // namespace executorch::tools
