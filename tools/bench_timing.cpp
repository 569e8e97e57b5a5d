#include <executorch/extension/data_loader/mmap_data_loader.h>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <numeric>
#include <optional>
#include <set>

#include "test/support/method_memory.h"
#include "test/support/op_call.h"
#include "test/support/quiet_tracer.h"
#include "tools/bench.h"
#if __has_include(<executorch/extension/threadpool/threadpool.h>)
#include <executorch/extension/threadpool/threadpool.h>
#else  // the wheel has the functions, but not their header
namespace executorch::extension::threadpool {
class ThreadPool final {
 public:
  size_t get_thread_count() const;
  bool _unsafe_reset_threadpool(uint32_t new_thread_count);
};
ThreadPool* get_threadpool();
inline void set_num_threads(size_t count) {
  get_threadpool()->_unsafe_reset_threadpool(static_cast<uint32_t>(count));
}
}  // namespace executorch::extension::threadpool
#endif

namespace executorch::tools {

using extension::FlatTensorDataMap;
using extension::MmapDataLoader;
using extension::TensorPtr;
using nlohmann::json;
using runtime::Method;
using runtime::MethodMeta;

namespace {

// Returns how many threads will work.
size_t use_threads(size_t count) {
  (void)extension::threadpool::set_num_threads(count);
  const auto* pool = extension::threadpool::get_threadpool();
  return pool == nullptr ? 1 : pool->get_thread_count();
}

double now() {  // in microseconds
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::micro>(time).count();
}

MmapDataLoader map_file(const std::string& path) {
  const auto config = MmapDataLoader::MlockConfig::NoMlock;
  return value(MmapDataLoader::from(path.c_str(), config), path);
}

// A tensor with memory of its own. Of types that are not floating the elements
// are 0, which is valid as an index.
TensorPtr make_tensor(const runtime::TensorInfo& info) {
  const auto type = info.scalar_type();
  const auto make =
      runtime::isFloatingType(type) ? extension::randn : extension::zeros;
  return extension::make_tensor_ptr(
      make({info.sizes().begin(), info.sizes().end()}, type,
           aten::TensorShapeDynamism::STATIC),
      {}, {info.dim_order().begin(), info.dim_order().end()});
}

using Inputs = std::map<size_t, TensorPtr>;

Inputs make_inputs(const MethodMeta& meta) {
  Inputs inputs;
  for (size_t i = 0; i < meta.num_inputs(); ++i) {
    if (*meta.input_tag(i) == runtime::Tag::Tensor) {
      inputs[i] = make_tensor(value(meta.input_tensor_meta(i), "an input"));
    }
  }
  return inputs;
}

// Later values may use the memory of an input that the program planned: its
// next run finds other numbers there, which are no valid indices.
void set_inputs(Method& method, const Inputs& inputs, bool only_indices) {
  for (const auto& [i, tensor] : inputs) {
    if (!only_indices || !runtime::isFloatingType(tensor->scalar_type())) {
      check(method.set_input(*tensor, i), "setting an input");
    }
  }
}

// Gives memory to outputs that are not planned. Constants and views, which have
// memory, refuse it.
std::vector<TensorPtr> set_outputs(Method& method, const MethodMeta& meta) {
  std::vector<TensorPtr> outputs;
  for (size_t i = 0; i < meta.num_outputs(); ++i) {
    if (*meta.output_tag(i) == runtime::Tag::Tensor &&
        !meta.output_tensor_meta(i)->is_memory_planned()) {
      outputs.push_back(make_tensor(*meta.output_tensor_meta(i)));
      (void)method.set_output_data_ptr(outputs.back()->mutable_data_ptr(),
                                       outputs.back()->nbytes(), i);
    }
  }
  return outputs;
}

double numel(const json& shape) {
  const auto sizes = shape.get<std::vector<double>>();
  return std::accumulate(sizes.begin(), sizes.end(), 1.0, std::multiplies<>());
}

// Rows of products also say how many multiplications they need: for each
// element of the result as many as this operand has along its last dimension.
std::optional<double> macs(const json& call) {
  static const std::map<std::string, size_t> kOperand = {
      {"aten::mm.out", 0},
      {"aten::bmm.out", 0},
      {"aten::linear.out", 0},
      {"aten::addmm.out", 1},
      {"quantized_decomposed::mixed_mm.out", 0},
      {"quantized_decomposed::mixed_linear.out", 0}};
  const json& args = call["args"];
  const double results = numel(call["outs"].at(0)["shape"]);
  if (const auto at = kOperand.find(call["op"]); at != kOperand.end()) {
    return results * args[at->second]["shape"].back().get<double>();
  }
  if (call["op"] == "aten::convolution.out" && args[6]["v"] == false) {
    const json& weight = args[1]["shape"];
    return results * numel(weight) / weight[0].get<double>();
  }
  return std::nullopt;
}

// Bytes of all tensors in a call, which it reads or writes once at least.
double bytes_of(const json& part) {
  double bytes = part.is_object() ? part.value("nbytes", 0.0) : 0;
  for (const json& item : part) {
    bytes += item.is_structured() ? bytes_of(item) : 0;
  }
  return bytes;
}

// The largest resident memory of this process so far; 0 if unknown.
size_t peak_memory_kb() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word && word != "VmHWM:") {
  }
  size_t kb = 0;
  status >> kb;
  return kb;
}

// Adds up the times of the operators and delegates of a method. They are the
// events that no other is in.
class Profile final : public test::QuietTracer {
 public:
  void create_event_block(Name) override { ++runs_; }

  Entry start_profiling(Name name, runtime::ChainID,
                        runtime::DebugHandle) override {
    innermost_ = name;
    begin_ = now();
    return {};
  }

  void end_profiling(Entry) override {
    const double us = now() - begin_;
    if (!innermost_.empty()) {
      auto& [calls, all] = totals_[innermost_];
      calls += 1;
      all += us;
      innermost_.clear();
    }
  }

  // Of one run, slowest first.
  Report rows() const {
    std::set<Report, std::greater<>> rows;
    for (const auto& [name, total] : totals_) {
      rows.insert(Report{{"us", total.second / runs_},
                         {"calls", total.first / runs_},
                         {"name", name}});
    }
    return rows;
  }

 private:
  std::string innermost_;
  std::map<std::string, std::pair<double, double>> totals_;
  double begin_ = 0, runs_ = 0;
};

Report time_runs(const std::function<void()>& run, const BenchCase& options) {
  const auto sample = [&](int repeats) {
    const double begin = now();
    for (int i = 0; i < repeats; ++i) {
      run();
    }
    return (now() - begin) / repeats;
  };
  // A tenth of a second to get warm.
  const double warm = now() + 1e5;
  double fastest = sample(1);
  while (options.runs > 1 && now() < warm) {
    fastest = std::min(fastest, sample(1));
  }
  // So many runs are long against the resolution of the clock.
  constexpr double kSampleMicroseconds = 20;
  const auto repeats = static_cast<int>(
      std::ceil(kSampleMicroseconds / std::max(fastest, 0.02)));
  std::vector<double> samples;
  const double begin = now();
  do {
    samples.push_back(sample(repeats));
  } while (samples.size() < options.runs &&
           now() - begin < options.seconds * (samples.size() < 3 ? 5e6 : 1e6));
  std::sort(samples.begin(), samples.end());
  return {{"runs", samples.size()},
          {"min_us", samples.front()},
          {"median_us", samples[samples.size() / 2]},
          {"p90_us", samples[samples.size() * 9 / 10]}};
}

}  // namespace

Report time_model(const BenchCase& options) {
  const std::string& path = options.file;
  const size_t threads = use_threads(options.threads);
  const double begin = now();
  MmapDataLoader loader = map_file(path);
  const auto program = value(runtime::Program::load(&loader), path);
  const double loaded = now();
  std::optional<MmapDataLoader> data_loader;
  std::optional<FlatTensorDataMap> data;
  if (!options.data.empty()) {
    data_loader.emplace(map_file(options.data));
    data.emplace(value(FlatTensorDataMap::load(&*data_loader), options.data));
  }
  const char* name = options.method.c_str();
  const MethodMeta meta = value(program.method_meta(name), path);
  test::MethodMemory memory(meta);
  Profile profile;
  const double ready = now();
  Method method =
      value(program.load_method(name, memory.manager(),
                                options.profile ? &profile : nullptr,
                                data ? &*data : nullptr),
            path);
  const double initialized = now();
  const Inputs inputs = make_inputs(meta);
  set_inputs(method, inputs, false);
  const auto outputs = set_outputs(method, meta);
  const auto run = [&] {
    set_inputs(method, inputs, true);
    check(method.execute(), path);
  };
  const double set = now();
  run();
  const double first = now() - set;
  profile = {};  // of the runs after loading and the first
  Report result = {{"name", path}, {"threads", threads}};
  result.update(time_runs(run, options));
  result.update({{"load_us", loaded - begin},
                 {"init_us", initialized - ready},
                 {"first_us", first},
                 {"peak_kb", peak_memory_kb()}});
  if (options.profile) {
    result["operators"] = profile.rows();
  }
  return result;
}

Report time_operator(const json& call, const std::vector<uint8_t>& raw,
                     const BenchCase& options) {
  const size_t threads = use_threads(options.threads);
  test::OpCall operation(call, raw);
  extension::MallocMemoryAllocator temp;
  const std::string name = call["op"];
  const auto kernel =
      value(runtime::get_op_function_from_registry(name.c_str()), name);
  const auto run = [&] {
    runtime::KernelRuntimeContext context(nullptr, &temp);
    kernel(context, operation.stack());
    check(context.failure_state(), name);
    temp.reset();
  };
  Report result = {{"name", name + " " + call["id"].get<std::string>()},
                   {"note", call.value("note", "")},
                   {"dtype", call["outs"].at(0)["dtype"]},
                   {"threads", threads}};
  result.update(time_runs(run, options));
  result["bytes"] = bytes_of(call);
  if (const auto count = macs(call)) {
    result["macs"] = *count;
  }
  return result;
}

}  // namespace executorch::tools
