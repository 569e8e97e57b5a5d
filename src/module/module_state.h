// What a Module holds.
#pragma once

#include <executorch/extension/module/module.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/named_data_map.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/module/loaded_method.h"
#include "src/module/planned_memory.h"

namespace executorch::extension::module {

using runtime::BackendOption;
using runtime::DataLoader;
using runtime::Error;
using runtime::EValue;
using runtime::EventTracer;
using runtime::HierarchicalAllocator;
using runtime::MemoryAllocator;
using runtime::Result;
using runtime::Span;

// Options of backends, with their memory.
struct OwnedOptions {
  static Result<OwnedOptions> copy(const LoadBackendOptionsMap& from);

  std::vector<std::vector<BackendOption>> storage;
  LoadBackendOptionsMap map;
};

// Data files and what is in them.
struct DataFiles {
  Error add(std::unique_ptr<DataLoader> loader);
  Error merge();
  const NamedDataMap* map() const;

  std::vector<std::unique_ptr<DataLoader>> loaders;
  std::vector<std::unique_ptr<NamedDataMap>> maps;
  std::unique_ptr<NamedDataMap> merged;
};

struct Module::State {
  Error load(Program::Verification verification);
  Error load_program(Program::Verification verification);
  Error load_data();
  Error load_method(const std::string& name, HierarchicalAllocator* planned,
                    EventTracer* tracer, const LoadBackendOptionsMap* options,
                    std::vector<Kernel> kernels);

  // Where things come from, until they are loaded.
  std::string file_path;
  LoadMode load_mode = LoadMode::File;
  std::vector<std::string> data_paths;
  std::unique_ptr<DataLoader> data_loader;
  std::unique_ptr<DataLoader> data_map_loader;

  std::unique_ptr<MemoryAllocator> memory_allocator;
  std::unique_ptr<MemoryAllocator> temp_allocator;
  std::unique_ptr<EventTracer> event_tracer;
  bool share_memory_arenas = false;

  std::shared_ptr<Program> program;
  DataFiles data;
  bool data_loaded = false;
  OwnedOptions options;
  internal::SharedArenas arenas;
  std::unordered_map<std::string, std::unique_ptr<internal::LoadedMethod>>
      methods;  // last: destroyed first
};

}  // namespace executorch::extension::module
