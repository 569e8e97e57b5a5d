#include "tools/npy.h"

#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <numeric>
#include <sstream>

#include "tools/common.h"

namespace executorch::tools {
namespace {

using aten::ScalarType;

struct Descr {
  ScalarType type;
  const char* text;
};

constexpr Descr kDescrs[] = {
    {ScalarType::Byte, "|u1"},     {ScalarType::Char, "|i1"},
    {ScalarType::Short, "<i2"},    {ScalarType::Int, "<i4"},
    {ScalarType::Long, "<i8"},     {ScalarType::UInt16, "<u2"},
    {ScalarType::UInt32, "<u4"},   {ScalarType::UInt64, "<u8"},
    {ScalarType::Half, "<f2"},     {ScalarType::Float, "<f4"},
    {ScalarType::Double, "<f8"},   {ScalarType::ComplexFloat, "<c8"},
    {ScalarType::Bool, "|b1"},     {ScalarType::ComplexDouble, "<c16"},
    {ScalarType::BFloat16, "|V2"}, {ScalarType::ComplexHalf, "|V4"},
    {ScalarType::QInt8, "|i1"},    {ScalarType::QUInt8, "|u1"},
    {ScalarType::QInt32, "<i4"},
};

const char* descr_of(ScalarType type) {
  for (const Descr& descr : kDescrs) {
    if (descr.type == type) {
      return descr.text;
    }
  }
  throw Failure(kFailed,
                std::string("a .npy file cannot hold ") + dtype_name(type));
}

// A .npy file while it is read; errors name it.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream) {
      throw Failure(kFailed, path + ": cannot open the file");
    }
    all_.assign(std::istreambuf_iterator<char>(stream), {});
  }

  Array read(ScalarType wanted) {
    const size_t data = parse_header();
    Array array;
    array.type = type_of(field("descr", "'", "'"), wanted);
    if (header_.find("'fortran_order': False") == std::string::npos) {
      refuse("the array is column-major; save it with np.ascontiguousarray");
    }
    const size_t size = parse_shape(array);
    if (all_.size() - data != size) {
      refuse("the header says " + std::to_string(size) + " bytes, " +
             std::to_string(all_.size() - data) + " are there");
    }
    array.bytes.assign(all_.begin() + static_cast<ptrdiff_t>(data), all_.end());
    return array;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw Failure(kFailed, path_ + ": " + why);
  }

  // Magic, version, length of the header in 2 or 4 bytes. Returns its end.
  size_t parse_header() {
    if (all_.size() < 12 || std::memcmp(all_.data(), "\x93NUMPY", 6) != 0) {
      refuse("not a .npy file");
    }
    const bool wide = all_[6] != 1;
    size_t length = 0;
    for (size_t i = wide ? 4 : 2; i-- > 0;) {
      length = length << 8 | static_cast<uint8_t>(all_[8 + i]);
    }
    const size_t begin = wide ? 12 : 10;
    if (length > all_.size() - begin) {
      refuse("the header is cut");
    }
    header_.assign(all_.data() + begin, length);
    return begin + length;
  }

  std::string field(const std::string& key, const char* first,
                    const char* last) const {
    const size_t at = header_.find("'" + key + "':");
    if (at != std::string::npos) {
      const size_t begin = header_.find(first, at + key.size() + 3);
      if (begin != std::string::npos) {
        const size_t end = header_.find(last, begin + 1);
        if (end != std::string::npos) {
          return header_.substr(begin + 1, end - begin - 1);
        }
      }
    }
    refuse("the header has no " + key);
  }

  ScalarType type_of(std::string descr, ScalarType wanted) const {
    if (descr == "<V2") {
      descr = "|V2";
    }
    // Some dtypes share a description, and bits of bfloat16 may be uint16.
    if (wanted != ScalarType::Undefined &&
        (descr == descr_of(wanted) ||
         (wanted == ScalarType::BFloat16 && descr == "<u2"))) {
      return wanted;
    }
    for (const Descr& known : kDescrs) {
      if (descr == known.text) {
        if (wanted != ScalarType::Undefined) {
          refuse(std::string("the array is ") + dtype_name(known.type) +
                 ", expected " + dtype_name(wanted));
        }
        return known.type;
      }
    }
    refuse("dtype '" + descr + "' is not known");
  }

  // Returns the bytes of the array.
  size_t parse_shape(Array& array) const {
    std::istringstream text(field("shape", "(", ")"));
    size_t bytes = runtime::elementSize(array.type);
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
      array.shape.push_back(static_cast<aten::SizesType>(size));
    }
    return bytes;
  }

  std::string path_;
  std::vector<char> all_;
  std::string header_;
};

// Steps in bytes for each dimension, of memory that is laid out by `order`.
std::vector<size_t> byte_steps(const std::vector<aten::SizesType>& shape,
                               const std::vector<uint8_t>& order,
                               size_t element) {
  std::vector<size_t> steps(shape.size());
  for (size_t i = order.size(); i-- > 0;) {
    steps[order[i]] = element;
    element *= static_cast<size_t>(shape[order[i]]);
  }
  return steps;
}

std::vector<uint8_t> row_major(size_t rank) {
  std::vector<uint8_t> order(rank);
  std::iota(order.begin(), order.end(), uint8_t{0});
  return order;
}

// Calls copy(row-major offset, offset in `order`) for every element.
template <class Copy>
void for_each_element(const Array& array, const std::vector<uint8_t>& order,
                      Copy copy) {
  const size_t element = runtime::elementSize(array.type);
  const auto steps = byte_steps(array.shape, order, element);
  std::vector<aten::SizesType> index(array.shape.size(), 0);
  for (size_t i = 0; i < array.count(); ++i) {
    size_t offset = 0;
    for (size_t d = 0; d < index.size(); ++d) {
      offset += static_cast<size_t>(index[d]) * steps[d];
    }
    copy(i * element, offset);
    for (size_t d = index.size(); d-- > 0 && ++index[d] == array.shape[d];) {
      index[d] = 0;
    }
  }
}

}  // namespace

size_t Array::count() const {
  size_t count = 1;
  for (const auto size : shape) {
    count *= static_cast<size_t>(size);
  }
  return count;
}

Array read_npy(const std::string& path, ScalarType wanted) {
  return Reader(path).read(wanted);
}

void write_npy(const std::string& path, const Array& array) {
  std::string header = "{'descr': '" + std::string(descr_of(array.type)) +
                       "', 'fortran_order': False, 'shape': (";
  for (const auto size : array.shape) {
    header += std::to_string(size) + ",";
  }
  header += "), }";
  // The data begins at a multiple of 64.
  header.append(63 - (10 + header.size()) % 64, ' ').push_back('\n');
  std::ofstream stream(path, std::ios::binary);
  stream.write("\x93NUMPY\x01\x00", 8);
  stream.put(static_cast<char>(header.size() & 255));
  stream.put(static_cast<char>(header.size() >> 8));
  stream << header;
  stream.write(reinterpret_cast<const char*>(array.bytes.data()),
               static_cast<std::streamsize>(array.bytes.size()));
  stream.close();
  if (!stream) {
    throw Failure(kFailed, path + ": cannot write the file");
  }
}

Array to_array(const aten::Tensor& tensor) {
  Array array;
  array.type = tensor.scalar_type();
  array.shape.assign(tensor.sizes().begin(), tensor.sizes().end());
  array.bytes.resize(tensor.nbytes());
  const std::vector<uint8_t> order(tensor.dim_order().begin(),
                                   tensor.dim_order().end());
  const auto* from = static_cast<const uint8_t*>(tensor.const_data_ptr());
  const size_t element = tensor.element_size();
  if (order == row_major(order.size())) {
    std::copy(from, from + array.bytes.size(), array.bytes.begin());
    return array;
  }
  for_each_element(array, order, [&](size_t to, size_t at) {
    std::memcpy(array.bytes.data() + to, from + at, element);
  });
  return array;
}

std::vector<uint8_t> reorder(const Array& array,
                             const std::vector<uint8_t>& dim_order) {
  if (dim_order == row_major(dim_order.size()) ||
      dim_order.size() != array.shape.size()) {
    return array.bytes;
  }
  std::vector<uint8_t> bytes(array.bytes.size());
  const size_t element = runtime::elementSize(array.type);
  for_each_element(array, dim_order, [&](size_t from, size_t to) {
    std::memcpy(bytes.data() + to, array.bytes.data() + from, element);
  });
  return bytes;
}

}  // namespace executorch::tools
