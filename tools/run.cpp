// executorch run: runs a method once and compares or stores what it gives.
#include <executorch/extension/evalue_util/print_evalue.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "test/support/numbers.h"
#include "tools/common.h"
#include "tools/method_text.h"
#include "tools/npy.h"

namespace executorch::tools {
namespace {

using extension::Module;
using nlohmann::json;
using runtime::EValue;
using runtime::Tag;

struct Options {
  std::string model;
  std::string method;
  std::vector<std::string> data;
  std::vector<std::string> inputs;
  std::vector<std::string> expected;
  double atol = 1e-5;
  double rtol = 1e-5;
  std::string output_dir;
  bool as_json = false;
};

std::string input_list(const MethodInfo& method) {
  std::string list;
  for (const size_t input : method.inputs) {
    list += (list.empty() ? "" : ", ") + value_text(method.values[input]);
  }
  return list.empty() ? "no inputs" : list;
}

template <class T>
T number(const std::string& text, const std::string& what) {
  std::istringstream stream(text);
  T parsed;
  if (!(stream >> std::boolalpha >> parsed) || !stream.eof()) {
    throw Failure(kUsage,
                  what + ": '" + text + "' is not a value of this kind");
  }
  return parsed;
}

EValue tensor_input(const std::string& path, const ValueInfo& wanted) {
  const Array array = read_npy(path, wanted.dtype);
  std::vector<aten::DimOrderType> order;
  if (array.shape.size() == wanted.dim_order.size()) {
    order.assign(wanted.dim_order.begin(), wanted.dim_order.end());
  }
  return EValue(
      value(extension::try_make_tensor_ptr(array.shape, reorder(array, order),
                                           order, {}, wanted.dtype),
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
                                kind_text(wanted.tag) + " cannot be given");
  }
}

// Inputs that are not tensors are stored in the program, and may be left out.
std::vector<EValue> make_inputs(const Options& options,
                                const MethodInfo& method) {
  const size_t given = options.inputs.size();
  size_t needed = 0;
  for (size_t i = 0; i < method.inputs.size(); ++i) {
    needed =
        method.values[method.inputs[i]].tag == Tag::Tensor ? i + 1 : needed;
  }
  if (given < needed || given > method.inputs.size()) {
    throw Failure(kUsage, "method " + method.name + " takes " +
                              input_list(method) + ": give --input " +
                              std::to_string(needed) + " times, not " +
                              std::to_string(given));
  }
  std::vector<EValue> inputs;
  for (size_t i = 0; i < given; ++i) {
    inputs.push_back(make_input(options.inputs[i],
                                method.values[method.inputs[i]],
                                "input " + std::to_string(i)));
  }
  return inputs;
}

// An empty text, or how the output differs from the file.
std::string difference(const EValue& output, const std::string& path,
                       const Options& options, double* worst) {
  if (!output.isTensor()) {
    return "is not a tensor";
  }
  const Array got = to_array(output.toTensor());
  const Array want = read_npy(path, got.type);
  if (got.shape != want.shape) {
    return "has shape " + json(got.shape).dump() + ", expected " +
           json(want.shape).dump();
  }
  return test::compare_elements(got.type, got.bytes.data(), want.bytes.data(),
                                got.count(), {options.rtol, options.atol},
                                test::Rule::close, nullptr, worst);
}

std::string scalar_text(const EValue& output) {
  std::ostringstream text;
  text << output;
  return text.str();
}

json describe_output(const EValue& output) {
  if (!output.isTensor()) {
    return {{"kind", kind_text(output.tag)}, {"value", scalar_text(output)}};
  }
  const auto& tensor = output.toTensor();
  return {{"kind", "tensor"},
          {"dtype", dtype_name(tensor.scalar_type())},
          {"shape",
           std::vector<int>(tensor.sizes().begin(), tensor.sizes().end())}};
}

void print_output(size_t index, const EValue& output, const json& report) {
  std::cout << "output " << index << ": " << extension::evalue_edge_items(3)
            << output << "\n";
  if (report.contains("max_abs_difference")) {
    std::cout << "  agrees, largest difference " << report["max_abs_difference"]
              << "\n";
  }
  if (report.contains("difference")) {
    std::cout << "  differs: " << report["difference"].get<std::string>()
              << "\n";
  }
}

// Stores and compares the outputs; whether all agree.
bool report_outputs(const Options& options, const std::string& method,
                    const std::vector<EValue>& outputs) {
  json all = json::array();
  bool agree = true;
  for (size_t i = 0; i < outputs.size(); ++i) {
    json report = describe_output(outputs[i]);
    if (!options.output_dir.empty() && outputs[i].isTensor()) {
      const auto file = std::filesystem::path(options.output_dir) /
                        ("out_" + std::to_string(i) + ".npy");
      write_npy(file.string(), to_array(outputs[i].toTensor()));
      report["file"] = file.string();
    }
    if (i < options.expected.size()) {
      double worst = 0;
      const std::string fault =
          difference(outputs[i], options.expected[i], options, &worst);
      agree = agree && fault.empty();
      if (fault.empty()) {
        report["max_abs_difference"] = worst;
      } else {
        report["difference"] = fault;
      }
    }
    if (!options.as_json) {
      print_output(i, outputs[i], report);
    }
    all.push_back(std::move(report));
  }
  if (options.as_json) {
    std::cout
        << json{{"method", method}, {"agrees", agree}, {"outputs", all}}.dump(2)
        << "\n";
  }
  return agree;
}

void run(const Options& options) {
  Module module(options.model, options.data, Module::LoadMode::Mmap);
  check(module.load(), options.model);
  const std::string name = choose_method(*module.program(), options.method);
  const MethodInfo method = describe(*module.program(), name);
  const std::vector<EValue> inputs = make_inputs(options, method);
  if (options.expected.size() > method.outputs.size()) {
    throw Failure(kUsage, "method " + name + " has " +
                              std::to_string(method.outputs.size()) +
                              " outputs; give --expect no more often");
  }
  if (!options.output_dir.empty()) {
    std::filesystem::create_directories(options.output_dir);
  }
  const auto outputs = value(module.execute(name, inputs), options.model);
  if (!report_outputs(options, name, outputs)) {
    throw Failure(kDiffers, "an output differs from --expect (atol " +
                                json(options.atol).dump() + ", rtol " +
                                json(options.rtol).dump() + ")");
  }
}

}  // namespace

void add_run(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("run", "Run a method of a model once");
  command->add_option("model", options->model, "The .pte file")
      ->required()
      ->check(CLI::ExistingFile);
  command->add_option("-m,--method", options->method,
                      "Method to run (default: forward, or the only one)");
  command
      ->add_option("-d,--data", options->data,
                   "A .ptd file with data of the model; may be repeated")
      ->check(CLI::ExistingFile);
  command->add_option("-i,--input", options->inputs,
                      "Inputs in order: a .npy file for a tensor, else a "
                      "number, true or false");
  command->add_option("-e,--expect", options->expected,
                      "Outputs in order, as .npy files to compare with");
  command->add_option("--atol", options->atol, "Absolute tolerance")
      ->capture_default_str();
  command->add_option("--rtol", options->rtol, "Relative tolerance")
      ->capture_default_str();
  command->add_option("-o,--output-dir", options->output_dir,
                      "Folder to store the outputs in, as out_<i>.npy");
  command->add_flag("--json", options->as_json, "Print JSON");
  command->callback([options] { run(*options); });
}

}  // namespace executorch::tools
