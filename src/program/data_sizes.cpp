#include <executorch/runtime/executor/program.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "src/program/program_data.h"

namespace executorch::runtime {

namespace {

namespace fb = program::fb;
using format::length;

// Constants have a number in the file, or a name outside of it.
class Constants {
 public:
  void add(const fb::Tensor& tensor) {
    const auto* info = tensor.extra_tensor_info();
    if (tensor.allocation_info() != nullptr) {
      return;
    }
    const bool is_new =
        tensor.data_buffer_idx() != 0
            ? numbers_.insert(tensor.data_buffer_idx()).second
            : info != nullptr &&
                  info->location() == fb::TensorDataLocation::EXTERNAL &&
                  names_.insert(info->fully_qualified_name()->c_str()).second;
    bytes_ += is_new ? format::tensor_nbytes(tensor) : 0;
  }
  size_t bytes() const { return bytes_; }

 private:
  std::set<uint32_t> numbers_;
  std::set<std::string_view> names_;
  size_t bytes_ = 0;
};

size_t compiled_size(const fb::Program& tables,
                     const fb::BackendDelegate& delegate) {
  const auto* place = delegate.processed();
  if (place->location() == fb::DataLocation::SEGMENT) {
    return tables.segments()->Get(place->index())->size();
  }
  return length(tables.backend_delegate_data()->Get(place->index())->data());
}

}  // namespace

Result<Program::DataSizes> Program::data_sizes(const char* method_name) const {
  const fb::ExecutionPlan* plan = data_->find_method(method_name);
  if (plan == nullptr) {
    return Error::InvalidArgument;
  }
  Constants constants;
  for (const fb::EValue* value : *plan->values()) {
    if (const fb::Tensor* tensor = value->val_as_Tensor()) {
      constants.add(*tensor);
    }
  }
  DataSizes sizes;
  sizes.constants = constants.bytes();
  for (size_t i = 0; i < length(plan->delegates()); ++i) {
    sizes.delegates +=
        compiled_size(data_->tables(), *plan->delegates()->Get(i));
  }
  return sizes;
}

}  // namespace executorch::runtime
