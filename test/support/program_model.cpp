#include "test/support/program_model.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "src/format/flat_tensor_generated.h"
#include "src/format/program_generated.h"

namespace executorch::test {

namespace fb = ::executorch_flatbuffer;
namespace ft = ::flat_tensor_flatbuffer;
using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

namespace {

constexpr size_t kSegmentAlignment = 16;

std::vector<uint8_t> order_of(const TensorModel& tensor) {
  std::vector<uint8_t> order = *tensor.dim_order;
  if (order.empty() && tensor.sizes) {
    order.resize(tensor.sizes->size());
    std::iota(order.begin(), order.end(), 0);
  }
  return order;
}

// Puts `header` (a multiple of 8 bytes) behind root offset and identifier,
// pads, and appends the segments. The header's numbers are filled in by `fill`.
template <class Fill>
FileBytes assemble(const FlatBufferBuilder& builder, size_t header_size,
                   const std::vector<std::vector<uint8_t>>& segments,
                   Fill&& fill) {
  constexpr size_t kHead = 8;
  const uint8_t* tables = builder.GetBufferPointer();
  std::vector<uint8_t> file(tables, tables + kHead);
  file.resize(kHead + header_size);
  file.insert(file.end(), tables + kHead, tables + builder.GetSize());
  uint32_t root = 0;
  std::memcpy(&root, file.data(), sizeof(root));
  root += static_cast<uint32_t>(header_size);
  std::memcpy(file.data(), &root, sizeof(root));
  const size_t tables_size = file.size();
  const auto pad = [&file] {
    file.resize((file.size() + kSegmentAlignment - 1) / kSegmentAlignment *
                kSegmentAlignment);
  };
  pad();
  const size_t base = file.size();
  for (const auto& segment : segments) {
    file.insert(file.end(), segment.begin(), segment.end());
    pad();
  }
  if (header_size > 0) {
    fill(file.data() + kHead, tables_size, base, file.size() - base);
  }
  return FileBytes(std::move(file));
}

// Offset and size of each segment, as assemble() puts them.
std::vector<std::pair<uint64_t, uint64_t>> segment_places(
    const std::vector<std::vector<uint8_t>>& segments) {
  std::vector<std::pair<uint64_t, uint64_t>> places;
  uint64_t offset = 0;
  for (const auto& segment : segments) {
    places.emplace_back(offset, segment.size());
    offset += (segment.size() + kSegmentAlignment - 1) / kSegmentAlignment *
              kSegmentAlignment;
  }
  return places;
}

class ProgramWriter {
 public:
  explicit ProgramWriter(const ProgramModel& program) : program_(program) {}

  FileBytes write() {
    std::vector<Offset<fb::ExecutionPlan>> plans;
    for (const MethodModel& method : program_.methods) {
      plans.push_back(plan(method));
    }
    std::vector<Offset<fb::Buffer>> constants;
    for (const auto& constant : program_.constants) {
      constants.push_back(fb::CreateBuffer(b_, b_.CreateVector(constant)));
    }
    std::vector<Offset<fb::BackendDelegateInlineData>> delegate_data;
    for (const auto& data : program_.delegate_data) {
      delegate_data.push_back(
          fb::CreateBackendDelegateInlineData(b_, b_.CreateVector(data)));
    }
    std::vector<Offset<fb::DataSegment>> segments;
    for (const auto& [offset, size] : segment_places(program_.segments)) {
      segments.push_back(fb::CreateDataSegment(b_, offset, size));
    }
    std::vector<Offset<fb::SubsegmentOffsets>> first_values;
    for (const OffsetsModel& values : program_.first_values) {
      first_values.push_back(offsets(values));
    }
    std::vector<Offset<fb::NamedData>> named;
    for (const auto& [name, segment] : program_.named_data) {
      named.push_back(fb::CreateNamedData(b_, b_.CreateString(name), segment));
    }
    const Offset<fb::SubsegmentOffsets> constant_segment =
        program_.constant_segment ? offsets(*program_.constant_segment)
                                  : Offset<fb::SubsegmentOffsets>();
    fb::FinishProgramBuffer(
        b_, fb::CreateProgram(
                b_, program_.version, b_.CreateVector(plans),
                b_.CreateVector(constants), b_.CreateVector(delegate_data),
                b_.CreateVector(segments), constant_segment,
                b_.CreateVector(first_values), b_.CreateVector(named)));
    const size_t header = program_.segments.empty() ? 0 : 32;
    return assemble(
        b_, header, program_.segments,
        [](uint8_t* at, uint64_t size, uint64_t base, uint64_t data_size) {
          const uint32_t length = 32;
          std::memcpy(at, "eh00", 4);
          std::memcpy(at + 4, &length, 4);
          std::memcpy(at + 8, &size, 8);
          std::memcpy(at + 16, &base, 8);
          std::memcpy(at + 24, &data_size, 8);
        });
  }

 private:
  Offset<fb::SubsegmentOffsets> offsets(const OffsetsModel& model) {
    return fb::CreateSubsegmentOffsets(b_, model.segment,
                                       b_.CreateVector(model.offsets));
  }

  Offset<fb::Tensor> tensor(const TensorModel& t) {
    const auto sizes = t.sizes ? b_.CreateVector(*t.sizes) : 0;
    const auto order = t.dim_order ? b_.CreateVector(order_of(t)) : 0;
    Offset<fb::ExtraTensorInfo> info;
    if (!t.name.empty() || t.external || t.first_value_list != 0) {
      info = fb::CreateExtraTensorInfo(
          b_, t.first_value_list, b_.CreateString(t.name),
          t.external ? fb::TensorDataLocation::EXTERNAL
                     : fb::TensorDataLocation::SEGMENT);
    }
    const Offset<fb::AllocationDetails> place =
        t.place ? fb::CreateAllocationDetails(
                      b_, t.place->memory_id,
                      static_cast<uint32_t>(t.place->offset),
                      static_cast<uint32_t>(t.place->offset >> 32))
                : Offset<fb::AllocationDetails>();
    return fb::CreateTensor(b_, t.dtype, 0, sizes, order, false, t.data, place,
                            0, static_cast<fb::TensorShapeDynamism>(t.dynamism),
                            info);
  }

  Offset<fb::EValue> value(const ValueModel& v) {
    const auto make = [this](fb::KernelTypes type, auto offset) {
      return fb::CreateEValue(b_, type, offset.Union());
    };
    using K = fb::KernelTypes;
    if (const auto* x = std::get_if<int64_t>(&v)) {
      return make(K::Int, fb::CreateInt(b_, *x));
    }
    if (const auto* x = std::get_if<double>(&v)) {
      return make(K::Double, fb::CreateDouble(b_, *x));
    }
    if (const auto* x = std::get_if<bool>(&v)) {
      return make(K::Bool, fb::CreateBool(b_, *x));
    }
    if (const auto* x = std::get_if<std::string>(&v)) {
      return make(K::String, fb::CreateString(b_, b_.CreateString(*x)));
    }
    if (const auto* x = std::get_if<TensorModel>(&v)) {
      return make(K::Tensor, tensor(*x));
    }
    if (const auto* x = std::get_if<IntsModel>(&v)) {
      return make(K::IntList, fb::CreateIntList(b_, b_.CreateVector(x->items)));
    }
    if (const auto* x = std::get_if<BoolsModel>(&v)) {
      return make(K::BoolList,
                  fb::CreateBoolList(b_, b_.CreateVector(x->items)));
    }
    if (const auto* x = std::get_if<TensorsModel>(&v)) {
      const auto items = b_.CreateVector(x->items);
      return x->optional ? make(K::OptionalTensorList,
                                fb::CreateOptionalTensorList(b_, items))
                         : make(K::TensorList, fb::CreateTensorList(b_, items));
    }
    if (std::holds_alternative<MissingValue>(v)) {
      return fb::CreateEValue(b_);
    }
    return make(K::Null, fb::CreateNull(b_));
  }

  Offset<fb::Instruction> instruction(const InstructionModel& model) {
    const auto make = [this](fb::InstructionArguments type, auto offset) {
      return fb::CreateInstruction(b_, type, offset.Union());
    };
    using I = fb::InstructionArguments;
    if (const auto* x = std::get_if<KernelModel>(&model)) {
      return make(I::KernelCall,
                  fb::CreateKernelCall(b_, x->op, b_.CreateVector(x->args)));
    }
    if (const auto* x = std::get_if<DelegateCallModel>(&model)) {
      return make(
          I::DelegateCall,
          fb::CreateDelegateCall(b_, x->delegate, b_.CreateVector(x->args)));
    }
    if (const auto* x = std::get_if<MoveModel>(&model)) {
      return make(I::MoveCall, fb::CreateMoveCall(b_, x->from, x->to));
    }
    if (const auto* x = std::get_if<JumpModel>(&model)) {
      return make(I::JumpFalseCall,
                  fb::CreateJumpFalseCall(b_, x->condition, x->target));
    }
    if (const auto* x = std::get_if<FreeModel>(&model)) {
      return make(I::FreeCall, fb::CreateFreeCall(b_, x->value));
    }
    return fb::CreateInstruction(b_);
  }

  Offset<fb::ExecutionPlan> plan(const MethodModel& m) {
    std::vector<Offset<fb::EValue>> values;
    for (const ValueModel& v : m.values) {
      values.push_back(value(v));
    }
    std::vector<Offset<fb::Instruction>> code;
    for (const InstructionModel& i : m.code) {
      code.push_back(instruction(i));
    }
    std::vector<Offset<fb::Chain>> chains = {
        fb::CreateChain(b_, 0, 0, b_.CreateVector(code))};
    std::vector<Offset<fb::Operator>> operators;
    for (const OperatorModel& op : m.operators) {
      operators.push_back(
          fb::CreateOperator(b_, op.name ? b_.CreateString(*op.name) : 0,
                             b_.CreateString(op.overload)));
    }
    std::vector<Offset<fb::BackendDelegate>> delegates;
    for (const DelegateModel& d : m.delegates) {
      delegates.push_back(fb::CreateBackendDelegate(
          b_, d.backend ? b_.CreateString(*d.backend) : 0,
          fb::CreateBackendDelegateDataReference(
              b_, static_cast<fb::DataLocation>(d.location), d.index)));
    }
    return fb::CreateExecutionPlan(
        b_, m.name ? b_.CreateString(*m.name) : 0, 0, b_.CreateVector(values),
        b_.CreateVector(m.inputs), b_.CreateVector(m.outputs),
        m.has_chains ? b_.CreateVector(chains) : 0, b_.CreateVector(operators),
        b_.CreateVector(delegates), b_.CreateVector(m.buffers));
  }

  const ProgramModel& program_;
  FlatBufferBuilder b_;
};

}  // namespace

int32_t MethodModel::add(ValueModel value) {
  values.push_back(std::move(value));
  return static_cast<int32_t>(values.size()) - 1;
}

int32_t MethodModel::add_planned(std::vector<int32_t> sizes, uint64_t offset) {
  TensorModel tensor;
  tensor.sizes = std::move(sizes);
  tensor.place = Place{1, offset};
  return add(tensor);
}

void MethodModel::call(const std::string& name, std::vector<int32_t> args) {
  const size_t dot = name.find('.');
  OperatorModel op{name.substr(0, dot),
                   dot == std::string::npos ? "" : name.substr(dot + 1)};
  operators.push_back(std::move(op));
  code.push_back(
      KernelModel{static_cast<int32_t>(operators.size()) - 1, std::move(args)});
}

FileBytes::FileBytes(std::vector<uint8_t> bytes)
    : memory_(bytes.size() / sizeof(std::max_align_t) + 1),
      size_(bytes.size()) {
  std::copy(bytes.begin(), bytes.end(), data());
}

FileBytes write_program(const ProgramModel& program) {
  return ProgramWriter(program).write();
}

FileBytes write_flat_tensor(const std::vector<NamedTensorModel>& tensors) {
  FlatBufferBuilder b;
  std::vector<std::vector<uint8_t>> data;
  for (const NamedTensorModel& tensor : tensors) {
    data.push_back(tensor.data);
  }
  std::vector<Offset<ft::DataSegment>> segments;
  for (const auto& [offset, size] : segment_places(data)) {
    segments.push_back(ft::CreateDataSegment(b, offset, size));
  }
  std::vector<Offset<ft::NamedData>> named;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const TensorModel& t = tensors[i].tensor;
    const Offset<ft::TensorLayout> layout =
        tensors[i].is_tensor
            ? ft::CreateTensorLayout(b, t.dtype, b.CreateVector(*t.sizes),
                                     b.CreateVector(order_of(t)))
            : Offset<ft::TensorLayout>();
    named.push_back(ft::CreateNamedData(b, b.CreateString(tensors[i].name),
                                        static_cast<uint32_t>(i), layout));
  }
  ft::FinishFlatTensorBuffer(
      b, ft::CreateFlatTensor(b, 0, b.CreateVector(segments),
                              b.CreateVector(named)));
  return assemble(
      b, 40, data,
      [](uint8_t* at, uint64_t size, uint64_t base, uint64_t data_size) {
        const uint32_t length = 40;
        const uint64_t tables_at = 48;
        const uint64_t tables_size = size - tables_at;
        std::memcpy(at, "FH01", 4);
        std::memcpy(at + 4, &length, 4);
        std::memcpy(at + 8, &tables_at, 8);
        std::memcpy(at + 16, &tables_size, 8);
        std::memcpy(at + 24, &base, 8);
        std::memcpy(at + 32, &data_size, 8);
      });
}

}  // namespace executorch::test
