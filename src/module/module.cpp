// Module: its constructors, and the functions that do no more than load what
// they need and ask it.
#include <executorch/extension/module/module.h>

#include <utility>

#include "src/module/module_state.h"

namespace executorch::extension::module {

using internal::Owned;

Module::Module(const std::string& file_path, LoadMode load_mode,
               Owned<EventTracer> event_tracer,
               Owned<MemoryAllocator> memory_allocator,
               Owned<MemoryAllocator> temp_allocator, bool share_memory_arenas)
    : Module(file_path, std::vector<std::string>{}, load_mode,
             std::move(event_tracer), std::move(memory_allocator),
             std::move(temp_allocator), share_memory_arenas) {}

Module::Module(const std::string& file_path, const std::string& data_map_path,
               LoadMode load_mode, Owned<EventTracer> event_tracer,
               Owned<MemoryAllocator> memory_allocator,
               Owned<MemoryAllocator> temp_allocator, bool share_memory_arenas)
    : Module(file_path,
             data_map_path.empty() ? std::vector<std::string>{}
                                   : std::vector<std::string>{data_map_path},
             load_mode, std::move(event_tracer), std::move(memory_allocator),
             std::move(temp_allocator), share_memory_arenas) {}

Module::Module(const std::string& file_path,
               std::vector<std::string> data_files, LoadMode load_mode,
               Owned<EventTracer> event_tracer,
               Owned<MemoryAllocator> memory_allocator,
               Owned<MemoryAllocator> temp_allocator, bool share_memory_arenas)
    : Module(std::shared_ptr<Program>(), std::move(memory_allocator),
             std::move(temp_allocator), std::move(event_tracer), nullptr,
             share_memory_arenas) {
  state_->file_path = file_path;
  state_->data_paths = std::move(data_files);
  state_->load_mode = load_mode;
}

Module::Module(std::unique_ptr<DataLoader> data_loader,
               Owned<MemoryAllocator> memory_allocator,
               Owned<MemoryAllocator> temp_allocator,
               Owned<EventTracer> event_tracer,
               Owned<DataLoader> data_map_loader, bool share_memory_arenas)
    : Module(std::shared_ptr<Program>(), std::move(memory_allocator),
             std::move(temp_allocator), std::move(event_tracer),
             std::move(data_map_loader), share_memory_arenas) {
  state_->data_loader = std::move(data_loader);
}

Module::Module(std::shared_ptr<Program> program,
               Owned<MemoryAllocator> memory_allocator,
               Owned<MemoryAllocator> temp_allocator,
               Owned<EventTracer> event_tracer,
               Owned<DataLoader> data_map_loader, bool share_memory_arenas)
    : state_(new State) {
  state_->program = std::move(program);
  state_->memory_allocator.reset(memory_allocator.release());
  state_->temp_allocator.reset(temp_allocator.release());
  state_->event_tracer.reset(event_tracer.release());
  state_->data_map_loader.reset(data_map_loader.release());
  state_->share_memory_arenas = share_memory_arenas;
}

Module::~Module() { delete state_; }

Error Module::load(Program::Verification verification) {
  return state_->load(verification);
}

Error Module::load(const LoadBackendOptionsMap& backend_options,
                   Program::Verification verification) {
  ET_CHECK_OK_OR_RETURN_ERROR(load(verification));
  auto copy = OwnedOptions::copy(backend_options);
  ET_CHECK_OK_OR_RETURN_ERROR(copy.error());
  state_->options = std::move(*copy);
  return Error::Ok;
}

const LoadBackendOptionsMap& Module::backend_options() const {
  return state_->options.map;
}

bool Module::is_loaded() const { return state_->program != nullptr; }

std::shared_ptr<Program> Module::program() const { return state_->program; }

Result<size_t> Module::num_methods() {
  ET_CHECK_OK_OR_RETURN_ERROR(load());
  return state_->program->num_methods();
}

Result<std::unordered_set<std::string>> Module::method_names() {
  ET_CHECK_OK_OR_RETURN_ERROR(load());
  std::unordered_set<std::string> names;
  for (size_t i = 0; i < state_->program->num_methods(); ++i) {
    ET_ASSIGN_OR_RETURN(name, state_->program->get_method_name(i));
    names.insert(name);
  }
  return names;
}

Result<MethodMeta> Module::method_meta(const std::string& method_name) {
  ET_CHECK_OK_OR_RETURN_ERROR(load());
  return state_->program->method_meta(method_name.c_str());
}

Result<MemoryReport> Module::memory_report(const std::string& method_name) {
  ET_ASSIGN_OR_RETURN(meta, method_meta(method_name));
  ET_ASSIGN_OR_RETURN(data, state_->program->data_sizes(method_name.c_str()));
  MemoryReport report;
  report.constants = data.constants;
  report.delegates = data.delegates;
  for (size_t i = 0; i < meta.num_memory_planned_buffers(); ++i) {
    ET_ASSIGN_OR_RETURN(size, meta.memory_planned_buffer_size(i));
    report.planned_buffers.push_back(static_cast<size_t>(size));
  }
  for (size_t i = 0; i < meta.num_outputs(); ++i) {
    ET_ASSIGN_OR_RETURN(tag, meta.output_tag(i));
    if (tag == runtime::Tag::Tensor) {
      ET_ASSIGN_OR_RETURN(info, meta.output_tensor_meta(i));
      report.unplanned_outputs += info.is_memory_planned() ? 0 : info.nbytes();
    }
  }
  for (size_t i = 0; i < meta.num_backends(); ++i) {
    ET_ASSIGN_OR_RETURN(name, meta.get_backend_name(i));
    report.backends.push_back(name);
  }
  return report;
}

Result<MemoryReport> Module::memory_report() {
  return memory_report("forward");
}

Error Module::load_method(const std::string& method_name,
                          HierarchicalAllocator* planned_memory,
                          EventTracer* event_tracer,
                          const LoadBackendOptionsMap* backend_options,
                          std::vector<Kernel> kernel_registry) {
  ET_CHECK_OK_OR_RETURN_ERROR(load());
  return state_->load_method(method_name, planned_memory, event_tracer,
                             backend_options, std::move(kernel_registry));
}

Error Module::load_method(const std::string& method_name,
                          EventTracer* event_tracer) {
  return load_method(method_name, nullptr, event_tracer, nullptr);
}

Error Module::load_forward(HierarchicalAllocator* planned_memory,
                           EventTracer* event_tracer,
                           const LoadBackendOptionsMap* backend_options,
                           std::vector<Kernel> kernel_registry) {
  return load_method("forward", planned_memory, event_tracer, backend_options,
                     std::move(kernel_registry));
}

Error Module::load_forward(EventTracer* event_tracer) {
  return load_forward(nullptr, event_tracer, nullptr);
}

bool Module::unload_method(const std::string& method_name) {
  return state_->methods.erase(method_name) != 0;
}

bool Module::unload_forward() { return unload_method("forward"); }

bool Module::is_method_loaded(const std::string& method_name) const {
  return state_->methods.count(method_name) != 0;
}

Result<internal::LoadedMethod*> Module::loaded(const std::string& name) {
  ET_CHECK_OK_OR_RETURN_ERROR(load_method(name));
  return state_->methods.find(name)->second.get();
}

Result<Method*> Module::method(const std::string& method_name) {
  ET_ASSIGN_OR_RETURN(loaded_method, loaded(method_name));
  return &loaded_method->method();
}

Result<std::vector<EValue>> Module::execute(
    const std::string& method_name, const std::vector<EValue>& input_values) {
  ET_ASSIGN_OR_RETURN(method, loaded(method_name));
  const size_t count = method->method().inputs_size();
  ET_CHECK_OR_RETURN_ERROR(input_values.size() <= count, InvalidArgument,
                           "%zu inputs are given, method %s takes %zu",
                           input_values.size(), method_name.c_str(), count);
  for (size_t i = 0; i < input_values.size(); ++i) {
    ET_CHECK_OK_OR_RETURN_ERROR(method->lend_input(input_values[i], i));
  }
  ET_CHECK_OK_OR_RETURN_ERROR(method->run());
  return method->outputs();
}

Result<std::vector<EValue>> Module::execute(const std::string& method_name,
                                            const EValue& input_value) {
  return execute(method_name, std::vector<EValue>{input_value});
}

Result<std::vector<EValue>> Module::execute(const std::string& method_name) {
  return execute(method_name, std::vector<EValue>{});
}

Result<std::vector<EValue>> Module::forward(
    const std::vector<EValue>& input_values) {
  return execute("forward", input_values);
}

Result<std::vector<EValue>> Module::forward(const EValue& input_value) {
  return execute("forward", input_value);
}

Result<std::vector<EValue>> Module::forward() { return execute("forward"); }

Result<EValue> Module::get(const std::string& method_name,
                           const std::vector<EValue>& input_values) {
  ET_ASSIGN_OR_RETURN(outputs, execute(method_name, input_values));
  ET_CHECK_OR_RETURN_ERROR(!outputs.empty(), InvalidArgument,
                           "method %s has no outputs", method_name.c_str());
  return std::move(outputs.front());
}

Result<EValue> Module::get(const std::string& method_name,
                           const EValue& input_value) {
  return get(method_name, std::vector<EValue>{input_value});
}

Result<EValue> Module::get(const std::string& method_name) {
  return get(method_name, std::vector<EValue>{});
}

Error Module::set_input(const std::string& method_name,
                        const EValue& input_value, size_t input_index) {
  ET_ASSIGN_OR_RETURN(method, loaded(method_name));
  return method->set_input(input_value, input_index);
}

Error Module::set_input(const EValue& input_value, size_t input_index) {
  return set_input("forward", input_value, input_index);
}

Error Module::set_inputs(const std::string& method_name,
                         const std::vector<EValue>& input_values) {
  ET_ASSIGN_OR_RETURN(method, loaded(method_name));
  const size_t count = method->method().inputs_size();
  ET_CHECK_OR_RETURN_ERROR(input_values.size() == count, InvalidArgument,
                           "%zu inputs are given, method %s takes %zu",
                           input_values.size(), method_name.c_str(), count);
  for (size_t i = 0; i < count; ++i) {
    ET_CHECK_OK_OR_RETURN_ERROR(method->set_input(input_values[i], i));
  }
  return Error::Ok;
}

Error Module::set_inputs(const std::vector<EValue>& input_values) {
  return set_inputs("forward", input_values);
}

Error Module::set_output(const std::string& method_name, EValue output_value,
                         size_t output_index) {
  ET_ASSIGN_OR_RETURN(method, loaded(method_name));
  return method->set_output(std::move(output_value), output_index);
}

Error Module::set_output(EValue output_value, size_t output_index) {
  return set_output("forward", std::move(output_value), output_index);
}

Error Module::set_outputs(const std::string& method_name,
                          const std::vector<EValue>& output_values) {
  ET_ASSIGN_OR_RETURN(method, loaded(method_name));
  const size_t count = method->method().outputs_size();
  ET_CHECK_OR_RETURN_ERROR(output_values.size() == count, InvalidArgument,
                           "%zu outputs are given, method %s has %zu",
                           output_values.size(), method_name.c_str(), count);
  for (size_t i = 0; i < count; ++i) {
    ET_CHECK_OK_OR_RETURN_ERROR(method->set_output(output_values[i], i));
  }
  return Error::Ok;
}

Error Module::set_outputs(const std::vector<EValue>& output_values) {
  return set_outputs("forward", output_values);
}

Error Module::set_output_views(const std::string& method_name, bool views) {
  ET_ASSIGN_OR_RETURN(method, loaded(method_name));
  method->set_views(views);
  return Error::Ok;
}

Result<std::vector<EValue>> Module::get_outputs(
    const std::string& method_name) {
  ET_ASSIGN_OR_RETURN(method, loaded(method_name));
  return method->outputs();
}

Result<std::vector<EValue>> Module::get_outputs() {
  return get_outputs("forward");
}

Result<EValue> Module::get_output(const std::string& method_name,
                                  size_t output_index) {
  ET_ASSIGN_OR_RETURN(method, loaded(method_name));
  return method->output(output_index);
}

Result<EValue> Module::get_output(size_t output_index) {
  return get_output("forward", output_index);
}

EventTracer* Module::event_tracer() const { return state_->event_tracer.get(); }

runtime::Span<uint8_t> Module::debug_buffer() { return {}; }

}  // namespace executorch::extension::module
