#include "test/support/npy.h"

#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>

namespace executorch::test {
namespace {

// The text after "'key': " up to the end of the value.
std::string field(const std::string& header, const std::string& key, char first,
                  char last) {
  const size_t at = header.find("'" + key + "'");
  const size_t begin = header.find(first, header.find(':', at));
  const size_t end = header.find(last, begin + 1);
  if (at == std::string::npos || end == std::string::npos) {
    throw std::runtime_error("no " + key + " in a .npy header");
  }
  return header.substr(begin + 1, end - begin - 1);
}

const std::map<std::string, std::string>& descriptions() {
  static const std::map<std::string, std::string> known = {
      {"float64", "<f8"}, {"float32", "<f4"},  {"float16", "<f2"},
      {"int64", "<i8"},   {"int32", "<i4"},    {"int16", "<i2"},
      {"int8", "|i1"},    {"uint8", "|u1"},    {"uint16", "<u2"},
      {"bool", "|b1"},    {"bfloat16", "<u2"}, {"complex64", "<c8"}};
  return known;
}

}  // namespace

Array read_npy(const std::filesystem::path& file, const std::string& dtype) {
  std::ifstream stream(file, std::ios::binary);
  std::vector<uint8_t> all{std::istreambuf_iterator<char>(stream), {}};
  // Magic, version 1.0, length of the header in 16 bits.
  if (all.size() < 10 ||
      std::string(all.begin() + 1, all.begin() + 6) != "NUMPY") {
    throw std::runtime_error(file.string() + " is not a .npy file");
  }
  const size_t start = 10 + all[8] + 256 * size_t{all[9]};
  const std::string header(all.begin() + 10, all.begin() + start);

  Array array{dtype_by_name(dtype), {}, {}};
  if (field(header, "descr", '\'', '\'') != descriptions().at(dtype) ||
      header.find("'fortran_order': False") == std::string::npos) {
    throw std::runtime_error(file.string() + " is not a row-major array of " +
                             dtype + ": " + header);
  }
  std::istringstream shape(field(header, "shape", '(', ')'));
  size_t bytes = array.dtype.size;
  for (std::string size; std::getline(shape, size, ',');) {
    if (size.find_first_of("0123456789") != std::string::npos) {
      array.shape.push_back(std::stoll(size));
      bytes *= static_cast<size_t>(array.shape.back());
    }
  }
  array.bytes.assign(all.begin() + start, all.end());
  if (array.bytes.size() != bytes) {
    throw std::runtime_error(file.string() + " is cut");
  }
  return array;
}

}  // namespace executorch::test
