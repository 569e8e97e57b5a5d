#include "src/threadpool/cpu.h"

#include <cpuinfo.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace executorch::cpu {
namespace {

struct Set {
  const char* name;
  bool (*present)();
};

// In the order of Isa.
constexpr Set kSets[] = {
    {"baseline", [] { return true; }},
    {"avx2",
     [] {
       return cpuinfo_has_x86_avx2() && cpuinfo_has_x86_fma3() &&
              cpuinfo_has_x86_f16c();
     }},
    {"avx512",
     [] {
       return cpuinfo_has_x86_avx512f() && cpuinfo_has_x86_avx512bw() &&
              cpuinfo_has_x86_avx512dq() && cpuinfo_has_x86_avx512vl();
     }},
    {"avx512vnni", [] { return cpuinfo_has_x86_avx512vnni(); }},
    {"fp16", [] { return cpuinfo_has_arm_neon_fp16_arith(); }},
    {"dotprod", [] { return cpuinfo_has_arm_neon_dot(); }},
    {"i8mm", [] { return cpuinfo_has_arm_i8mm(); }},
};
constexpr size_t kCount = sizeof kSets / sizeof *kSets;

constexpr Isa first_above_baseline(Isa isa) {
  return isa < Isa::fp16 ? Isa::avx2 : Isa::fp16;
}

// What the CPU has and the environment allows, found out once.
struct Choice {
  bool usable[kCount] = {true};
  char error[256] = "";

  Choice() {
    if (!cpuinfo_initialize()) {
      return;
    }
    // A set includes those before it, so the first one missing ends the row.
    for (const Isa last : {Isa::avx512vnni, Isa::i8mm}) {
      for (size_t i = static_cast<size_t>(first_above_baseline(last));
           i <= static_cast<size_t>(last) && kSets[i].present(); ++i) {
        usable[i] = true;
      }
    }
    const char* wanted = std::getenv("EXECUTORCH_ISA");
    if (wanted != nullptr && *wanted != '\0') {
      limit(wanted);
    }
  }

  void limit(const char* wanted) {
    size_t known = 0;
    while (known < kCount && std::strcmp(kSets[known].name, wanted) != 0) {
      ++known;
    }
    if (known == kCount || !usable[known]) {
      explain(wanted, known == kCount ? "is no instruction set"
                                      : "is not supported by this CPU");
      known = 0;
    }
    for (size_t i = known + 1; i < kCount; ++i) {
      usable[i] = false;
    }
  }

  void explain(const char* wanted, const char* fault) {
    int length =
        std::snprintf(error, sizeof error,
                      "EXECUTORCH_ISA=%.40s %s; this CPU has:", wanted, fault);
    for (size_t i = 0; i < kCount; ++i) {
      if (usable[i]) {
        length += std::snprintf(error + length, sizeof error - length, " %s",
                                kSets[i].name);
      }
    }
  }
};

const Choice& choice() {
  static const Choice once;
  return once;
}

std::atomic<uint32_t> g_chosen{0};

}  // namespace

bool usable(Isa isa) { return choice().usable[static_cast<size_t>(isa)]; }

const char* isa_error() {
  return *choice().error != '\0' ? choice().error : nullptr;
}

const char* isa_name(Isa isa) { return kSets[static_cast<size_t>(isa)].name; }

void note_chosen(Isa isa) { g_chosen |= 1u << static_cast<unsigned>(isa); }

uint32_t chosen_sets() { return g_chosen; }

}  // namespace executorch::cpu
