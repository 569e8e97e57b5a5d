// What the machine can do at most: the marks for kernels.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <future>
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#include <sys/auxv.h>
#endif

#include "tools/bench.h"

namespace executorch::tools {
namespace {

// A loop of `steps` steps with so many multiply-adds in each.
struct Loop {
  void (*run)(size_t steps) = nullptr;
  double macs = 0;
};

// Accumulators, enough to hide the latency of an instruction. The body is a
// macro because a function for another instruction set cannot be inlined from a
// template.
constexpr size_t kAccumulators = 12;
#define EXECUTORCH_LOOP(name, isa, vector, zero, step)                \
  __attribute__((target(isa))) void name(size_t steps) {              \
    vector sums[kAccumulators];                                       \
    for (auto& sum : sums) sum = zero;                                \
    vector a = zero, b = zero;                                        \
    asm volatile("" : "+m"(a), "+m"(b));                              \
    for (size_t i = 0; i < steps; ++i) {                              \
      _Pragma("GCC unroll 12") for (auto& sum : sums) { sum = step; } \
    }                                                                 \
    asm volatile("" : : "m"(sums) : "memory");                        \
  }

#if defined(__x86_64__)
EXECUTORCH_LOOP(fma_512, "avx512f", __m512, _mm512_setzero_ps(),
                _mm512_fmadd_ps(a, b, sum))
EXECUTORCH_LOOP(fma_256, "avx2,fma", __m256, _mm256_setzero_ps(),
                _mm256_fmadd_ps(a, b, sum))
EXECUTORCH_LOOP(dot_512, "avx512f,avx512vnni", __m512i, _mm512_setzero_si512(),
                _mm512_dpbusd_epi32(sum, a, b))
EXECUTORCH_LOOP(
    dot_256, "avx2", __m256i, _mm256_setzero_si256(),
    _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(a, b), a)))

Loop fma_loop() {
  if (__builtin_cpu_supports("avx512f")) return {fma_512, 16};
  if (__builtin_cpu_supports("fma")) return {fma_256, 8};
  return {};
}
Loop dot_loop() {
  if (__builtin_cpu_supports("avx512vnni")) return {dot_512, 64};
  if (__builtin_cpu_supports("avx2")) return {dot_256, 32};
  return {};
}
#elif defined(__aarch64__)
EXECUTORCH_LOOP(fma_128, "arch=armv8-a", float32x4_t, vdupq_n_f32(0),
                vfmaq_f32(sum, a, b))
EXECUTORCH_LOOP(dot_128, "arch=armv8.2-a+dotprod", int32x4_t, vdupq_n_s32(0),
                vdotq_s32(sum, int8x16_t(a), int8x16_t(b)))

Loop fma_loop() { return {fma_128, 4}; }
Loop dot_loop() {
  constexpr unsigned long kDotProduct = 1UL << 20;  // HWCAP_ASIMDDP
  if (getauxval(AT_HWCAP) & kDotProduct) return {dot_128, 16};
  return {};
}
#else
Loop fma_loop() { return {}; }
Loop dot_loop() { return {}; }
#endif
#undef EXECUTORCH_LOOP

// Units of work per nanosecond when each thread runs `run` with its number and
// so does `work`; the best of some tries.
double rate(size_t threads, double work,
            const std::function<void(size_t)>& run) {
  double best = 0;
  for (int i = 0; i < 5; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::future<void>> others;
    for (size_t k = 1; k < threads; ++k) {
      others.push_back(std::async(std::launch::async, run, k));
    }
    run(0);
    others.clear();  // when they are done
    const std::chrono::duration<double, std::nano> time =
        std::chrono::steady_clock::now() - begin;
    best = std::max(best, static_cast<double>(threads) * work / time.count());
  }
  return best;
}

double mac_rate(size_t threads, const Loop& loop) {
  constexpr size_t kSteps = 1 << 20;
  return loop.run == nullptr ? 0
                             : rate(threads, loop.macs * kSteps * kAccumulators,
                                    [&](size_t) { loop.run(kSteps); });
}

// The C library searches with the widest loads there are.
double read_rate(size_t threads, size_t bytes) {
  const size_t repeats = std::max<size_t>(1, (size_t{64} << 20) / bytes);
  const std::vector<char> data(threads * bytes, 1);
  const auto read = [&](size_t thread) {
    for (size_t i = 0; i < repeats; ++i) {
      const void* found = std::memchr(&data[thread * bytes], 0, bytes);
      asm volatile("" : : "r"(found) : "memory");
    }
  };
  return rate(threads, static_cast<double>(bytes * repeats), read);
}

size_t cache_size(int name, size_t otherwise) {
  const long size = sysconf(name);
  return size > 0 ? static_cast<size_t>(size) : otherwise;
}
const size_t kL2 = cache_size(_SC_LEVEL2_CACHE_SIZE, 512 << 10);
const size_t kL3 = cache_size(_SC_LEVEL3_CACHE_SIZE, 8 << 20);

}  // namespace

const Report& machine_peaks(size_t threads) {
  static std::map<size_t, Report> all;
  Report& peaks = all[threads];
  if (peaks.is_null()) {
    // A part of a cache that others share, and much more than it holds.
    const size_t some = std::max(3 * kL2, std::min(kL3 / 4, 8 * kL2));
    const size_t most =
        std::clamp(2 * kL3, size_t{128} << 20, size_t{512} << 20);
    peaks = {{"threads", threads},
             {"fma_gmacs", mac_rate(threads, fma_loop())},
             {"int8_gmacs", mac_rate(threads, dot_loop())},
             {"l2_gbs", read_rate(threads, kL2 / 2)},
             {"l3_gbs", read_rate(threads, some)},
             {"dram_gbs", read_rate(threads, most / threads)}};
  }
  return peaks;
}

void add_rates(Report& row) {
  const Report& peaks = machine_peaks(row["threads"]);
  const auto add = [&](const char* amount, const char* name,
                       const std::string& peak) {
    const double rate =
        row[amount].get<double>() / row["min_us"].get<double>() / 1e3;
    row[name] = rate;
    if (const double most = peaks.value(peak, 0.0); most > 0) {
      row["%_of_" + peak] = 100 * rate / most;
    }
  };
  // The nearest memory that holds all of it.
  const size_t bytes = row["bytes"];
  add("bytes", "gbs",
      bytes <= kL2   ? "l2_gbs"
      : bytes <= kL3 ? "l3_gbs"
                     : "dram_gbs");
  if (row.contains("macs")) {
    const std::string dtype = row["dtype"];
    const bool is_float = dtype.find("float") != std::string::npos;
    const bool is_int8 = dtype == "int8" || dtype == "uint8";
    add("macs", "gmacs", is_float ? "fma_gmacs" : is_int8 ? "int8_gmacs" : "");
  }
}

}  // namespace executorch::tools
