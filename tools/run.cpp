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

struct {
  std::string model, method, output_dir;
  std::vector<std::string> data, inputs, expected;
  test::Tolerance tolerance = {1e-5, 1e-5};
} options;

void add_options(CLI::App& app) {
  app.add_option("model", options.model, "The .pte file")
      ->required()
      ->check(CLI::ExistingFile);
  app.add_option("-m,--method", options.method,
                 "Method to run (default: forward, or the only one)");
  app.add_option("-d,--data", options.data,
                 "A .ptd file with data of the model; may be repeated")
      ->check(CLI::ExistingFile);
  app.add_option("-i,--input", options.inputs,
                 "Inputs that are tensors, in order, as .npy files");
  app.add_option("-e,--expect", options.expected,
                 "Outputs in order, as .npy files to compare with");
  app.add_option("-o,--output-dir", options.output_dir,
                 "Folder to store the outputs in, as out_<i>.npy");
  app.option_defaults()->always_capture_default();
  app.add_option("--atol", options.tolerance.atol, "Absolute tolerance");
  app.add_option("--rtol", options.tolerance.rtol, "Relative tolerance");
}

// Inputs that are no tensors are stored in the program, which takes no others.
void set_inputs(Module& module, const MethodInfo& method) {
  std::vector<size_t> tensors;
  for (size_t i = 0; i < method.inputs.size(); ++i) {
    if (method.values[method.inputs[i]].tag == Tag::Tensor) {
      tensors.push_back(i);
    }
  }
  if (options.inputs.size() != tensors.size()) {
    const std::string kinds = joined(method.inputs, ", ", [&](size_t i) {
      return value_text(method.values[i]);
    });
    throw Failure(kUsage, "method " + method.name + " takes (" + kinds +
                              "): give --input " +
                              std::to_string(tensors.size()) + " times, not " +
                              std::to_string(options.inputs.size()));
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    const std::string& path = options.inputs[i];
    const ValueInfo& wanted = method.values[method.inputs[tensors[i]]];
    const Array array = test::read_npy(path, dtype_name(wanted.dtype));
    // In the dim order that the program wants; of another rank it takes none.
    const bool fits = array.shape.size() == wanted.dim_order.size();
    const auto tensor =
        value(test::to_tensor(array, fits ? wanted.dim_order
                                          : decltype(wanted.dim_order){}),
              path);
    check(module.set_input(method.name, tensor, tensors[i]), path);
  }
}

std::string text_of(const EValue& output) {
  std::ostringstream text;
  text << extension::evalue_edge_items(3) << output;
  return text.str();
}

// Adds to what is known about an output the largest difference from the file,
// or why it is not as expected.
void compare(const Array& got, const std::string& path, Report& row) {
  const Array want = test::read_npy(path, got.dtype.name);
  double worst = 0;
  const std::string fault =
      got.shape != want.shape
          ? "has shape " + Report(got.shape).dump() + ", expected " +
                Report(want.shape).dump()
          : test::compare_elements(got.dtype.type, got.bytes.data(),
                                   want.bytes.data(), got.count(),
                                   options.tolerance, test::Rule::close,
                                   nullptr, &worst);
  if (fault.empty()) {
    row["max_abs_difference"] = worst;
  } else {
    row["difference"] = fault;
  }
}

// What an output is. Stores and compares it, too.
Report describe_output(size_t index, const EValue& output) {
  Report row = {{"kind", runtime::tag_to_string(output.tag)}};
  const bool compared = index < options.expected.size();
  if (!output.isTensor()) {
    row["value"] = text_of(output);
    if (compared) {
      row["difference"] = "is not a tensor";
    }
    return row;
  }
  const Array array = test::to_array(output.toTensor());
  row.update({{"dtype", array.dtype.name}, {"shape", array.shape}});
  if (!options.output_dir.empty()) {
    const auto file = std::filesystem::path(options.output_dir) /
                      ("out_" + std::to_string(index) + ".npy");
    test::write_npy(file, array);
    row["file"] = file.string();
  }
  if (compared) {
    compare(array, options.expected[index], row);
  }
  return row;
}

void run() {
  Module module(options.model, options.data, Module::LoadMode::Mmap);
  check(module.load(), options.model);
  const MethodInfo method = describe(*module.program(), options.method);
  if (options.expected.size() > method.outputs.size()) {
    throw Failure(kUsage, "method " + method.name + " has " +
                              std::to_string(method.outputs.size()) +
                              " outputs; give --expect no more often");
  }
  if (!options.output_dir.empty()) {
    std::filesystem::create_directories(options.output_dir);
  }
  check(module.load_method(method.name), options.model);
  set_inputs(module, method);
  const auto outputs = value(module.execute(method.name), options.model);
  Report rows = Report::array();
  bool agrees = true;
  for (size_t i = 0; i < outputs.size(); ++i) {
    rows.push_back(describe_output(i, outputs[i]));
    agrees = agrees && !rows.back().contains("difference");
    if (!as_json) {
      std::cout << "output " << i << ": " << text_of(outputs[i]) << "\n";
    }
  }
  Report all = {{"method", method.name}};
  if (!options.expected.empty()) {
    all["agrees"] = agrees;
  }
  all["outputs"] = rows;
  print(all);
  if (!agrees) {
    throw Failure(kDiffers,
                  "an output differs from --expect by more than "
                  "--atol and --rtol allow");
  }
}

const auto added = commands.insert(
    {"run", {"Run a method of a model once", add_options, run}});

}  // namespace
}  // namespace executorch::tools
