// Printing values to a stream, for people.
//
//     std::cout << extension::evalue_edge_items(2) << value;
#pragma once

#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/platform/compiler.h>

#include <ostream>

namespace executorch {
namespace runtime {

/// Prints a value of any kind. A tensor is printed as PyTorch does, with its
/// sizes and dtype; the middle of long dimensions is left out when the tensor
/// has more than 1000 elements, or where extension::evalue_edge_items says.
ET_EXPORT std::ostream& operator<<(std::ostream& os, const EValue& value);

}  // namespace runtime

namespace extension {

/// Stream manipulator: how many items at each end of a dimension are printed
/// from now on. 0 or less: the default.
class evalue_edge_items final {
 public:
  explicit evalue_edge_items(long edge_items) : edge_items_(edge_items) {}

  friend std::ostream& operator<<(std::ostream& os,
                                  const evalue_edge_items& items) {
    return items.apply(os);
  }

 private:
  ET_EXPORT std::ostream& apply(std::ostream& os) const;

  const long edge_items_;
};

}  // namespace extension
}  // namespace executorch
