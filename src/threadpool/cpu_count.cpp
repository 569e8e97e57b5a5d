#include "src/threadpool/cpu_count.h"

#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace executorch::cpu {
namespace {

// The beginning of a file; empty if it cannot be read.
std::string read_text(const std::string& path) {
  std::string text;
  if (std::FILE* file = std::fopen(path.c_str(), "re")) {
    char buffer[4096];
    text.assign(buffer, std::fread(buffer, 1, sizeof buffer, file));
    std::fclose(file);
  }
  return text;
}

size_t affinity_cpus() {
  // The kernel refuses a mask that is smaller than its own.
  for (int cpus = CPU_SETSIZE; cpus <= 1 << 20; cpus *= 2) {
    cpu_set_t* set = CPU_ALLOC(cpus);
    if (set == nullptr) {
      break;
    }
    const size_t bytes = CPU_ALLOC_SIZE(cpus);
    const bool ok = sched_getaffinity(0, bytes, set) == 0;
    const int count = ok ? CPU_COUNT_S(bytes, set) : 0;
    CPU_FREE(set);
    if (count > 0) {
      return static_cast<size_t>(count);
    }
  }
  return 1;
}

// CPUs' worth of time in one group; 0 without a limit.
using Limit = size_t (*)(const std::string& group);

size_t quotient(int64_t quota, int64_t period) {
  if (quota <= 0 || period <= 0) {
    return 0;
  }
  return static_cast<size_t>(quota / period + (quota % period != 0));
}

size_t limit_v2(const std::string& group) {
  const std::string text = read_text(group + "/cpu.max");  // "max 100000"
  char* end = nullptr;
  const int64_t quota = std::strtoll(text.c_str(), &end, 10);
  return quotient(quota, std::strtoll(end, nullptr, 10));
}

size_t limit_v1(const std::string& group) {
  const std::string quota = read_text(group + "/cpu.cfs_quota_us");
  const std::string period = read_text(group + "/cpu.cfs_period_us");
  return quotient(std::strtoll(quota.c_str(), nullptr, 10),
                  std::strtoll(period.c_str(), nullptr, 10));
}

// The smallest limit of a group and of those that it is in. Seen from a
// container the path may lie outside of the mount; the mount's root then is the
// group of the container, and it is always looked at.
size_t smallest(const std::string& mount, std::string path, Limit limit) {
  size_t result = 0;
  while (true) {
    const size_t here = limit(mount + path);
    if (here != 0 && (result == 0 || here < result)) {
      result = here;
    }
    if (path.empty()) {
      return result;
    }
    path.resize(path.find_last_of('/'));
  }
}

bool has_item(std::string_view list, std::string_view item) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    if (list.substr(0, comma) == item) {
      return true;
    }
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

}  // namespace

size_t cgroup_cpus(const std::string& membership, const std::string& root) {
  size_t result = 0;
  std::string_view rest = membership;
  while (!rest.empty()) {
    // "<number>:<controllers>:/<path>"; version 2 is "0::/<path>".
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const size_t colon = line.find(':');
    const size_t second = line.find(":/", colon + 1);
    if (colon == line.npos || second == line.npos) {
      continue;
    }
    const std::string controllers(line.substr(colon + 1, second - colon - 1));
    std::string path(line.substr(second + 1));
    path.resize(path == "/" ? 0 : path.size());
    size_t here = 0;
    if (controllers.empty()) {
      here = smallest(root, path, limit_v2);
    } else if (has_item(controllers, "cpu")) {
      here = smallest(root + "/" + controllers, path, limit_v1);
    }
    if (here != 0 && (result == 0 || here < result)) {
      result = here;
    }
  }
  return result;
}

size_t usable_cpus() {
  const size_t cpus = affinity_cpus();
  const size_t limit =
      cgroup_cpus(read_text("/proc/self/cgroup"), "/sys/fs/cgroup");
  return limit == 0 ? cpus : std::min(cpus, limit);
}

}  // namespace executorch::cpu
