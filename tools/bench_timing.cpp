#include <executorch/extension/data_loader/mmap_data_loader.h>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <numeric>
#include <optional>

#include "test/support/method_memory.h"
#include "test/support/op_call.h"
#include "tools/bench.h"
#include "tools/bench_profile.h"
#include "tools/bench_threads.h"

namespace executorch::tools {

using extension::FlatTensorDataMap;
using extension::MallocMemoryAllocator;
using extension::MmapDataLoader;
using extension::TensorPtr;
using nlohmann::json;
using runtime::EValue;
using runtime::Method;
using runtime::MethodMeta;
using runtime::Program;

namespace {

double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double microseconds_of(const std::function<void()>& work) {
  const double begin = now();
  work();
  return (now() - begin) * 1e6;
}

template <class T>
std::unique_ptr<T> keep(runtime::Result<T> result, const std::string& what) {
  return std::make_unique<T>(value(std::move(result), what));
}

std::unique_ptr<MmapDataLoader> map_file(const std::string& path) {
  return keep(
      MmapDataLoader::from(path.c_str(), MmapDataLoader::MlockConfig::NoMlock),
      path);
}

// A tensor with memory of its own. Of types that are not floating the elements
// are 0, which is valid as an index.
TensorPtr make_tensor(const runtime::TensorInfo& info) {
  const std::vector<aten::SizesType> sizes(info.sizes().begin(),
                                           info.sizes().end());
  const auto type = info.scalar_type();
  const TensorPtr values = runtime::isFloatingType(type)
                               ? extension::randn(sizes, type)
                               : extension::zeros(sizes, type);
  const auto* bytes = static_cast<const uint8_t*>(values->const_data_ptr());
  return extension::make_tensor_ptr(
      sizes, std::vector<uint8_t>(bytes, bytes + values->nbytes()),
      {info.dim_order().begin(), info.dim_order().end()}, {}, type);
}

// The tensors that a method works on.
class Arguments {
 public:
  // Inputs get values; outputs that are not planned get memory.
  Arguments(Method& method, const MethodMeta& meta) : method_(method) {
    for (size_t i = 0; i < meta.num_inputs(); ++i) {
      if (*meta.input_tag(i) == runtime::Tag::Tensor) {
        inputs_.emplace_back(
            i, make_tensor(value(meta.input_tensor_meta(i), "an input")));
        set(inputs_.back());
      }
    }
    for (size_t i = 0; i < meta.num_outputs(); ++i) {
      if (*meta.output_tag(i) == runtime::Tag::Tensor) {
        const auto info = value(meta.output_tensor_meta(i), "an output");
        if (!info.is_memory_planned()) {
          outputs_.push_back(make_tensor(info));
          // Constants and views, which have memory, refuse it.
          (void)method.set_output_data_ptr(outputs_.back()->mutable_data_ptr(),
                                           info.nbytes(), i);
        }
      }
    }
  }

  // Later values may use the memory of an input that the program planned: its
  // next run finds other numbers there, which are no valid indices.
  void restore_indices() {
    for (const Input& input : inputs_) {
      if (!runtime::isFloatingType(input.second->scalar_type())) {
        set(input);
      }
    }
  }

 private:
  using Input = std::pair<size_t, TensorPtr>;

  void set(const Input& input) {
    check(method_.set_input(EValue(*input.second), input.first),
          "setting an input");
  }

  Method& method_;
  std::vector<Input> inputs_;
  std::vector<TensorPtr> outputs_;
};

double numel(const json& shape) {
  return std::accumulate(
      shape.begin(), shape.end(), 1.0,
      [](double n, const json& size) { return n * size.get<double>(); });
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
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) {
      return std::strtoul(line.c_str() + 6, nullptr, 10);
    }
  }
  return 0;
}

// A sample holds as many runs as make it long against the resolution of the
// clock.
Report time_runs(const std::function<void()>& run, const BenchCase& options) {
  constexpr double kSampleMicroseconds = 20;
  const double begin = now();
  double fastest = microseconds_of(run);
  while (options.runs > 1 && now() - begin < options.warm_up) {
    fastest = std::min(fastest, microseconds_of(run));
  }
  const double fitting = kSampleMicroseconds / std::max(fastest, 0.02);
  const int repeats =
      options.runs == 1 ? 1 : static_cast<int>(std::max(1.0, fitting));
  std::vector<double> samples;
  const double start = now();
  const auto is_enough = [&] {
    const double least = samples.size() < 3 ? 5 : 1;
    return samples.size() >= options.runs ||
           now() - start >= least * options.seconds;
  };
  do {
    const double time = microseconds_of([&] {
      for (int i = 0; i < repeats; ++i) {
        run();
      }
    });
    samples.push_back(time / repeats);
  } while (!is_enough());
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
  std::unique_ptr<MmapDataLoader> loader, data_loader;
  std::unique_ptr<Program> program;
  std::unique_ptr<FlatTensorDataMap> data;
  const double load = microseconds_of([&] {
    loader = map_file(path);
    program = keep(Program::load(loader.get()), path);
  });
  if (!options.data.empty()) {
    data_loader = map_file(options.data);
    data = keep(FlatTensorDataMap::load(data_loader.get()), options.data);
  }
  const char* name = options.method.c_str();
  const MethodMeta meta = value(program->method_meta(name), path);
  test::MethodMemory memory(meta);
  Profile profile;
  std::unique_ptr<Method> method;
  const double init = microseconds_of([&] {
    method = keep(
        program->load_method(name, memory.manager(),
                             options.profile ? &profile : nullptr, data.get()),
        path);
  });
  Arguments arguments(*method, meta);
  const auto run = [&] {
    arguments.restore_indices();
    check(method->execute(), path);
  };
  const double first = microseconds_of(run);
  profile.clear();
  Report result = {{"name", path}, {"kind", "model"}, {"threads", threads}};
  result.update(time_runs(run, options));
  result.update({{"load_us", load},
                 {"init_us", init},
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
  MallocMemoryAllocator temp;
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
                   {"kind", "operator"},
                   {"note", call.value("note", "")},
                   {"threads", threads}};
  result.update(time_runs(run, options));
  result["bytes"] = bytes_of(call);
  if (const auto count = macs(call)) {
    result["macs"] = *count;
    result["dtype"] = call["outs"].at(0)["dtype"];
  }
  return result;
}

}  // namespace executorch::tools
