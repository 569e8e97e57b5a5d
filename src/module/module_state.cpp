// How a Module loads files, programs and methods.
#include "src/module/module_state.h"

#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/data_loader/mmap_data_loader.h>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/extension/named_data_map/merged_data_map.h>

#include <utility>

#include "src/module/temp_arena.h"

namespace executorch::extension::module {

using merged_data_map::MergedDataMap;

namespace {

// A program and the loader it reads from.
struct ProgramWithLoader {
  std::unique_ptr<DataLoader> loader;
  Program program;
};

template <class Loader>
Result<std::unique_ptr<DataLoader>> on_heap(Result<Loader> loader) {
  ET_CHECK_OK_OR_RETURN_ERROR(loader.error());
  return std::unique_ptr<DataLoader>(
      std::make_unique<Loader>(std::move(*loader)));
}

Result<std::unique_ptr<DataLoader>> open(const std::string& path,
                                         Module::LoadMode mode) {
  using Mlock = MmapDataLoader::MlockConfig;
  using Mode = Module::LoadMode;
  const char* file = path.c_str();
  switch (mode) {
    case Mode::File:
      return on_heap(FileDataLoader::from(file));
    case Mode::Mmap:
      return on_heap(MmapDataLoader::from(file, Mlock::NoMlock));
    case Mode::MmapUseMlock:
      return on_heap(MmapDataLoader::from(file, Mlock::UseMlock));
    case Mode::MmapUseMlockIgnoreErrors:
      return on_heap(MmapDataLoader::from(file, Mlock::UseMlockIgnoreErrors));
    case Mode::MmapUseMadvise:
      return on_heap(MmapDataLoader::from(file, Mlock::UseMadvise));
  }
  ET_LOG(Error, "there is no load mode %d", static_cast<int>(mode));
  return Error::InvalidArgument;
}

}  // namespace

Result<OwnedOptions> OwnedOptions::copy(const LoadBackendOptionsMap& from) {
  OwnedOptions owned;
  for (size_t i = 0; i < from.size(); ++i) {
    const auto entry = from.entry_at(i);
    auto& options =
        owned.storage.emplace_back(entry.options.begin(), entry.options.end());
    ET_CHECK_OK_OR_RETURN_ERROR(owned.map.set_options(
        entry.backend_id, Span<BackendOption>(options.data(), options.size())));
  }
  return owned;
}

Error DataFiles::add(std::unique_ptr<DataLoader> loader) {
  auto map = FlatTensorDataMap::load(loader.get());
  ET_CHECK_OK_OR_RETURN_ERROR(map.error());
  loaders.push_back(std::move(loader));
  maps.push_back(std::make_unique<FlatTensorDataMap>(std::move(*map)));
  return Error::Ok;
}

Error DataFiles::merge() {
  if (maps.size() < 2) {
    return Error::Ok;
  }
  std::vector<const NamedDataMap*> all;
  for (const auto& map : maps) {
    all.push_back(map.get());
  }
  auto result = MergedDataMap::load({all.data(), all.size()});
  ET_CHECK_OK_OR_RETURN_ERROR(result.error());
  merged = std::make_unique<MergedDataMap>(std::move(*result));
  return Error::Ok;
}

const NamedDataMap* DataFiles::map() const {
  if (merged != nullptr) {
    return merged.get();
  }
  return maps.empty() ? nullptr : maps.front().get();
}

Error Module::State::load(Program::Verification verification) {
  if (program == nullptr) {
    ET_CHECK_OK_OR_RETURN_ERROR(load_program(verification));
  }
  return data_loaded ? Error::Ok : load_data();
}

Error Module::State::load_program(Program::Verification verification) {
  if (data_loader == nullptr) {
    auto loader = open(file_path, load_mode);
    ET_CHECK_OK_OR_RETURN_ERROR(loader.error());
    data_loader = std::move(*loader);
  }
  auto loaded = Program::load(data_loader.get(), verification);
  if (!loaded.ok()) {
    if (!file_path.empty()) {
      data_loader.reset();  // the file may be another one next time
    }
    return loaded.error();
  }
  auto owner = std::make_shared<ProgramWithLoader>(
      ProgramWithLoader{std::move(data_loader), std::move(*loaded)});
  Program* pointer = &owner->program;
  program = std::shared_ptr<Program>(std::move(owner), pointer);
  return Error::Ok;
}

Error Module::State::load_data() {
  DataFiles files;
  for (const std::string& path : data_paths) {
    auto loader = open(path, load_mode);
    ET_CHECK_OK_OR_RETURN_ERROR(loader.error());
    ET_CHECK_OK_OR_RETURN_ERROR(files.add(std::move(*loader)));
  }
  if (data_map_loader != nullptr) {
    ET_CHECK_OK_OR_RETURN_ERROR(files.add(std::move(data_map_loader)));
  }
  ET_CHECK_OK_OR_RETURN_ERROR(files.merge());
  data = std::move(files);
  data_loaded = true;
  return Error::Ok;
}

Error Module::State::load_method(const std::string& name,
                                 HierarchicalAllocator* planned,
                                 EventTracer* tracer,
                                 const LoadBackendOptionsMap* backend_options,
                                 std::vector<Kernel> kernels) {
  if (methods.count(name) != 0) {
    return Error::Ok;
  }
  ET_CHECK_OK_OR_RETURN_ERROR(load(Program::Verification::Minimal));
  auto holder = std::make_unique<internal::LoadedMethod>();
  holder->kernels = std::move(kernels);
  if (planned == nullptr) {
    ET_ASSIGN_OR_RETURN(meta, program->method_meta(name.c_str()));
    if (share_memory_arenas) {
      ET_CHECK_OK_OR_RETURN_ERROR(arenas.allocate(*program));
    }
    auto memory = internal::PlannedMemory::allocate(
        meta, share_memory_arenas ? &arenas : nullptr);
    ET_CHECK_OK_OR_RETURN_ERROR(memory.error());
    holder->planned_memory = std::move(*memory);
    planned = holder->planned_memory->allocator();
  }
  if (memory_allocator == nullptr) {
    holder->own_allocator = std::make_unique<MallocMemoryAllocator>();
  }
  if (temp_allocator == nullptr) {
    temp_allocator = std::make_unique<internal::TempArena>();
  }
  holder->memory_manager.emplace(holder->own_allocator
                                     ? holder->own_allocator.get()
                                     : memory_allocator.get(),
                                 planned, temp_allocator.get());
  auto method = program->load_method(
      name.c_str(), &*holder->memory_manager,
      tracer != nullptr ? tracer : event_tracer.get(), data.map(),
      backend_options != nullptr ? backend_options : &options.map,
      Span<const Kernel>(holder->kernels.data(), holder->kernels.size()));
  ET_CHECK_OK_OR_RETURN_ERROR(method.error());
  holder->adopt(std::move(*method));
  methods.emplace(name, std::move(holder));
  return Error::Ok;
}

}  // namespace executorch::extension::module
