// How many CPUs this process may use.
#pragma once

#include <cstddef>
#include <string>

namespace executorch::cpu {

// The CPUs of the affinity mask, or fewer if a control group (version 1 or 2)
// limits the CPU time; at least 1.
size_t usable_cpus();

// The limit of the control groups alone: quota divided by period, rounded up,
// the smallest of the group and those around it; 0 if there is none.
// `membership` is the text of /proc/self/cgroup, `root` where control groups
// are mounted.
size_t cgroup_cpus(const std::string& membership, const std::string& root);

}  // namespace executorch::cpu
