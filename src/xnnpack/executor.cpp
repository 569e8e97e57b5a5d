#include "src/xnnpack/executor.h"

#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/platform/log.h>
#include <executorch/runtime/platform/platform.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "src/threadpool/pool.h"
#include "src/xnnpack/loops.h"
#include "src/xnnpack/memory.h"
#include "src/xnnpack/profile.h"
#include "src/xnnpack/status.h"
#include "src/xnnpack/values.h"
#include "src/xnnpack/workspace.h"

namespace executorch::xnnpack {

using aten::ScalarType;
using aten::SizesType;
using aten::Tensor;
using runtime::Error;
using runtime::EValue;
using runtime::NamedDataMap;
using runtime::Result;
using runtime::Span;

namespace {

// A tensor that the delegate takes or gives; its index is that of the argument.
struct External {
  bool is_input = false;
  bool is_used = false;  // an argument that the graph does not name is skipped
  size_t bounds[kMaxDims] = {};  // upper bounds of the sizes
  size_t rank = 0;               // of the last run; 0 before it
  size_t sizes[kMaxDims] = {};
  std::unique_ptr<uint8_t[]> copy;  // for tensors that XNNPACK must not see
  size_t copy_size = 0;

  // Null if there is no memory.
  uint8_t* copy_of(const Tensor& tensor);
};

uint8_t* External::copy_of(const Tensor& tensor) {
  const size_t size = tensor.nbytes();
  if (size > copy_size) {
    copy.reset(new (std::nothrow) uint8_t[size + XNN_EXTRA_BYTES]);
    copy_size = copy == nullptr ? 0 : size;
  }
  if (copy != nullptr && is_input) {
    std::memcpy(copy.get(), tensor.const_data_ptr(), size);
  }
  return copy.get();
}

struct Shape {
  size_t rank = 0;
  size_t sizes[kMaxDims] = {};

  bool fits(const External& external) const {
    return std::equal(sizes, sizes + rank, external.bounds,
                      [](size_t size, size_t bound) { return size <= bound; });
  }
};

// XNNPACK sees the sizes in the order of memory, and a tensor without
// dimensions as one element. With sizes of 1 several orders are the same
// memory: then the one that the graph was made for is that within its bounds.
Shape shape_of(const Tensor& tensor, const External& external) {
  Shape by_memory, by_number;
  const auto rank = static_cast<size_t>(tensor.dim());
  by_memory.rank = by_number.rank = std::max<size_t>(rank, 1);
  by_memory.sizes[0] = by_number.sizes[0] = 1;
  bool same_memory = true;
  size_t last = 0;
  for (size_t d = 0; d < rank; ++d) {
    const size_t dim = tensor.dim_order()[d];
    by_memory.sizes[d] = static_cast<size_t>(tensor.size(dim));
    by_number.sizes[d] = static_cast<size_t>(tensor.size(d));
    if (by_memory.sizes[d] != 1) {
      same_memory = same_memory && dim >= last;
      last = dim;
    }
  }
  return same_memory && !by_memory.fits(external) ? by_number : by_memory;
}

Error check(xnn_status status, const char* step) {
  if (status != xnn_status_success) {
    ET_LOG(Error, "XNNPACK: %s failed: %s", step, words_of(status));
  }
  return error_of(status);
}

struct DeleteSubgraph {
  void operator()(xnn_subgraph_t subgraph) const {
    (void)xnn_delete_subgraph(subgraph);
  }
};
using Subgraph =
    std::unique_ptr<std::remove_pointer_t<xnn_subgraph_t>, DeleteSubgraph>;

}  // namespace

xnn_status Graph::define_float_twin(uint32_t value, uint32_t* id) const {
  size_t sizes[kMaxDims] = {};
  size_t rank = 0;
  for (const uint32_t size : *payload.tensor(value).dims()) {
    sizes[rank++] = size;
  }
  return xnn_define_tensor_value(subgraph, xnn_datatype_fp32, rank, sizes,
                                 nullptr, XNN_INVALID_VALUE_ID, 0, id);
}

struct Executor::State {
  // What the runtime reads at every run, declared before it to outlive it.
  TeamPtr team;  // of this run
  size_t planned_threads = 0;
  std::shared_ptr<Workspace> workspace;
  std::unique_ptr<CacheSession> cache;
  std::unique_ptr<Constants> constants;
  uint32_t flags = 0;
  xnn_runtime_t runtime = nullptr;
  std::vector<External> externals;
  std::vector<xnn_external_value> addresses;

  ~State() {
    if (runtime != nullptr) {
      const std::lock_guard<std::mutex> lock(workspace->mutex);
      (void)xnn_delete_runtime(runtime);
    }
  }

  Error build(const Payload& payload);
  void list_externals(const Payload& payload);
  Error set_input_shape(uint32_t id, const Tensor& tensor, bool* changed);
  Error resize_output(uint32_t id, Tensor& tensor);
  size_t memory_limit(Span<EValue*> args) const;
  Error check_arguments(Span<EValue*> args) const;
  Error reshape(Span<EValue*> args);
  Error bind(Span<EValue*> args);
  void finish_outputs(Span<EValue*> args) const;
  Error run(Span<EValue*> args, executorch::runtime::EventTracer* tracer);
  // The next run gives all inputs their shapes again.
  void forget_shapes() {
    for (External& external : externals) {
      external.rank = 0;
    }
  }
};

Error Executor::State::build(const Payload& payload) {
  const uint32_t externs = payload.graph->num_externs();
  xnn_subgraph_t made = nullptr;
  ET_CHECK_OK_OR_RETURN_ERROR(
      check(xnn_create_subgraph(externs, 0, &made), "creating a subgraph"));
  const Subgraph subgraph(made);
  std::vector<uint32_t> ids(payload.num_values());
  ET_CHECK_OK_OR_RETURN_ERROR(define_values(payload, subgraph.get(), *constants,
                                            cache.get(), ids.data()));
  const Graph graph{payload, subgraph.get(), ids.data()};
  uint32_t index = 0;
  for (const fb::XNode* node : *payload.graph->xnodes()) {
    const xnn_status status = define_node(graph, *node);
    if (status != xnn_status_success) {
      ET_LOG(Error, "XNNPACK refuses node %u (%s): %s", index, node_name(*node),
             words_of(status));
      return error_of(status);
    }
    ++index;
  }
  list_externals(payload);
  const std::lock_guard<std::mutex> lock(workspace->mutex);
  ET_CHECK_OK_OR_RETURN_ERROR(
      check(xnn_create_runtime_v4(
                subgraph.get(), cache != nullptr ? cache->provider() : nullptr,
                workspace->handle, handle_of(&team), flags, &runtime),
            "creating a runtime"));
  if (cache != nullptr) {
    cache->finish();
  }
  constants->drop_packed();
  return Error::Ok;
}

void Executor::State::list_externals(const Payload& payload) {
  externals.resize(payload.graph->num_externs());
  for (uint32_t id = 0; id < payload.num_values(); ++id) {
    const fb::XNNTensorValue& tensor = payload.tensor(id);
    if (tensor.flags() != 0) {
      External& external = externals[tensor.external_id()];
      external.is_input = tensor.flags() == kExternalInput;
      external.is_used = true;
      std::copy(tensor.dims()->begin(), tensor.dims()->end(), external.bounds);
    }
  }
}

Error Executor::State::set_input_shape(uint32_t id, const Tensor& tensor,
                                       bool* changed) {
  ET_CHECK_OR_RETURN_ERROR(
      tensor.dim() <= static_cast<ssize_t>(kMaxDims), InvalidArgument,
      "delegate input %u has %zd dimensions, XNNPACK takes %zu", id,
      tensor.dim(), kMaxDims);
  External& external = externals[id];
  const Shape shape = shape_of(tensor, external);
  if (shape.rank == external.rank &&
      std::equal(shape.sizes, shape.sizes + shape.rank, external.sizes)) {
    return Error::Ok;
  }
  *changed = true;
  ET_CHECK_OK_OR_RETURN_ERROR(
      check(xnn_reshape_external_value(runtime, id, shape.rank, shape.sizes),
            "giving an input its shape"));
  external.rank = shape.rank;
  std::copy_n(shape.sizes, shape.rank, external.sizes);
  return Error::Ok;
}

Error Executor::State::resize_output(uint32_t id, Tensor& tensor) {
  size_t rank = 0, sizes[kMaxDims] = {};
  ET_CHECK_OK_OR_RETURN_ERROR(
      check(xnn_get_external_value_shape(runtime, id, &rank, sizes),
            "finding the shape of an output"));
  const auto dims = static_cast<size_t>(tensor.dim());
  const bool scalar = dims == 0 && rank == 1 && sizes[0] == 1;
  ET_CHECK_OR_RETURN_ERROR(scalar || rank == dims, InvalidProgram,
                           "delegate output %u has %zu dimensions, the program "
                           "expects %zu",
                           id, rank, dims);
  SizesType logical[kMaxDims] = {};
  for (size_t d = 0; d < dims; ++d) {
    logical[tensor.dim_order()[d]] = static_cast<SizesType>(sizes[d]);
  }
  return runtime::resize_tensor(tensor, {logical, dims});
}

namespace {

// XNNPACK writes indices as int32. The last goes first, as they widen in place.
void widen_indices(Tensor& tensor) {
  auto* wide = tensor.mutable_data_ptr<int64_t>();
  const auto* narrow = reinterpret_cast<const int32_t*>(wide);
  for (ssize_t i = tensor.numel(); i-- > 0;) {
    const int32_t value = narrow[i];
    wide[i] = value;
  }
}

}  // namespace

// The sizes of intermediate values follow from numbers in the payload. They are
// believed up to a gigabyte, and beyond that up to a multiple of what exists.
size_t Executor::State::memory_limit(Span<EValue*> args) const {
  size_t bytes = constants->bytes();
  for (uint32_t id = 0; id < externals.size(); ++id) {
    bytes += externals[id].is_used ? args[id]->toTensor().nbytes() : 0;
  }
  return (size_t{1} << 30) + 256 * bytes;
}

Error Executor::State::check_arguments(Span<EValue*> args) const {
  ET_CHECK_OR_RETURN_ERROR(args.size() >= externals.size(), InvalidArgument,
                           "the delegate takes %zu arguments, got %zu",
                           externals.size(), args.size());
  for (uint32_t id = 0; id < externals.size(); ++id) {
    ET_CHECK_OR_RETURN_ERROR(!externals[id].is_used || args[id]->isTensor(),
                             InvalidArgument,
                             "argument %u of the delegate is not a tensor", id);
  }
  return Error::Ok;
}

Error Executor::State::reshape(Span<EValue*> args) {
  // Its plan depends on the number of threads too.
  const size_t threads = thread_count(handle_of(&team));
  bool changed = threads != planned_threads;
  planned_threads = threads;
  for (uint32_t id = 0; id < externals.size(); ++id) {
    if (externals[id].is_used && externals[id].is_input) {
      ET_CHECK_OK_OR_RETURN_ERROR(
          set_input_shape(id, args[id]->toTensor(), &changed));
    }
  }
  const Error error =
      changed ? check(xnn_reshape_runtime(runtime), "finding the shapes")
              : Error::Ok;
  if (error != Error::Ok) {
    forget_shapes();
  }
  return error;
}

Error Executor::State::bind(Span<EValue*> args) {
  addresses.clear();
  for (uint32_t id = 0; id < externals.size(); ++id) {
    External& external = externals[id];
    if (!external.is_used) {
      continue;
    }
    Tensor& tensor = args[id]->toTensor();
    if (!external.is_input) {
      ET_CHECK_OK_OR_RETURN_ERROR(resize_output(id, tensor));
    }
    void* data = tensor.mutable_data_ptr();
    if (is_read_past(data, tensor.nbytes())) {
      data = external.copy_of(tensor);
      ET_CHECK_OR_RETURN_ERROR(data != nullptr, MemoryAllocationFailed,
                               "no memory for a copy of argument %u of the "
                               "delegate, %zu bytes",
                               id, tensor.nbytes());
    }
    addresses.push_back({id, data});
  }
  return check(
      xnn_setup_runtime_v2(runtime, addresses.size(), addresses.data()),
      "setting up a run");
}

void Executor::State::finish_outputs(Span<EValue*> args) const {
  for (const xnn_external_value& value : addresses) {
    if (externals[value.id].is_input) {
      continue;
    }
    Tensor& tensor = args[value.id]->toTensor();
    if (value.data != tensor.const_data_ptr()) {
      std::memcpy(tensor.mutable_data_ptr(), value.data, tensor.nbytes());
    }
    if (tensor.scalar_type() == ScalarType::Long) {
      widen_indices(tensor);
    }
  }
}

Error Executor::State::run(Span<EValue*> args, runtime::EventTracer* tracer) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_arguments(args));
  const std::lock_guard<std::mutex> lock(workspace->mutex);
  ET_CHECK_OR_RETURN_ERROR(!workspace->failed, InvalidState,
                           "a delegate that shares its workspace with this one "
                           "found no memory; load the method again");
  team = extension::threadpool::hold_team();
  {
    const AllocationLimit limit(memory_limit(args));
    Error error = reshape(args);
    error = error == Error::Ok ? bind(args) : error;
    workspace->failed = error == Error::MemoryAllocationFailed;
    if (error != Error::Ok) {
      return error;
    }
  }
  const bool traced = tracer != nullptr && flags != 0;
  const et_timestamp_t begin = traced ? runtime::pal_current_ticks() : 0;
  ET_CHECK_OK_OR_RETURN_ERROR(check(xnn_invoke_runtime(runtime), "running"));
  finish_outputs(args);
  return traced ? log_operators(runtime, begin, *tracer) : Error::Ok;
}

namespace {

// A flatbuffer is read where its fields are aligned; a payload within a program
// need not be.
Result<Span<const uint8_t>> align(Span<const uint8_t> bytes,
                                  std::unique_ptr<uint8_t[]>* copy) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % alignof(std::max_align_t) ==
      0) {
    return bytes;
  }
  copy->reset(new (std::nothrow) uint8_t[bytes.size()]);
  ET_CHECK_OR_RETURN_ERROR(*copy != nullptr, MemoryAllocationFailed,
                           "no memory for a payload of %zu bytes",
                           bytes.size());
  std::copy(bytes.begin(), bytes.end(), copy->get());
  return Span<const uint8_t>(copy->get(), bytes.size());
}

}  // namespace

Executor::Executor(std::unique_ptr<State> state) : state_(std::move(state)) {}
Executor::~Executor() = default;

Result<std::unique_ptr<Executor>> Executor::create(
    Span<const uint8_t> bytes, const NamedDataMap* named_data,
    const void* model, const ExecutorOptions& options) {
  const xnn_status status = xnn_initialize(&allocator());
  ET_CHECK_OR_RETURN_ERROR(
      status == xnn_status_success, NotSupported,
      "XNNPACK cannot run here (status %d); it needs /proc to know the CPU",
      static_cast<int>(status));
  std::unique_ptr<uint8_t[]> copy;
  const Payload payload =
      ET_UNWRAP(read_payload(ET_UNWRAP(align(bytes, &copy))));
  auto state = std::make_unique<State>();
  state->team = extension::threadpool::hold_team();
  state->workspace = get_workspace(options.sharing, model);
  ET_CHECK_OR_RETURN_ERROR(state->workspace->handle != nullptr,
                           MemoryAllocationFailed,
                           "no memory for a workspace of XNNPACK");
  if (options.weight_cache) {
    state->cache = std::make_unique<CacheSession>();
  }
  state->flags = options.profile ? XNN_FLAG_BASIC_PROFILING : 0;
  state->constants = std::make_unique<Constants>(payload, named_data);
  ET_CHECK_OK_OR_RETURN_ERROR(state->build(payload));
  return std::unique_ptr<Executor>(new Executor(std::move(state)));
}

Error Executor::execute(Span<EValue*> args, runtime::EventTracer* tracer) {
  return state_->run(args, tracer);
}

}  // namespace executorch::xnnpack
