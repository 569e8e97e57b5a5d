// executorch run: runs a method once and compares or stores what it gives.
#include <executorch/extension/evalue_util/print_evalue.h>
#include <executorch/extension/module/module.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "test/support/npy.h"
#include "tools/common.h"
#include "tools/method_text.h"

namespace executorch::tools {
namespace {

using extension::Module;
using runtime::EValue;
using runtime::Tag;
using test::Array;

template <class T>
T number(const std::string& text, const std::string& what) {
  T parsed;
  if (!CLI::detail::lexical_cast(text, parsed)) {
    throw Failure(kUsage,
                  what + ": '" + text + "' is not a value of this kind");
  }
  return parsed;
}

// In the dim order that the program wants.
EValue tensor_input(const std::string& path, const ValueInfo& wanted) {
  const Array array = test::read_npy(path, dtype_name(wanted.dtype));
  const bool fits = array.shape.size() == wanted.dim_order.size();
  return EValue(
      value(test::to_tensor(
                array, fits ? wanted.dim_order : decltype(wanted.dim_order){}),
            path));
}

EValue make_input(const std::string& text, const ValueInfo& wanted,
                  const std::string& what) {
  switch (wanted.tag) {
    case Tag::Tensor:
      return tensor_input(text, wanted);
    case Tag::Int:
      return EValue(number<int64_t>(text, what));
    case Tag::Double:
      return EValue(number<double>(text, what));
    case Tag::Bool:
      return EValue(number<bool>(text, what));
    case Tag::None:
      return EValue();
    default:
      throw Failure(kUsage, what + ": an input of kind " +
                                runtime::tag_to_string(wanted.tag) +
                                " cannot be given");
  }
}

// Inputs that are not tensors are stored in the program, and may be left out.
std::vector<EValue> make_inputs(const std::vector<std::string>& given,
                                const MethodInfo& method) {
  size_t needed = 0;
  for (size_t i = 0; i < method.inputs.size(); ++i) {
    needed =
        method.values[method.inputs[i]].tag == Tag::Tensor ? i + 1 : needed;
  }
  if (given.size() < needed || given.size() > method.inputs.size()) {
    throw Failure(kUsage, "method " + method.name + " takes (" +
                              values_text(method, method.inputs) +
                              "): give --input " + std::to_string(needed) +
                              " times, not " + std::to_string(given.size()));
  }
  std::vector<EValue> inputs;
  for (size_t i = 0; i < given.size(); ++i) {
    inputs.push_back(make_input(given[i], method.values[method.inputs[i]],
                                "input " + std::to_string(i)));
  }
  return inputs;
}

class Run final : public Command {
 public:
  using Command::Command;

 private:
  void add_options(CLI::App& app) override {
    app.add_option("model", model_, "The .pte file")
        ->required()
        ->check(CLI::ExistingFile);
    app.add_option("-m,--method", method_,
                   "Method to run (default: forward, or the only one)");
    app.add_option("-d,--data", data_,
                   "A .ptd file with data of the model; may be repeated")
        ->check(CLI::ExistingFile);
    app.add_option("-i,--input", inputs_,
                   "Inputs in order: a .npy file for a tensor, else a number, "
                   "true or false");
    app.add_option("-e,--expect", expected_,
                   "Outputs in order, as .npy files to compare with");
    app.add_option("--atol", tolerance_.atol, "Absolute tolerance")
        ->capture_default_str();
    app.add_option("--rtol", tolerance_.rtol, "Relative tolerance")
        ->capture_default_str();
    app.add_option("-o,--output-dir", output_dir_,
                   "Folder to store the outputs in, as out_<i>.npy");
  }

  void run() override {
    Module module(model_, data_, Module::LoadMode::Mmap);
    check(module.load(), model_);
    const std::string name = choose_method(*module.program(), method_);
    const MethodInfo method = describe(*module.program(), name);
    const std::vector<EValue> inputs = make_inputs(inputs_, method);
    if (expected_.size() > method.outputs.size()) {
      throw Failure(kUsage, "method " + name + " has " +
                                std::to_string(method.outputs.size()) +
                                " outputs; give --expect no more often");
    }
    if (!output_dir_.empty()) {
      std::filesystem::create_directories(output_dir_);
    }
    const auto outputs = value(module.execute(name, inputs), model_);
    Report rows = Report::array();
    for (size_t i = 0; i < outputs.size(); ++i) {
      rows.push_back(report(i, outputs[i]));
      if (!as_json) {
        std::cout << "output " << i << ": " << text_of(outputs[i]) << "\n";
      }
    }
    Report all = {{"method", name}};
    if (!expected_.empty()) {
      all["agrees"] = agrees_;
    }
    all["outputs"] = rows;
    print(all, as_json);
    if (!agrees_) {
      throw Failure(kDiffers, "an output differs from --expect (atol " +
                                  Report(tolerance_.atol).dump() + ", rtol " +
                                  Report(tolerance_.rtol).dump() + ")");
    }
  }

  // What an output is. Stores and compares it, too.
  Report report(size_t index, const EValue& output) {
    Report row = {{"kind", runtime::tag_to_string(output.tag)}};
    std::string fault = "is not a tensor";
    double worst = 0;
    const std::string wanted =
        index < expected_.size() ? expected_[index] : std::string();
    if (output.isTensor()) {
      const Array array = test::to_array(output.toTensor());
      row.update({{"dtype", array.dtype.name}, {"shape", array.shape}});
      row.update(store(index, array));
      fault = wanted.empty() ? "" : difference(array, wanted, &worst);
    } else {
      row["value"] = text_of(output);
    }
    if (!wanted.empty()) {
      agrees_ = agrees_ && fault.empty();
      row.update(fault.empty() ? Report{{"max_abs_difference", worst}}
                               : Report{{"difference", fault}});
    }
    return row;
  }

  Report store(size_t index, const Array& array) const {
    if (output_dir_.empty()) {
      return Report::object();
    }
    const std::filesystem::path folder = output_dir_;
    const auto file = folder / ("out_" + std::to_string(index) + ".npy");
    test::write_npy(file, array);
    return {{"file", file.string()}};
  }

  // An empty text, or how the output differs from the file.
  std::string difference(const Array& got, const std::string& path,
                         double* worst) const {
    const Array want = test::read_npy(path, got.dtype.name);
    if (got.shape != want.shape) {
      return "has shape " + Report(got.shape).dump() + ", expected " +
             Report(want.shape).dump();
    }
    return test::compare_elements(got.dtype.type, got.bytes.data(),
                                  want.bytes.data(), got.count(), tolerance_,
                                  test::Rule::close, nullptr, worst);
  }

  static std::string text_of(const EValue& output) {
    std::ostringstream text;
    text << extension::evalue_edge_items(3) << output;
    return text.str();
  }

  std::string model_;
  std::string method_;
  std::vector<std::string> data_;
  std::vector<std::string> inputs_;
  std::vector<std::string> expected_;
  test::Tolerance tolerance_ = {1e-5, 1e-5};
  std::string output_dir_;
  bool agrees_ = true;
};
Run run("run", "Run a method of a model once");

}  // namespace
}  // namespace executorch::tools
