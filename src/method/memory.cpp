// Where the bytes of tensors are: in planned memory, in the program, or in data
// outside of it.
#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/method/build.h"

namespace executorch::method {

using aten::ScalarType;
using aten::TensorImpl;
using runtime::Error;
using runtime::NamedDataMap;
using runtime::Result;

namespace {

bool is_external(const fb::Tensor& tensor) {
  const auto* info = tensor.extra_tensor_info();
  return info != nullptr &&
         info->location() == fb::TensorDataLocation::EXTERNAL;
}

std::string_view name_of(const fb::Tensor& tensor) {
  const auto* info = tensor.extra_tensor_info();
  return info == nullptr || info->fully_qualified_name() == nullptr
             ? std::string_view()
             : info->fully_qualified_name()->string_view();
}

class Placement {
 public:
  Placement(Plan& plan, const NamedDataMap* data_map)
      : plan_(plan), data_map_(data_map) {}

  Error place() {
    note_inputs_and_outputs();
    ET_CHECK_OK_OR_RETURN_ERROR(make_room());
    for (size_t i = 0; i < plan_.tensors.size(); ++i) {
      if (plan_.tensors[i] != nullptr) {
        ET_CHECK_OK_OR_RETURN_ERROR(
            place_tensor(i, *plan_.tables.values()->Get(i)->val_as_Tensor()));
      }
    }
    return Error::Ok;
  }

 private:
  void note_inputs_and_outputs() {
    is_io_.assign(plan_.tensors.size(), false);
    for (const auto* indices :
         {plan_.tables.inputs(), plan_.tables.outputs()}) {
      for (size_t i = 0; i < format::length(indices); ++i) {
        is_io_[indices->Get(i)] = true;
      }
    }
  }

  // A variable that has no place in the plan.
  bool is_alone(size_t index, const fb::Tensor& stored) const {
    return !is_planned(stored) && !is_external(stored) &&
           stored.data_buffer_idx() == 0 && !name_of(stored).empty() &&
           !is_io_[index];
  }

  Error make_room() {
    size_t external = 0;
    size_t alone = 0;
    for (size_t i = 0; i < plan_.tensors.size(); ++i) {
      const fb::Tensor* tensor = plan_.tables.values()->Get(i)->val_as_Tensor();
      if (tensor == nullptr) {
        continue;
      }
      alone += is_alone(i, *tensor) ? 1 : 0;
      if (is_external(*tensor)) {
        ++external;
        ET_CHECK_OR_RETURN_ERROR(
            data_map_ != nullptr, InvalidState,
            "tensor %s is in a .ptd file, but no data map was given",
            name_of(*tensor).data());
      }
    }
    ET_CHECK_OK_OR_RETURN_ERROR(make(plan_, external, &plan_.external));
    return make(plan_, alone, &plan_.variables);
  }

  Error place_tensor(size_t index, const fb::Tensor& stored) {
    if (is_planned(stored)) {
      ET_CHECK_OK_OR_RETURN_ERROR(place_planned(index, stored));
      return is_external(stored)            ? load_external(index, stored)
             : stored.data_buffer_idx() > 0 ? load_stored(index, stored)
                                            : Error::Ok;
    }
    if (is_external(stored)) {
      return place_external(index, stored);
    }
    if (stored.data_buffer_idx() > 0) {
      ET_ASSIGN_OR_RETURN(data, plan_.program.constant(stored.data_buffer_idx(),
                                                       tensor_nbytes(stored)));
      return set_data(index, const_cast<void*>(data));
    }
    return is_alone(index, stored) ? place_alone(index, stored) : Error::Ok;
  }

  Error place_planned(size_t index, const fb::Tensor& stored) {
    auto* planned = plan_.memory.planned_memory();
    ET_CHECK_OR_RETURN_ERROR(
        planned != nullptr, MemoryAllocationFailed,
        "planned memory is needed, but the memory manager has none");
    const fb::AllocationDetails& place = *stored.allocation_info();
    // Ids of buffers begin with 1.
    ET_ASSIGN_OR_RETURN(address,
                        planned->get_offset_address(place.memory_id() - 1,
                                                    planned_offset(place),
                                                    tensor_nbytes(stored)));
    return set_data(index, address);
  }

  // Zeroed pages come from the system untouched, so that a size from a hostile
  // file costs nothing before it is used.
  Error place_alone(size_t index, const fb::Tensor& stored) {
    const size_t nbytes = tensor_nbytes(stored);
    Memory& variable = plan_.variables[num_variables_++];
    variable.reset(std::calloc(std::max<size_t>(nbytes, 1), 1));
    ET_CHECK_OR_RETURN_ERROR(variable != nullptr, MemoryAllocationFailed,
                             "no memory for the %zu bytes of variable %s",
                             nbytes, name_of(stored).data());
    return set_data(index, variable.get());
  }

  // Checks that what a data map says of a tensor is what the program expects.
  Error check_layout(const fb::Tensor& stored) const {
    const std::string_view name = name_of(stored);
    const auto layout = data_map_->get_tensor_layout(name);
    if (layout.error() == Error::NotFound) {
      ET_LOG(Error, "tensor %s is not in the data map", name.data());
    }
    if (!layout.ok()) {
      return layout.error();
    }
    const auto& sizes = *stored.sizes();
    const auto& order = *stored.dim_order();
    const size_t rank = sizes.size();
    bool same = static_cast<ScalarType>(stored.scalar_type()) ==
                    layout->scalar_type() &&
                layout->sizes().size() == rank;
    for (size_t i = 0; same && i < rank; ++i) {
      same =
          layout->sizes()[i] == sizes[i] && layout->dim_order()[i] == order[i];
    }
    ET_CHECK_OR_RETURN_ERROR(
        same, InvalidExternalData,
        "tensor %s has another dtype, sizes or dim order in the "
        "data map than in the program",
        name.data());
    return Error::Ok;
  }

  Error place_external(size_t index, const fb::Tensor& stored) {
    ET_CHECK_OK_OR_RETURN_ERROR(check_layout(stored));
    ET_ASSIGN_OR_RETURN(data, external_data(name_of(stored)));
    const size_t nbytes = tensor_nbytes(stored);
    ET_CHECK_OR_RETURN_ERROR(
        data->size() >= nbytes, InvalidExternalData,
        "tensor %s has %zu bytes in the data map, expected %zu",
        name_of(stored).data(), data->size(), nbytes);
    return set_data(index, const_cast<void*>(data->data()));
  }

  // Tensors may share data.
  Result<const runtime::FreeableBuffer*> external_data(std::string_view name) {
    const auto known = external_.find(name);
    if (known != external_.end()) {
      return known->second;
    }
    ET_ASSIGN_OR_RETURN(data, data_map_->get_data(name));
    ExternalData& slot = plan_.external[external_.size()];
    slot.emplace(std::move(data));
    external_.emplace(name, &*slot);
    return &*slot;
  }

  // First values of variables.
  Error load_external(size_t index, const fb::Tensor& stored) {
    ET_CHECK_OK_OR_RETURN_ERROR(check_layout(stored));
    return data_map_->load_data_into(name_of(stored),
                                     plan_.tensors[index]->mutable_data(),
                                     tensor_nbytes(stored));
  }
  Error load_stored(size_t index, const fb::Tensor& stored) {
    const auto* info = stored.extra_tensor_info();
    return plan_.program.load_first_value(
        info == nullptr ? 0 : info->mutable_data_segments_idx(),
        stored.data_buffer_idx(), plan_.tensors[index]->mutable_data(),
        tensor_nbytes(stored));
  }

  Error set_data(size_t index, void* data) {
    TensorImpl* tensor = plan_.tensors[index];
    const size_t item = static_cast<size_t>(tensor->element_size());
    ET_CHECK_OR_RETURN_ERROR(reinterpret_cast<uintptr_t>(data) % item == 0,
                             InvalidProgram,
                             "the data of tensor %zu is at %p, "
                             "expected a multiple of %zu",
                             index, data, item);
    tensor->set_data(data);
    return Error::Ok;
  }

  Plan& plan_;
  const NamedDataMap* data_map_;
  std::vector<bool> is_io_;  // by value
  std::unordered_map<std::string_view, const runtime::FreeableBuffer*>
      external_;
  size_t num_variables_ = 0;
};

}  // namespace

Error place_tensors(Plan& plan, const BuildOptions& options) {
  return Placement(plan, options.data_map).place();
}

}  // namespace executorch::method
