#include "test/support/op_file.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

namespace executorch::test {

namespace fs = std::filesystem;
using nlohmann::json;

std::vector<fs::path> stored_corpora() {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(ET_TEST_DATA_DIR)) {
    if (fs::exists(entry.path() / "index.tsv")) {
      folders.push_back(entry.path());
    }
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

std::map<std::string, std::string> read_index(const fs::path& corpus) {
  std::map<std::string, std::string> stems;
  std::ifstream index(corpus / "index.tsv");
  for (std::string line; std::getline(index, line);) {
    std::istringstream fields(line);
    std::string op, stem;
    if (line[0] != '#' && fields >> op >> stem) {
      stems[op] = stem;
    }
  }
  return stems;
}

std::shared_ptr<OpFile> read_op(const fs::path& corpus, const std::string& op,
                                const std::string& stem) {
  auto file = std::make_shared<OpFile>();
  file->op = op;
  std::ifstream calls(corpus / (stem + ".jsonl"));
  for (std::string line; std::getline(calls, line);) {
    file->calls.push_back(json::parse(line));
  }
  std::ifstream raw(corpus / (stem + ".raw"), std::ios::binary);
  file->raw.assign(std::istreambuf_iterator<char>(raw), {});
  return file;
}

}  // namespace executorch::test
