#include "test/support/program_case.h"

#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "test/support/npy.h"

namespace executorch::test {
namespace {

using extension::Module;
using nlohmann::json;
using runtime::Error;
using runtime::EValue;

ProgramValue parse_value(std::istringstream& fields) {
  ProgramValue value;
  fields >> value.kind;
  if (value.kind == "tensor") {
    fields >> value.dtype;
  }
  fields >> value.text;
  std::string word, order;
  if (fields >> word >> order && word == "dim_order") {
    std::istringstream dims(order);
    for (std::string dim; std::getline(dims, dim, ',');) {
      value.dim_order.push_back(
          static_cast<aten::DimOrderType>(std::stoi(dim)));
    }
  }
  return value;
}

void read_case_txt(ProgramCase& c) {
  std::ifstream file(c.folder / "case.txt");
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string word;
    fields >> word;
    if (word == "pte") {
      fields >> c.program;
    } else if (word == "ptd") {
      for (std::string name; fields >> name;) {
        c.data_files.push_back(name);
      }
    } else if (word == "atol") {
      fields >> c.tolerance.atol;
    } else if (word == "rtol") {
      fields >> c.tolerance.rtol;
    } else if (word == "run") {
      int number = 0;
      fields >> number >> c.runs.emplace_back().method;
    } else if (word == "in") {
      c.runs.back().inputs.push_back(parse_value(fields));
    } else if (word == "out") {
      c.runs.back().outputs.push_back(parse_value(fields));
    }
  }
}

void read_meta_json(ProgramCase& c) {
  std::ifstream file(c.folder / "meta.json");
  const json meta = json::parse(file);
  c.program = "model.pte";
  c.tolerance = {meta["rtol"], meta["atol"]};
  c.outcome = meta["expect"] == "match"   ? Outcome::match
              : meta["expect"] == "error" ? Outcome::error
                                          : Outcome::no_crash;
  ProgramRun run{meta["method"], {}, {}};
  const auto values = [](const json& list, const std::string& prefix) {
    std::vector<ProgramValue> result;
    for (const json& item : list) {
      result.push_back({"tensor", item["dtype"],
                        prefix + std::to_string(result.size()) + ".npy",
                        item["dim_order"]});
    }
    return result;
  };
  run.inputs = values(meta["inputs"], "in_");
  run.outputs = values(meta["outputs"], "out_");
  c.runs.push_back(std::move(run));
}

// Inputs of a run; `tensors` owns those that are tensors.
std::vector<EValue> make_inputs(const ProgramCase& c, const ProgramRun& run,
                                std::vector<extension::TensorPtr>& tensors) {
  std::vector<EValue> inputs;
  for (const ProgramValue& value : run.inputs) {
    if (value.kind == "none") {
      inputs.emplace_back();
    } else if (value.kind == "int") {
      inputs.emplace_back(int64_t{std::stoll(value.text)});
    } else if (value.kind == "float") {
      inputs.emplace_back(std::stod(value.text));
    } else if (value.kind == "bool") {
      inputs.emplace_back(value.text == "1");
    } else {
      const Array array = read_npy(c.folder / value.text, value.dtype);
      tensors.push_back(to_tensor(array, value.dim_order).get());
      inputs.emplace_back(tensors.back());
    }
  }
  return inputs;
}

std::string compare_tensor(const ProgramCase& c, const aten::Tensor& got,
                           const ProgramValue& expected, double* worst) {
  const Array want = read_npy(c.folder / expected.text, expected.dtype);
  if (got.scalar_type() != want.dtype.type) {
    return "has dtype " + std::to_string(static_cast<int>(got.scalar_type())) +
           ", expected " + expected.dtype;
  }
  const std::vector<int64_t> shape(got.sizes().begin(), got.sizes().end());
  if (shape != want.shape) {
    return "has shape " + json(shape).dump() + ", expected " +
           json(want.shape).dump();
  }
  const auto at =
      positions(shape, {got.dim_order().begin(), got.dim_order().end()});
  const bool integral = runtime::isIntegralType(got.scalar_type(), true);
  Tolerance tolerance = c.tolerance;
  if (integral) {
    tolerance.atol = std::floor(tolerance.atol);
  }
  return compare_elements(want.dtype.type, got.const_data_ptr(),
                          want.bytes.data(), want.count(), tolerance,
                          Rule::close, &at, worst);
}

std::string compare_value(const ProgramCase& c, const EValue& got,
                          const ProgramValue& expected, double* worst) {
  if (expected.kind == "tensor") {
    return got.isTensor() ? compare_tensor(c, got.toTensor(), expected, worst)
                          : "is not a tensor";
  }
  const bool right =
      expected.kind == "none" ? got.isNone()
      : expected.kind == "int"
          ? got.isInt() && got.toInt() == std::stoll(expected.text)
      : expected.kind == "bool"
          ? got.isBool() && got.toBool() == (expected.text == "1")
          : got.isDouble() &&
                close(got.toDouble(), std::stod(expected.text), c.tolerance);
  return right ? ""
               : "differs, expected " + expected.kind + " " + expected.text;
}

std::string make_run(const ProgramCase& c, Module& module,
                     const ProgramRun& run, double* worst) {
  const Error loaded = module.load_method(run.method);
  if (loaded != Error::Ok) {
    return std::string("load_method: ") + runtime::to_string(loaded);
  }
  std::vector<extension::TensorPtr> tensors;
  const auto inputs = make_inputs(c, run, tensors);
  auto outputs = module.execute(run.method, inputs);
  if (!outputs.ok()) {
    return std::string("execute: ") + runtime::to_string(outputs.error());
  }
  if (c.outcome == Outcome::match && outputs->size() != run.outputs.size()) {
    return std::to_string(outputs->size()) + " outputs, expected " +
           std::to_string(run.outputs.size());
  }
  for (size_t i = 0; i < run.outputs.size(); ++i) {
    const std::string fault =
        compare_value(c, outputs->at(i), run.outputs[i], worst);
    if (!fault.empty()) {
      return "output " + std::to_string(i) + " " + fault;
    }
  }
  return "";
}

using ProgramPtr = std::shared_ptr<runtime::Program>;

// `program`: what other Modules loaded, or null.
std::unique_ptr<Module> make_module(const ProgramCase& c,
                                    const ProgramPtr& program) {
  // Methods that share mutable state share its memory.
  const bool share =
      std::any_of(c.runs.begin(), c.runs.end(), [&](const ProgramRun& run) {
        return run.method != c.runs.front().method;
      });
  std::vector<std::string> data;
  for (const std::string& name : c.data_files) {
    data.push_back(c.folder / name);
  }
  if (program != nullptr) {
    std::unique_ptr<runtime::DataLoader> data_loader;
    if (!data.empty()) {
      auto file = extension::FileDataLoader::from(data[0].c_str());
      data_loader =
          std::make_unique<extension::FileDataLoader>(std::move(file.get()));
    }
    return std::make_unique<Module>(program, nullptr, nullptr, nullptr,
                                    std::move(data_loader), share);
  }
  return std::make_unique<Module>(c.folder / c.program, data,
                                  Module::LoadMode::Mmap, nullptr, nullptr,
                                  nullptr, share);
}

std::string make_all_runs(const ProgramCase& c, Module& module, double* worst) {
  const Error loaded = module.load();
  if (loaded != Error::Ok) {
    return std::string("load: ") + runtime::to_string(loaded);
  }
  for (size_t k = 0; k < c.runs.size(); ++k) {
    const std::string fault = make_run(c, module, c.runs[k], worst);
    if (!fault.empty()) {
      return "run " + std::to_string(k) + ": " + fault;
    }
  }
  return "";
}

}  // namespace

ProgramCase read_program_case(const std::filesystem::path& folder) {
  ProgramCase c;
  c.folder = folder;
  if (std::filesystem::exists(folder / "case.txt")) {
    read_case_txt(c);
  } else {
    read_meta_json(c);
  }
  if (c.runs.empty()) {
    throw std::runtime_error(folder.string() + " describes no run");
  }
  return c;
}

std::string run_program_case(const ProgramCase& c, double* worst) {
  const std::string fault = make_all_runs(c, *make_module(c, nullptr), worst);
  switch (c.outcome) {
    case Outcome::match:
      return fault;
    case Outcome::error:
      return fault.empty() ? "succeeded, an error was expected" : "";
    case Outcome::no_crash:
      break;
  }
  return "";
}

std::string run_program_case_in_threads(const ProgramCase& c, bool share) {
  const auto first = make_module(c, nullptr);
  const std::string alone = make_all_runs(c, *first, nullptr);
  if (!alone.empty()) {
    return alone;
  }
  std::vector<std::string> faults(4);
  std::vector<std::thread> threads;
  for (std::string& fault : faults) {
    threads.emplace_back([&] {
      const auto module = make_module(c, share ? first->program() : nullptr);
      fault = make_all_runs(c, *module, nullptr);
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  return *std::max_element(faults.begin(), faults.end());
}

}  // namespace executorch::test
