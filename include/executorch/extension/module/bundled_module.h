// A Module that runs the tests of a .bpte file.
#pragma once

#include <executorch/extension/module/module.h>
#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/compiler.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace executorch {
namespace extension {
namespace bundled_module {

/// Errors of tests: devtools/bundled_program/bundled_program.h.
class ET_EXPORT BundledModule : public Module {
 public:
  /// @param bundled_program_ptr A file in memory that outlives the Module and
  ///     that bundled_program::get_program_data() has accepted.
  explicit BundledModule(
      const void* bundled_program_ptr,
      std::unique_ptr<runtime::MemoryAllocator> memory_allocator = nullptr,
      std::unique_ptr<runtime::MemoryAllocator> temp_allocator = nullptr,
      std::unique_ptr<runtime::EventTracer> event_tracer = nullptr,
      std::unique_ptr<runtime::DataLoader> data_map_loader = nullptr);
  ~BundledModule() override;

  /// Reads a file and checks it.
  ///
  /// @retval AccessFailed It cannot be read.
  /// @retval NotSupported It is no .bpte file.
  /// @retval InvalidProgram It is damaged.
  static runtime::Result<std::unique_ptr<BundledModule>> from_file(
      const std::string& file_path,
      std::unique_ptr<runtime::MemoryAllocator> memory_allocator = nullptr,
      std::unique_ptr<runtime::MemoryAllocator> temp_allocator = nullptr,
      std::unique_ptr<runtime::EventTracer> event_tracer = nullptr,
      std::unique_ptr<runtime::DataLoader> data_map_loader = nullptr);

  using Module::execute;

  /// Runs a method with the inputs of a test.
  ET_NODISCARD runtime::Result<std::vector<runtime::EValue>> execute(
      const std::string& method_name, size_t testset_idx);

  /// Compares the outputs of the last run of a method with those of a test.
  ET_NODISCARD runtime::Error verify_method_outputs(
      const std::string& method_name, size_t testset_idx, double rtol = 1e-5,
      double atol = 1e-8);

 private:
  const void* bundled_program_;
  std::unique_ptr<runtime::FreeableBuffer> file_;
};

}  // namespace bundled_module

using ::executorch::extension::bundled_module::BundledModule;

}  // namespace extension
}  // namespace executorch
