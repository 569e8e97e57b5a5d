#include "tools/bench_timing.h"

#include <executorch/extension/data_loader/mmap_data_loader.h>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <memory>
#include <numeric>
#include <optional>

#include "test/support/op_call.h"
#include "tools/bench_profile.h"
#include "tools/bench_threads.h"
#include "tools/common.h"

namespace executorch::tools {

using extension::FlatTensorDataMap;
using extension::MallocMemoryAllocator;
using extension::MmapDataLoader;
using nlohmann::json;
using runtime::EValue;
using runtime::HierarchicalAllocator;
using runtime::MemoryManager;
using runtime::Method;
using runtime::MethodMeta;
using runtime::Program;
using runtime::Span;

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

// Buffers that the program plans, at addresses as an allocator gives them.
class PlannedMemory {
 public:
  explicit PlannedMemory(const MethodMeta& meta) {
    for (size_t i = 0; i < meta.num_memory_planned_buffers(); ++i) {
      const auto size = static_cast<size_t>(
          value(meta.memory_planned_buffer_size(i), "planned memory"));
      memory_.emplace_back(size + kAlignment);
      auto* begin = memory_.back().data();
      const auto past = reinterpret_cast<uintptr_t>(begin) % kAlignment;
      spans_.emplace_back(begin + (kAlignment - past), size);
    }
    allocator_.emplace(Span<Span<uint8_t>>(spans_.data(), spans_.size()));
  }
  HierarchicalAllocator* get() { return &*allocator_; }

 private:
  static constexpr size_t kAlignment = 64;
  std::vector<std::vector<uint8_t>> memory_;
  std::vector<Span<uint8_t>> spans_;
  std::optional<HierarchicalAllocator> allocator_;
};

// A tensor with its memory. Numbers are the same in each run: those of floating
// types between -1 and 1, and zeros of others, which are valid as indices.
class Buffer {
 public:
  explicit Buffer(const runtime::TensorInfo& info)
      : sizes_(info.sizes().begin(), info.sizes().end()),
        order_(info.dim_order().begin(), info.dim_order().end()),
        strides_(sizes_.size()),
        bytes_(info.nbytes() + 1) {
    aten::StridesType step = 1;
    for (size_t i = order_.size(); i-- > 0;) {
      strides_[order_[i]] = step;
      step *= std::max(sizes_[order_[i]], 1);
    }
    fill(info.scalar_type(), info.nbytes());
    impl_.emplace(info.scalar_type(), static_cast<ssize_t>(sizes_.size()),
                  sizes_.data(), bytes_.data(), order_.data(), strides_.data());
  }
  EValue value() { return EValue(aten::Tensor(&*impl_)); }
  void* data() { return bytes_.data(); }
  size_t size() const { return bytes_.size(); }

 private:
  void fill(aten::ScalarType type, size_t nbytes) {
    uint32_t state = 1;
    const auto each = [&](auto zero) {
      for (size_t at = 0; at + sizeof(zero) <= nbytes; at += sizeof(zero)) {
        state = state * 1664525u + 1013904223u;
        const auto x = static_cast<float>(state >> 8) / (1 << 23) - 1;
        const auto element = static_cast<decltype(zero)>(x);
        std::memcpy(bytes_.data() + at, &element, sizeof(element));
      }
    };
    if (type == aten::ScalarType::Float) {
      each(float{});
    } else if (type == aten::ScalarType::Double) {
      each(double{});
    } else if (type == aten::ScalarType::Half) {
      each(aten::Half{});
    } else if (type == aten::ScalarType::BFloat16) {
      each(aten::BFloat16{});
    }
  }

  std::vector<aten::SizesType> sizes_;
  std::vector<aten::DimOrderType> order_;
  std::vector<aten::StridesType> strides_;
  std::vector<uint8_t> bytes_;
  std::optional<aten::TensorImpl> impl_;
};

// Inputs get values; outputs that are not planned get memory.
std::vector<Buffer> bind(Method& method, const MethodMeta& meta) {
  std::vector<Buffer> buffers;
  buffers.reserve(meta.num_inputs() + meta.num_outputs());
  for (size_t i = 0; i < meta.num_inputs(); ++i) {
    if (*meta.input_tag(i) == runtime::Tag::Tensor) {
      buffers.emplace_back(value(meta.input_tensor_meta(i), "an input"));
      check(method.set_input(buffers.back().value(), i), "setting an input");
    }
  }
  for (size_t i = 0; i < meta.num_outputs(); ++i) {
    if (*meta.output_tag(i) != runtime::Tag::Tensor) {
      continue;
    }
    const auto info = value(meta.output_tensor_meta(i), "an output");
    if (!info.is_memory_planned()) {
      buffers.emplace_back(info);
      // Constants and views, which have memory, refuse it.
      (void)method.set_output_data_ptr(buffers.back().data(),
                                       buffers.back().size(), i);
    }
  }
  return buffers;
}

// Rows of products also say how many multiplications they need.
std::optional<double> macs(const json& call) {
  const std::string op = call["op"];
  const json& args = call["args"];
  const auto numel = [](const json& shape) {
    return std::accumulate(
        shape.begin(), shape.end(), 1.0,
        [](double n, const json& size) { return n * size.get<double>(); });
  };
  const json& out = call["outs"].at(0)["shape"];
  if (op == "aten::mm.out" || op == "aten::bmm.out") {
    return numel(out) * args[0]["shape"].back().get<double>();
  }
  if (op == "aten::addmm.out") {
    return numel(out) * args[1]["shape"].back().get<double>();
  }
  if (op == "aten::linear.out") {
    return numel(out) * args[0]["shape"].back().get<double>();
  }
  if (op == "aten::convolution.out" && args[6]["v"] == false) {
    const json& weight = args[1]["shape"];
    return numel(out) * numel(weight) / weight[0].get<double>();
  }
  return std::nullopt;
}

// Bytes that a call reads and writes at least.
double bytes_of(const json& call) {
  double bytes = 0;
  const auto add = [&](const json& tensor) {
    bytes += tensor.is_object() ? tensor.value("nbytes", 0.0) : 0.0;
  };
  for (const json& arg : call["args"]) {
    add(arg);
    for (const json& item : arg.value("items", json::array())) {
      add(item);
    }
  }
  for (const json& out : call["outs"]) {
    add(out);
  }
  return bytes;
}

}  // namespace

size_t peak_memory_kb() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) {
      return std::strtoul(line.c_str() + 6, nullptr, 10);
    }
  }
  return 0;
}

json time_runs(const std::function<void()>& run, const TimingOptions& options) {
  constexpr double kSampleMicroseconds = 20;
  const double begin = now();
  double fastest = microseconds_of(run);
  while (options.runs > 1 && now() - begin < options.warm_up) {
    fastest = std::min(fastest, microseconds_of(run));
  }
  const size_t repeats =
      options.runs == 1
          ? 1
          : static_cast<size_t>(
                std::max(1.0, kSampleMicroseconds / std::max(fastest, 0.02)));
  std::vector<double> samples;
  const double start = now();
  while (samples.size() < options.runs &&
         (samples.size() < 3 || now() - start < options.seconds)) {
    samples.push_back(microseconds_of([&] {
                        for (size_t i = 0; i < repeats; ++i) {
                          run();
                        }
                      }) /
                      static_cast<double>(repeats));
  }
  std::sort(samples.begin(), samples.end());
  return {{"runs", samples.size()},
          {"min_us", samples.front()},
          {"median_us", samples[samples.size() / 2]},
          {"p90_us", samples[samples.size() * 9 / 10]}};
}

json time_model(const std::string& path, const TimingOptions& options) {
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
  PlannedMemory planned(meta);
  MallocMemoryAllocator memory, temp;
  MemoryManager manager(&memory, planned.get(), &temp);
  Profile profile;
  std::unique_ptr<Method> method;
  const double init = microseconds_of([&] {
    method = keep(
        program->load_method(name, &manager,
                             options.profile ? &profile : nullptr, data.get()),
        path);
  });
  const std::vector<Buffer> buffers = bind(*method, meta);
  const auto run = [&] { check(method->execute(), path); };
  const double first = microseconds_of(run);
  profile.clear();
  json result = time_runs(run, options);
  result.update({{"name", path},
                 {"kind", "model"},
                 {"threads", threads},
                 {"load_us", load},
                 {"init_us", init},
                 {"first_us", first},
                 {"peak_kb", peak_memory_kb()}});
  if (options.profile) {
    result["operators"] = profile.rows();
  }
  return result;
}

json time_operator(const json& call, const std::vector<uint8_t>& raw,
                   const TimingOptions& options) {
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
  json result = time_runs(run, options);
  result.update({{"name", name + " " + call["id"].get<std::string>()},
                 {"kind", "operator"},
                 {"note", call.value("note", "")},
                 {"threads", threads},
                 {"bytes", bytes_of(call)}});
  if (const auto count = macs(call)) {
    result["macs"] = *count;
  }
  return result;
}

}  // namespace executorch::tools
