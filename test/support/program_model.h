// A .pte file as plain structs: tests fill them in, damage them, and write them
// out as a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace executorch::test {

struct Place {
  uint32_t memory_id = 1;
  uint64_t offset = 0;
};

struct TensorModel {
  std::optional<std::vector<int32_t>> sizes = std::vector<int32_t>();
  // As the sizes are if empty; absent only if they are.
  std::optional<std::vector<uint8_t>> dim_order = std::vector<uint8_t>();
  int8_t dtype = 6;  // float
  int dynamism = 0;
  std::optional<Place> place;
  uint32_t data = 0;
  std::string name;
  bool external = false;
  uint64_t first_value_list = 0;
};

struct IntsModel {
  std::vector<int64_t> items;
};
struct TensorsModel {
  std::vector<int32_t> items;
  bool optional = false;
};
struct BoolsModel {
  std::vector<uint8_t> items;
};
struct MissingValue {};  // a table without a value

using ValueModel = std::variant<std::monostate, int64_t, double, bool,
                                std::string, TensorModel, IntsModel,
                                TensorsModel, BoolsModel, MissingValue>;

struct KernelModel {
  int32_t op = 0;
  std::vector<int32_t> args;
};
struct DelegateCallModel {
  int32_t delegate = 0;
  std::vector<int32_t> args;
};
struct MoveModel {
  int32_t from = 0;
  int32_t to = 0;
};
struct JumpModel {
  int32_t condition = 0;
  int32_t target = 0;
};
struct FreeModel {
  int32_t value = 0;
};
struct MissingInstruction {};

using InstructionModel = std::variant<KernelModel, DelegateCallModel, MoveModel,
                                      JumpModel, FreeModel, MissingInstruction>;

struct OperatorModel {
  std::optional<std::string> name;
  std::string overload;
};

struct DelegateModel {
  std::optional<std::string> backend;
  int location = 0;
  uint32_t index = 0;
};

struct MethodModel {
  std::optional<std::string> name = "forward";
  std::vector<ValueModel> values;
  std::vector<int32_t> inputs;
  std::vector<int32_t> outputs;
  std::vector<OperatorModel> operators;
  std::vector<DelegateModel> delegates;
  std::vector<InstructionModel> code;
  std::vector<int64_t> buffers = {0, 256};
  bool has_chains = true;

  // Adds a value; returns its index.
  int32_t add(ValueModel value);
  // A float tensor with these sizes at `offset` of buffer 1.
  int32_t add_planned(std::vector<int32_t> sizes, uint64_t offset);
  // Adds a call of "ns::name.overload".
  void call(const std::string& name, std::vector<int32_t> args);
};

struct OffsetsModel {
  uint32_t segment = 0;
  std::vector<uint64_t> offsets;
};

struct ProgramModel {
  uint32_t version = 0;
  std::vector<MethodModel> methods = std::vector<MethodModel>(1);
  std::vector<std::vector<uint8_t>> constants;  // in the flatbuffer; from 1 on
  std::vector<std::vector<uint8_t>> delegate_data;
  std::vector<std::vector<uint8_t>> segments;
  std::optional<OffsetsModel> constant_segment;
  std::vector<OffsetsModel> first_values;
  std::vector<std::pair<std::string, uint32_t>> named_data;

  MethodModel& method() { return methods.front(); }
};

// A file in memory, aligned as loaders align it.
class FileBytes {
 public:
  explicit FileBytes(std::vector<uint8_t> bytes);
  uint8_t* data() { return reinterpret_cast<uint8_t*>(memory_.data()); }
  size_t size() const { return size_; }

 private:
  std::vector<std::max_align_t> memory_;
  size_t size_;
};

FileBytes write_program(const ProgramModel& program);

struct NamedTensorModel {
  std::string name;
  TensorModel tensor;  // dtype, sizes and dim order are used
  std::vector<uint8_t> data;
  bool is_tensor = true;
};

// A .ptd file.
FileBytes write_flat_tensor(const std::vector<NamedTensorModel>& tensors);

// The bytes of numbers.
template <class T>
std::vector<uint8_t> bytes_of(const std::vector<T>& items) {
  const auto* first = reinterpret_cast<const uint8_t*>(items.data());
  return {first, first + items.size() * sizeof(T)};
}

}  // namespace executorch::test
