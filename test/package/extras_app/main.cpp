// Headers that users look for and the SDK of the wheel does not ship: each one
// is installed, and what it declares can be linked.
//
//   app BUNDLED-PROGRAM
#include <executorch/devtools/bundled_program/bundled_program.h>
#include <executorch/devtools/etdump/etdump_filter.h>
#include <executorch/extension/data_loader/file_descriptor_data_loader.h>
#include <executorch/extension/evalue_util/print_evalue.h>
#include <executorch/extension/inspect/program_info.h>
#include <executorch/extension/llm/moe/pack.h>
#include <executorch/extension/memory_allocator/cpu_caching_malloc_allocator.h>
#include <executorch/extension/module/bundled_module.h>
#include <executorch/extension/parallel/thread_parallel.h>
#include <executorch/extension/runner_util/inputs.h>
#include <executorch/extension/threadpool/threadpool.h>
#include <fcntl.h>

#include <cstdio>
#include <sstream>
#include <string>

using namespace executorch;
using runtime::Error;

namespace {

int failures = 0;
void check(bool ok, const char* header) {
  if (!ok) {
    std::printf("FAILED: %s\n", header);
    ++failures;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = argc > 1 ? argv[1] : "";

  // Threads.
  check(extension::threadpool::set_num_threads(2) == Error::Ok &&
            extension::threadpool::get_threadpool()->get_thread_count() == 2,
        "threadpool.h");
  int64_t covered = 0;
  check(extension::parallel_for(
            0, 10, 10,
            [&](int64_t begin, int64_t end) { covered += end - begin; }) &&
            covered == 10,
        "thread_parallel.h");

  // Programs with their inputs and outputs.
  const int file = open(path.c_str(), O_RDONLY);
  const std::string uri = "fd:///" + std::to_string(file);
  auto loader =
      extension::FileDescriptorDataLoader::fromFileDescriptorUri(uri.c_str());
  check(loader.ok() && loader->size().ok(), "file_descriptor_data_loader.h");
  char text[64] = "no program";
  check(!bundled_program::is_bundled_program(text, sizeof(text)),
        "bundled_program.h");
  const auto bundled = extension::BundledModule::from_file(path);
  check(bundled.ok() && (*bundled)->execute("forward", 0).ok() &&
            (*bundled)->verify_method_outputs("forward", 0) == Error::Ok,
        "bundled_module.h");
  if (failures == 0) {
    check(extension::inspect::describe_method(*(*bundled)->program(), "forward")
              .ok(),
          "program_info.h");
    const auto method = (*bundled)->method("forward");
    check(method.ok() && extension::prepare_input_tensors(**method).ok(),
          "inputs.h");
  }

  // Values and memory.
  std::ostringstream printed;
  printed << extension::evalue_edge_items(3) << runtime::EValue(int64_t{7});
  check(printed.str() == "7", "print_evalue.h");
  extension::CPUCachingAllocator allocator(1 << 20);
  check(allocator.allocate(100) != nullptr, "cpu_caching_malloc_allocator.h");
  check(extension::llm::packed_linear_size({32, 64}).ok(), "pack.h");

  etdump::ETDumpFilter filter;
  check(filter.add_regex("conv.*").ok() && filter.get_n_regex() == 1,
        "etdump_filter.h");
  return failures;
}
