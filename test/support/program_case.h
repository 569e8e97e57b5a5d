// A stored program with inputs and what eager PyTorch computed from them. A
// case is a folder:
//
//   case.txt    see test/data/models/FORMAT.md
//   meta.json   instead, for those of test/data/bugs; see FORMAT.md there
#pragma once

#include <executorch/runtime/core/exec_aten/exec_aten.h>

#include <filesystem>
#include <string>
#include <vector>

#include "test/support/numbers.h"

namespace executorch::test {

struct ProgramValue {
  std::string kind;   // tensor, int, float, bool or none
  std::string dtype;  // of a tensor
  std::string text;   // the number, or the file of a tensor
  std::vector<aten::DimOrderType> dim_order;  // empty: row-major
};

struct ProgramRun {
  std::string method;
  std::vector<ProgramValue> inputs;
  std::vector<ProgramValue> outputs;
};

enum class Outcome { match, error, no_crash };

struct ProgramCase {
  std::filesystem::path folder;
  std::string program;
  std::vector<std::string> data_files;
  Tolerance tolerance;
  Outcome outcome = Outcome::match;
  std::vector<ProgramRun> runs;  // in this order, on one loaded program
};

ProgramCase read_program_case(const std::filesystem::path& folder);

// Loads the program and makes the runs. An empty string when they went as the
// case says, else what went wrong. `worst` collects the largest difference from
// eager.
std::string run_program_case(const ProgramCase& c, double* worst = nullptr);

// The same once more while the Module stays, with a Module for each of several
// threads at a time; they share its Program or load one each.
std::string run_program_case_in_threads(const ProgramCase& c, bool share);

}  // namespace executorch::test
