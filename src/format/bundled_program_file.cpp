#include "src/format/bundled_program_file.h"

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/platform/log.h>

#include <algorithm>
#include <cstring>

#include "src/format/program_file.h"
#include "src/format/shape.h"

namespace executorch::format {

using aten::ScalarType;
using runtime::Error;
using runtime::Result;
using runtime::Span;

bool is_bundled_program(Span<const uint8_t> bytes) {
  return bytes.data() != nullptr &&
         bytes.size() >=
             sizeof(uint32_t) + flatbuffers::kFileIdentifierLength &&
         bp::BundledProgramBufferHasIdentifier(bytes.data());
}

Result<const bp::BundledProgram*> verify_bundled_program(
    Span<const uint8_t> bytes) {
  ET_CHECK_OR_RETURN_ERROR(
      is_bundled_program(bytes), NotSupported,
      "not a bundled program: the identifier %s is missing in %zu bytes",
      bp::BundledProgramIdentifier(), bytes.size());
  ET_CHECK_OR_RETURN_ERROR(
      reinterpret_cast<uintptr_t>(bytes.data()) % kBundledProgramAlignment == 0,
      InvalidArgument,
      "the bundled program is at address %p, expected a multiple of %zu",
      static_cast<const void*>(bytes.data()), kBundledProgramAlignment);
  constexpr size_t kMaxDepth = 16;
  ET_CHECK_OR_RETURN_ERROR(
      bytes.size() < FLATBUFFERS_MAX_BUFFER_SIZE, InvalidProgram,
      "a bundled program of %zu bytes is too large", bytes.size());
  flatbuffers::Verifier verifier(bytes.data(), bytes.size(), kMaxDepth,
                                 bytes.size() / sizeof(uint32_t));
  ET_CHECK_OR_RETURN_ERROR(bp::VerifyBundledProgramBuffer(verifier),
                           InvalidProgram,
                           "the bundled program of %zu bytes is damaged: its "
                           "flatbuffer is inconsistent",
                           bytes.size());
  const bp::BundledProgram* bundle = bp::GetBundledProgram(bytes.data());
  ET_CHECK_OR_RETURN_ERROR(length(bundle->program()) != 0, InvalidProgram,
                           "the bundle holds no program");
  return bundle;
}

Result<const bp::BundledMethodTestCase*> find_test(const void* bundled_program,
                                                   const char* method,
                                                   size_t index) {
  ET_CHECK_OR_RETURN_ERROR(
      bundled_program != nullptr &&
          bp::BundledProgramBufferHasIdentifier(bundled_program),
      InvalidArgument, "the bundled program is null, or something else");
  const auto* suites =
      bp::GetBundledProgram(bundled_program)->method_test_suites();
  for (size_t i = 0; i < length(suites); ++i) {
    const auto* suite = suites->Get(static_cast<uint32_t>(i));
    if (suite->method_name() == nullptr ||
        std::strcmp(suite->method_name()->c_str(), method) != 0) {
      continue;
    }
    const auto* tests = suite->test_cases();
    ET_CHECK_OR_RETURN_ERROR(index < length(tests), InvalidArgument,
                             "test %zu of method %s does not exist, there are "
                             "%zu",
                             index, method, length(tests));
    return tests->Get(static_cast<uint32_t>(index));
  }
  ET_LOG(Error, "the bundled program has no tests for method %s", method);
  return Error::NotSupported;
}

Error check_value(const bp::Value* value, size_t index) {
  // The verifier of flatbuffers accepts kinds that it does not know.
  ET_CHECK_OR_RETURN_ERROR(
      value->val() != nullptr && value->val_type() != bp::ValueUnion::NONE &&
          value->val_type() <= bp::ValueUnion::MAX,
      InvalidProgram, "value %zu of the test is of the unknown kind %d", index,
      static_cast<int>(value->val_type()));
  const bp::Tensor* tensor = value->val_as_Tensor();
  if (tensor == nullptr) {
    return Error::Ok;
  }
  const auto* sizes = tensor->sizes();
  const auto* order = tensor->dim_order();
  const Shape shape{tensor->scalar_type(),
                    sizes == nullptr ? nullptr : sizes->data(), length(sizes),
                    order == nullptr ? nullptr : order->data(), length(order)};
  size_t nbytes = 0;
  const char* fault = shape_fault(shape, &nbytes);
  ET_CHECK_OR_RETURN_ERROR(fault == nullptr, InvalidProgram,
                           "tensor %zu of the test: %s", index, fault);
  ET_CHECK_OR_RETURN_ERROR(length(tensor->data()) == nbytes, InvalidProgram,
                           "tensor %zu of the test has %zu bytes, expected %zu",
                           index, length(tensor->data()), nbytes);
  const auto is_bool = [](uint8_t byte) { return byte <= 1; };
  ET_CHECK_OR_RETURN_ERROR(
      nbytes == 0 ||
          tensor->scalar_type() != static_cast<int8_t>(ScalarType::Bool) ||
          std::all_of(tensor->data()->begin(), tensor->data()->end(), is_bool),
      InvalidProgram, "tensor %zu of the test has a bool that is not 0 or 1",
      index);
  return Error::Ok;
}

}  // namespace executorch::format
