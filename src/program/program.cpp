#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/platform/log.h>

#include <utility>

#include "src/format/program_file.h"
#include "src/program/program_data.h"

namespace executorch {
namespace runtime {

static_assert(Program::kMaxSupportedSchemaVersion == format::kSchemaVersion);
static_assert(Program::kMinHeadBytes == format::kHeadBytes);

Program::Program(Program&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)) {}
Program::~Program() { delete data_; }

Result<Program> Program::load(DataLoader* loader, Verification) {
  ET_ASSIGN_OR_RETURN(data, program::ProgramData::load(loader));
  return Program(data.release());
}

Result<const void*> Program::get_constant_buffer_data(size_t buffer_idx,
                                                      size_t nbytes) const {
  return data_->constant(buffer_idx, nbytes);
}

Result<const NamedDataMap*> Program::get_named_data_map() const {
  if (data_->named_data() == nullptr) {
    return Error::NotFound;
  }
  return data_->named_data();
}

size_t Program::num_methods() const {
  return data_->tables().execution_plan()->size();
}

Result<const char*> Program::get_method_name(size_t method_index) const {
  ET_CHECK_OR_RETURN_ERROR(method_index < num_methods(), InvalidArgument,
                           "method %zu of %zu does not exist", method_index,
                           num_methods());
  return data_->tables().execution_plan()->Get(method_index)->name()->c_str();
}

Result<MethodMeta> Program::method_meta(const char* method_name) const {
  const auto* plan = data_->find_method(method_name);
  if (plan == nullptr) {
    return Error::InvalidArgument;
  }
  return MethodMeta(plan);
}

Result<const char*> Program::get_output_flattening_encoding(
    const char* method_name) const {
  const auto* plan = data_->find_method(method_name);
  if (plan == nullptr) {
    return Error::InvalidArgument;
  }
  const auto* container = plan->container_meta_type();
  ET_CHECK_OR_RETURN_ERROR(
      container != nullptr && container->encoded_out_str() != nullptr, NotFound,
      "method %s stores no nesting of its outputs", method_name);
  return container->encoded_out_str()->c_str();
}

Program::HeaderStatus Program::check_header(const void* data, size_t size) {
  if (data == nullptr || size < kMinHeadBytes) {
    return HeaderStatus::ShortData;
  }
  switch (format::check_program_head(data)) {
    case format::HeadStatus::kProgram:
      return HeaderStatus::CompatibleVersion;
    case format::HeadStatus::kOtherVersion:
      return HeaderStatus::IncompatibleVersion;
    default:
      return HeaderStatus::NotPresent;
  }
}

}  // namespace runtime
}  // namespace executorch
