// executorch pack-moe: packs expert weights for llama::quantized_moe_ffn.
#include <executorch/extension/llm/moe/pack.h>

#include <CLI/CLI.hpp>

#include "test/support/npy.h"
#include "tools/common.h"

namespace executorch::tools {
namespace {

using extension::llm::PackedLinearShape;
using runtime::Span;
using test::Array;
using Bytes = std::vector<uint8_t>;

// Elements at a multiple of their count, as those of an expert are.
template <class T>
Span<const T> part(const Bytes& bytes, size_t index, size_t count) {
  const auto* all = reinterpret_cast<const T*>(bytes.data());
  return {all + index * count, count};
}

struct {
  std::string weights, weights3, scales, output;
  int64_t group_size = 32;
  int bits = 4;
} options;

void add_options(CLI::App& app) {
  app.add_option("weights", options.weights,
                 "A .npy file of float32 [experts, n, k], or of int8 with "
                 "--scales; for packed_w13 this is w1")
      ->required()
      ->check(CLI::ExistingFile);
  app.add_option("--w3", options.weights3,
                 "Weights whose rows follow those of w1, for packed_w13")
      ->check(CLI::ExistingFile);
  app.add_option("--scales", options.scales,
                 "float32 [experts, n, k / group]: the weights are int8 and "
                 "not quantized again")
      ->check(CLI::ExistingFile);
  app.add_option("-o,--output", options.output, "The .npy file to write")
      ->required();
  app.option_defaults()->always_capture_default();
  app.add_option("-g,--group-size", options.group_size,
                 "Weights along k that share a scale")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("-b,--bits", options.bits, "Bits of a weight: 4 or 8")
      ->check(CLI::IsMember({4, 8}));
}

// Of w1 and w3: [experts, n, k], or [n, k] for one expert.
std::vector<Array> read_weights() {
  std::vector<Array> all;
  for (const std::string& path : {options.weights, options.weights3}) {
    if (!path.empty()) {
      const char* dtype = options.scales.empty() ? "float32" : "int8";
      auto& shape = all.emplace_back(test::read_npy(path, dtype)).shape;
      if (shape.size() == 2) {
        shape.insert(shape.begin(), 1);
      }
      if (shape.size() != 3 || shape != all[0].shape) {
        throw Failure(
            kFailed,
            path + ": the shape must be [experts, n, k], of w3 as of w1");
      }
    }
  }
  return all;
}

// Of each expert the rows of all weights, one after the other.
Array pack(const std::vector<Array>& weights) {
  const auto& dims = weights[0].shape;
  const auto experts = static_cast<size_t>(dims[0]);
  const PackedLinearShape shape{dims[1] * static_cast<int64_t>(weights.size()),
                                dims[2], options.group_size, options.bits};
  const size_t size =
      value(extension::llm::packed_linear_size(shape), options.weights);
  const auto count = static_cast<size_t>(shape.n * shape.k);
  const size_t groups = count / static_cast<size_t>(options.group_size);
  Array scales;
  if (!options.scales.empty()) {
    scales = test::read_npy(options.scales, "float32");
    if (scales.count() != experts * groups) {
      throw Failure(kFailed, options.scales + ": " +
                                 std::to_string(experts * groups) +
                                 " scales are needed, one per group");
    }
  }
  Array blobs{test::dtype_by_name("uint8"),
              {dims[0], static_cast<int64_t>(size)},
              Bytes(experts * size)};
  for (size_t e = 0; e < experts; ++e) {
    Bytes rows;
    for (const Array& one : weights) {
      const auto own = part<uint8_t>(one.bytes, e, one.bytes.size() / experts);
      rows.insert(rows.end(), own.begin(), own.end());
    }
    const Span<uint8_t> blob(blobs.bytes.data() + e * size, size);
    check(options.scales.empty()
              ? pack_linear(shape, part<float>(rows, 0, count), blob)
              : pack_linear(shape, part<int8_t>(rows, 0, count),
                            part<float>(scales.bytes, e, groups), blob),
          options.weights + ", expert " + std::to_string(e));
    show_progress("packing", e + 1, experts);
  }
  return blobs;
}

void run() {
  const Array blobs = pack(read_weights());
  test::write_npy(options.output, blobs);
  print({{"file", options.output}, {"dtype", "uint8"}, {"shape", blobs.shape}});
}

const auto added = commands.insert(
    {"pack-moe",
     {"Pack expert weights for llama::quantized_moe_ffn", add_options, run}});

}  // namespace
}  // namespace executorch::tools
