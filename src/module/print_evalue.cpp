#include <executorch/extension/evalue_util/print_evalue.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>

#include "src/module/elements.h"

namespace executorch {

namespace extension {

namespace {

int slot() {
  static const int index = std::ios_base::xalloc();
  return index;
}

}  // namespace

std::ostream& evalue_edge_items::apply(std::ostream& os) const {
  os.iword(slot()) = edge_items_ > 0 ? edge_items_ : 0;
  return os;
}

}  // namespace extension

namespace runtime {

namespace {

using aten::ScalarType;
using aten::Tensor;
using extension::internal::convert;
using extension::internal::holds_numbers;

void print(std::ostream& os, int64_t value) { os << value; }
void print(std::ostream& os, bool value) { os << (value ? "True" : "False"); }
// As PyTorch: a float that is an integer ends with a point.
void print(std::ostream& os, double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  const bool integral = std::isfinite(value) && value == std::floor(value) &&
                        std::fabs(value) < 1e6;
  os << text << (integral ? "." : "");
}

// How much of each dimension of a list or tensor is printed.
struct Limit {
  Limit(std::ostream& os, size_t elements)
      : edge(static_cast<size_t>(os.iword(extension::slot()))) {
    if (edge == 0) {
      constexpr size_t kAll = 1000;
      edge = elements > kAll ? 3 : kAll;
    }
  }
  // Calls item(i) for the items printed and gap() where some are left out.
  template <class Item, class Gap>
  void each(size_t count, Item&& item, Gap&& gap) const {
    const bool elide = count > 2 * edge;
    for (size_t i = 0; i < count; ++i) {
      if (elide && i == edge) {
        gap();
        i = count - edge;
      }
      item(i);
    }
  }
  size_t edge;
};

class TensorPrinter {
 public:
  TensorPrinter(std::ostream& os, const Tensor& tensor)
      : os_(os),
        tensor_(tensor),
        limit_(os, static_cast<size_t>(tensor.numel())) {}

  void run() {
    os_ << "tensor(";
    const bool printable = holds_numbers(tensor_.scalar_type()) &&
                           tensor_.device_type() == aten::DeviceType::CPU &&
                           tensor_.const_data_ptr() != nullptr;
    if (tensor_.numel() == 0) {
      os_ << "[]";
    } else if (!printable) {
      os_ << "...";
    } else {
      print_dim(0, 0);
    }
    os_ << ", sizes=[";
    for (ssize_t i = 0; i < tensor_.dim(); ++i) {
      os_ << (i > 0 ? ", " : "") << tensor_.size(i);
    }
    os_ << "], dtype=" << toString(tensor_.scalar_type()) << ")";
  }

 private:
  void print_element(size_t at) {
    const ScalarType type = tensor_.scalar_type();
    const void* element = static_cast<const char*>(tensor_.const_data_ptr()) +
                          at * tensor_.element_size();
    if (isFloatingType(type)) {
      double value = 0;
      convert(type, element, ScalarType::Double, &value, 1);
      print(os_, value);
    } else {
      int64_t value = 0;
      convert(type, element, ScalarType::Long, &value, 1);
      if (type == ScalarType::Bool) {
        print(os_, value != 0);
      } else if (type == ScalarType::UInt64) {
        os_ << static_cast<uint64_t>(value);
      } else {
        print(os_, value);
      }
    }
  }

  void print_dim(ssize_t dim, size_t at) {
    if (dim == tensor_.dim()) {
      return print_element(at);
    }
    const bool last = dim + 1 == tensor_.dim();
    const auto separate = [&](bool first) {
      if (first) {
        return;
      }
      os_ << (last ? ", " : ",\n");
      for (ssize_t i = 0; !last && i <= dim + 7; ++i) {  // below "tensor(["
        os_ << ' ';
      }
    };
    os_ << '[';
    bool first = true;
    limit_.each(
        static_cast<size_t>(tensor_.size(dim)),
        [&](size_t i) {
          separate(first);
          first = false;
          print_dim(dim + 1,
                    at + i * static_cast<size_t>(tensor_.strides()[dim]));
        },
        [&] {
          separate(first);
          os_ << "...";
        });
    os_ << ']';
  }

  std::ostream& os_;
  const Tensor& tensor_;
  const Limit limit_;
};

void print(std::ostream& os, const Tensor& tensor) {
  TensorPrinter(os, tensor).run();
}
void print(std::ostream& os, const std::optional<Tensor>& tensor) {
  if (tensor.has_value()) {
    print(os, *tensor);
  } else {
    os << "None";
  }
}

template <class List>
void print_list(std::ostream& os, const Result<List>& list) {
  if (!list.ok()) {
    os << "<damaged list>";
    return;
  }
  os << '[';
  bool first = true;
  const auto separate = [&] {
    os << (first ? "" : ", ");
    first = false;
  };
  Limit(os, list->size())
      .each(
          list->size(),
          [&](size_t i) {
            separate();
            print(os, (*list)[i]);
          },
          [&] {
            separate();
            os << "...";
          });
  os << ']';
}

}  // namespace

std::ostream& operator<<(std::ostream& os, const EValue& value) {
  switch (value.tag) {
    case Tag::None:
      return os << "None";
    case Tag::Bool:
      print(os, value.toBool());
      return os;
    case Tag::Int:
      print(os, value.toInt());
      return os;
    case Tag::Double:
      print(os, value.toDouble());
      return os;
    case Tag::String:
      return os << '"' << value.toString() << '"';
    case Tag::Tensor:
      print(os, value.toTensor());
      return os;
    case Tag::ListBool:
      print_list(os, value.tryToBoolList());
      return os;
    case Tag::ListInt:
      print_list(os, value.tryToIntList());
      return os;
    case Tag::ListDouble:
      print_list(os, value.tryToDoubleList());
      return os;
    case Tag::ListTensor:
      print_list(os, value.tryToTensorList());
      return os;
    case Tag::ListOptionalTensor:
      print_list(os, value.tryToListOptionalTensor());
      return os;
    default:
      return os << "<value of kind " << tag_to_string(value.tag) << '>';
  }
}

}  // namespace runtime
}  // namespace executorch
