#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/module/bundled_module.h>
#include <executorch/runtime/core/event_tracer_hooks.h>
#include <executorch/runtime/core/freeable_buffer.h>

#include "src/format/bundled_program_file.h"
#include "src/module/bundled_test.h"

namespace executorch::extension::bundled_module {

using runtime::DataLoader;
using runtime::Error;
using runtime::EValue;
using runtime::EventTracer;
using runtime::FreeableBuffer;
using runtime::MemoryAllocator;
using runtime::Result;

namespace {

std::unique_ptr<DataLoader> program_loader(const void* bundle) {
  const auto* program = bundle == nullptr
                            ? nullptr
                            : format::bp::GetBundledProgram(bundle)->program();
  return program == nullptr ? std::make_unique<BufferDataLoader>(nullptr, 0)
                            : std::make_unique<BufferDataLoader>(
                                  program->data(), program->size());
}

}  // namespace

BundledModule::BundledModule(const void* bundled_program_ptr,
                             std::unique_ptr<MemoryAllocator> memory_allocator,
                             std::unique_ptr<MemoryAllocator> temp_allocator,
                             std::unique_ptr<EventTracer> event_tracer,
                             std::unique_ptr<DataLoader> data_map_loader)
    : Module(program_loader(bundled_program_ptr), std::move(memory_allocator),
             std::move(temp_allocator), std::move(event_tracer),
             std::move(data_map_loader)),
      bundled_program_(bundled_program_ptr) {}

BundledModule::~BundledModule() = default;

Result<std::unique_ptr<BundledModule>> BundledModule::from_file(
    const std::string& file_path,
    std::unique_ptr<MemoryAllocator> memory_allocator,
    std::unique_ptr<MemoryAllocator> temp_allocator,
    std::unique_ptr<EventTracer> event_tracer,
    std::unique_ptr<DataLoader> data_map_loader) {
  ET_ASSIGN_OR_RETURN(loader,
                      FileDataLoader::from(file_path.c_str(),
                                           format::kBundledProgramAlignment));
  ET_ASSIGN_OR_RETURN(size, loader.size());
  ET_ASSIGN_OR_RETURN(bytes,
                      loader.load(0, size,
                                  DataLoader::SegmentInfo(
                                      DataLoader::SegmentInfo::Type::Program)));
  ET_CHECK_OK_OR_RETURN_ERROR(
      format::verify_bundled_program(
          {static_cast<const uint8_t*>(bytes.data()), bytes.size()})
          .error());
  auto made = std::make_unique<BundledModule>(
      bytes.data(), std::move(memory_allocator), std::move(temp_allocator),
      std::move(event_tracer), std::move(data_map_loader));
  made->file_ = std::make_unique<FreeableBuffer>(std::move(bytes));
  return made;
}

Result<std::vector<EValue>> BundledModule::execute(
    const std::string& method_name, size_t testset_idx) {
  ET_ASSIGN_OR_RETURN(inputs,
                      bundled_program::bundled_inputs(
                          bundled_program_, method_name.c_str(), testset_idx));
  runtime::internal::event_tracer_set_bundled_input_index(
      event_tracer(), static_cast<int>(testset_idx));
  return Module::execute(method_name, inputs);
}

Error BundledModule::verify_method_outputs(const std::string& method_name,
                                           size_t testset_idx, double rtol,
                                           double atol) {
  ET_ASSIGN_OR_RETURN(outputs, get_outputs(method_name));
  return bundled_program::verify_outputs(
      outputs, bundled_program_, method_name.c_str(), testset_idx, rtol, atol);
}

}  // namespace executorch::extension::bundled_module
