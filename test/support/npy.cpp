#include "test/support/npy.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace executorch::test {
namespace {

const std::string kMagic = "\x93NUMPY";
constexpr size_t kMaxHeader = 10000;  // NumPy's own limit

// "<f4": byte order, kind and size of the elements.
std::string description(const DType& dtype) {
  const bool has_order = dtype.size > 1 && dtype.kind != 'V';
  return (has_order ? "<" : "|") + std::string(1, dtype.kind) +
         std::to_string(dtype.size);
}

// A .npy file while it is read; errors name it.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& file) : file_(file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
      refuse("cannot open the file");
    }
    all_.assign(std::istreambuf_iterator<char>(stream), {});
  }

  Array read(const std::string& wanted) {
    const size_t begin = read_header();
    Array array{find_dtype(field("descr", "'([^']*)'"), wanted), {}, {}};
    if (field("fortran_order", "(\\w+)") != "False") {
      refuse("the array is column-major; save it with np.ascontiguousarray");
    }
    const size_t size = read_shape(array);
    if (all_.size() - begin != size) {
      refuse("the header says " + std::to_string(size) + " bytes, " +
             std::to_string(all_.size() - begin) + " are there");
    }
    array.bytes.assign(all_.begin() + static_cast<ptrdiff_t>(begin),
                       all_.end());
    return array;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw std::runtime_error(file_.string() + ": " + why);
  }

  // Magic, version, length of the header in 2 or 4 bytes. Returns its end.
  size_t read_header() {
    if (all_.size() < 12 || all_.compare(0, kMagic.size(), kMagic) != 0) {
      refuse("not a .npy file");
    }
    const size_t width = all_[6] == 1 ? 2 : 4;
    size_t length = 0;
    for (size_t i = width; i-- > 0;) {
      length = length << 8 | static_cast<uint8_t>(all_[8 + i]);
    }
    if (length > kMaxHeader || length > all_.size() - 8 - width) {
      refuse("the header is cut or too long");
    }
    header_ = all_.substr(8 + width, length);
    return 8 + width + length;
  }

  std::string field(const std::string& key, const char* value) const {
    std::smatch match;
    const std::regex pattern("'" + key + "': *" + value);
    if (!std::regex_search(header_, match, pattern)) {
      refuse("the header has no " + key);
    }
    return match[1];
  }

  // Some dtypes share a description, and bits of bfloat16 may be uint16.
  const DType& find_dtype(std::string descr, const std::string& wanted) const {
    if (descr == "<V2") {
      descr = "|V2";
    }
    if (!wanted.empty()) {
      const DType& dtype = dtype_by_name(wanted);
      if (descr == description(dtype) ||
          (wanted == "bfloat16" && descr == "<u2")) {
        return dtype;
      }
    }
    for (const DType& dtype : kDTypes) {
      if (descr == description(dtype)) {
        if (wanted.empty()) {
          return dtype;
        }
        refuse(std::string("the array is ") + dtype.name + ", expected " +
               wanted);
      }
    }
    refuse("dtype '" + descr + "' is not known");
  }

  // Returns the bytes of the array.
  size_t read_shape(Array& array) const {
    std::istringstream text(field("shape", "\\(([^)]*)\\)"));
    size_t bytes = array.dtype.size;
    for (std::string item; std::getline(text, item, ',');) {
      if (item.find_first_not_of(' ') == std::string::npos) {
        continue;
      }
      char* end = nullptr;
      const long long size = std::strtoll(item.c_str(), &end, 10);
      if (*end != '\0' || size < 0 ||
          size > std::numeric_limits<aten::SizesType>::max() ||
          __builtin_mul_overflow(bytes, static_cast<size_t>(size), &bytes)) {
        refuse("the shape (" + text.str() + ") cannot be used");
      }
      array.shape.push_back(size);
    }
    return bytes;
  }

  std::filesystem::path file_;
  std::string all_;
  std::string header_;
};

}  // namespace

Array read_npy(const std::filesystem::path& file, const std::string& dtype) {
  return Reader(file).read(dtype);
}

void write_npy(const std::filesystem::path& file, const Array& array) {
  std::string header = "{'descr': '" + description(array.dtype) +
                       "', 'fortran_order': False, 'shape': (";
  for (const int64_t size : array.shape) {
    header += std::to_string(size) + ",";
  }
  header += "), }";
  // The data begins at a multiple of 64.
  header.append(63 - (10 + header.size()) % 64, ' ').push_back('\n');
  std::ofstream stream(file, std::ios::binary);
  stream << kMagic << '\1' << '\0' << static_cast<char>(header.size() & 255)
         << static_cast<char>(header.size() >> 8) << header;
  stream.write(reinterpret_cast<const char*>(array.bytes.data()),
               static_cast<std::streamsize>(array.bytes.size()));
  stream.close();
  if (!stream) {
    throw std::runtime_error(file.string() + ": cannot write the file");
  }
}

runtime::Result<extension::TensorPtr> to_tensor(
    const Array& array, const std::vector<aten::DimOrderType>& order) {
  const size_t size = array.dtype.size;
  std::vector<uint8_t> bytes(array.bytes.size());
  size_t from = 0;
  for (const size_t to : positions(array.shape, order)) {
    std::memcpy(&bytes[to * size], &array.bytes[from++ * size], size);
  }
  return extension::try_make_tensor_ptr(
      {array.shape.begin(), array.shape.end()}, std::move(bytes), order, {},
      array.dtype.type);
}

Array to_array(const aten::Tensor& tensor) {
  Array array{dtype_of(tensor.scalar_type()),
              {tensor.sizes().begin(), tensor.sizes().end()},
              std::vector<uint8_t>(tensor.nbytes())};
  const size_t size = array.dtype.size;
  const auto* bytes = static_cast<const uint8_t*>(tensor.const_data_ptr());
  size_t to = 0;
  for (const size_t from : positions(array.shape, {tensor.dim_order().begin(),
                                                   tensor.dim_order().end()})) {
    std::memcpy(&array.bytes[to++ * size], bytes + from * size, size);
  }
  return array;
}

}  // namespace executorch::test
