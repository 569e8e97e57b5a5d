// executorch pack-moe: packs expert weights for llama::quantized_moe_ffn.
#include <executorch/extension/llm/moe/pack.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "tools/common.h"
#include "tools/npy.h"

namespace executorch::tools {
namespace {

using aten::ScalarType;
using extension::llm::PackedLinearShape;
using runtime::Span;

struct Options {
  std::string weights;
  std::string weights3;
  std::string scales;
  std::string output;
  int64_t group_size = 32;
  int bits = 4;
  bool as_json = false;
};

template <class T>
Span<const T> part(const Array& array, size_t begin, size_t count) {
  return {reinterpret_cast<const T*>(array.bytes.data()) + begin, count};
}

// [E, n, k], or [n, k] for one expert.
Array read_weights(const std::string& path, ScalarType type) {
  Array array = read_npy(path, type);
  if (array.shape.size() == 2) {
    array.shape.insert(array.shape.begin(), 1);
  }
  if (array.shape.size() != 3) {
    throw Failure(kFailed, path + ": the shape must be [experts, n, k]");
  }
  return array;
}

// Per expert the rows of w1 and then those of w3.
Array join(const Array& w1, const Array& w3, const std::string& path) {
  if (w1.shape != w3.shape) {
    throw Failure(kFailed, path + ": w3 must have the shape of w1");
  }
  Array both{w1.type, w1.shape, {}};
  both.shape[1] *= 2;
  const size_t experts = static_cast<size_t>(w1.shape[0]);
  const size_t step = experts == 0 ? 0 : w1.bytes.size() / experts;
  for (size_t begin = 0; begin < w1.bytes.size(); begin += step) {
    for (const Array* from : {&w1, &w3}) {
      const auto at = from->bytes.begin() + static_cast<ptrdiff_t>(begin);
      both.bytes.insert(both.bytes.end(), at,
                        at + static_cast<ptrdiff_t>(step));
    }
  }
  return both;
}

Array pack_experts(const Array& weights, const Array* scales,
                   const Options& options) {
  const PackedLinearShape shape{weights.shape[1], weights.shape[2],
                                options.group_size, options.bits};
  const size_t size =
      value(extension::llm::packed_linear_size(shape), options.weights);
  const size_t experts = static_cast<size_t>(weights.shape[0]);
  Array blobs{ScalarType::Byte,
              {weights.shape[0], static_cast<aten::SizesType>(size)},
              std::vector<uint8_t>(experts * size)};
  const auto count = static_cast<size_t>(shape.n * shape.k);
  const size_t groups = count / static_cast<size_t>(shape.group_size);
  if (scales != nullptr && scales->count() != experts * groups) {
    throw Failure(kFailed, options.scales + ": " +
                               std::to_string(experts * groups) +
                               " scales are needed, one per group");
  }
  Progress progress("packing", experts);
  for (size_t e = 0; e < experts; ++e) {
    const Span<uint8_t> blob(blobs.bytes.data() + e * size, size);
    const auto error =
        scales == nullptr
            ? pack_linear(shape, part<float>(weights, e * count, count), blob)
            : pack_linear(shape, part<int8_t>(weights, e * count, count),
                          part<float>(*scales, e * groups, groups), blob);
    check(error, options.weights + ", expert " + std::to_string(e));
    progress.step();
  }
  return blobs;
}

void pack(const Options& options) {
  const bool quantized = !options.scales.empty();
  const ScalarType type = quantized ? ScalarType::Char : ScalarType::Float;
  Array weights = read_weights(options.weights, type);
  if (!options.weights3.empty()) {
    weights =
        join(weights, read_weights(options.weights3, type), options.weights3);
  }
  Array scales;
  if (quantized) {
    scales = read_npy(options.scales, ScalarType::Float);
  }
  const Array blobs =
      pack_experts(weights, quantized ? &scales : nullptr, options);
  write_npy(options.output, blobs);
  if (options.as_json) {
    std::cout << nlohmann::json{{"file", options.output},
                                {"shape", blobs.shape}}
                     .dump()
              << "\n";
  } else {
    std::cout << options.output << ": uint8[" << blobs.shape[0] << ", "
              << blobs.shape[1] << "]\n";
  }
}

}  // namespace

void add_pack_moe(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "pack-moe", "Pack expert weights for llama::quantized_moe_ffn");
  command
      ->add_option("weights", options->weights,
                   "A .npy file of float32 [experts, n, k], or of int8 with "
                   "--scales; for packed_w13 this is w1")
      ->required()
      ->check(CLI::ExistingFile);
  command
      ->add_option("--w3", options->weights3,
                   "Weights whose rows follow those of w1, for packed_w13")
      ->check(CLI::ExistingFile);
  command
      ->add_option("--scales", options->scales,
                   "float32 [experts, n, k / group]: the weights are int8 and "
                   "not quantized again")
      ->check(CLI::ExistingFile);
  command->add_option("-o,--output", options->output, "The .npy file to write")
      ->required();
  command
      ->add_option("-g,--group-size", options->group_size,
                   "Weights along k that share a scale")
      ->capture_default_str();
  command->add_option("-b,--bits", options->bits, "Bits of a weight: 4 or 8")
      ->capture_default_str();
  command->add_flag("--json", options->as_json, "Print JSON");
  command->callback([options] { pack(*options); });
}

}  // namespace executorch::tools
