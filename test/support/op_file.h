// The files of an operator corpus; see test/data/ops/FORMAT.md.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "test/support/op_call.h"

namespace executorch::test {

// The stored calls of one operator.
struct OpFile {
  std::string op;
  std::vector<nlohmann::json> calls;
  Bytes raw;
};

// The corpora of the project: ops, ops-<kind>, ...
std::vector<std::filesystem::path> stored_corpora();

// What a corpus holds: operator names, and the stem of their files.
std::map<std::string, std::string> read_index(
    const std::filesystem::path& corpus);

std::shared_ptr<OpFile> read_op(const std::filesystem::path& corpus,
                                const std::string& op, const std::string& stem);

}  // namespace executorch::test
