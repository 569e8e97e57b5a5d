// executorch pack-moe: packs expert weights for llama::quantized_moe_ffn.
#include <executorch/extension/llm/moe/pack.h>

#include <CLI/CLI.hpp>
#include <optional>

#include "test/support/npy.h"
#include "tools/common.h"

namespace executorch::tools {
namespace {

using extension::llm::PackedLinearShape;
using runtime::Span;
using test::Array;

// What belongs to an expert.
template <class T>
Span<const T> part(const Array& array, size_t expert, size_t count) {
  const auto* all = reinterpret_cast<const T*>(array.bytes.data());
  return {all + expert * count, count};
}

// [E, n, k], or [n, k] for one expert.
Array read_weights(const std::string& path, const char* dtype) {
  Array array = test::read_npy(path, dtype);
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
  Array both{w1.dtype, w1.shape, {}};
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

class PackMoe final : public Command {
 public:
  using Command::Command;

 private:
  void add_options(CLI::App& app) override {
    app.add_option("weights", weights_,
                   "A .npy file of float32 [experts, n, k], or of int8 with "
                   "--scales; for packed_w13 this is w1")
        ->required()
        ->check(CLI::ExistingFile);
    app.add_option("--w3", weights3_,
                   "Weights whose rows follow those of w1, for packed_w13")
        ->check(CLI::ExistingFile);
    app.add_option("--scales", scales_,
                   "float32 [experts, n, k / group]: the weights are int8 and "
                   "not quantized again")
        ->check(CLI::ExistingFile);
    app.add_option("-o,--output", output_, "The .npy file to write")
        ->required();
    app.add_option("-g,--group-size", group_size_,
                   "Weights along k that share a scale")
        ->check(CLI::Range(1, 1 << 20))
        ->capture_default_str();
    app.add_option("-b,--bits", bits_, "Bits of a weight: 4 or 8")
        ->check(CLI::IsMember({4, 8}))
        ->capture_default_str();
  }

  void run() override {
    const char* dtype = scales_.empty() ? "float32" : "int8";
    Array weights = read_weights(weights_, dtype);
    if (!weights3_.empty()) {
      weights = join(weights, read_weights(weights3_, dtype), weights3_);
    }
    const Array blobs = pack(weights);
    test::write_npy(output_, blobs);
    print({{"file", output_}, {"dtype", "uint8"}, {"shape", blobs.shape}},
          as_json);
  }

  Array pack(const Array& weights) const {
    const PackedLinearShape shape{weights.shape[1], weights.shape[2],
                                  group_size_, bits_};
    const size_t size =
        value(extension::llm::packed_linear_size(shape), weights_);
    const auto experts = static_cast<size_t>(weights.shape[0]);
    const auto count = static_cast<size_t>(shape.n * shape.k);
    const size_t groups = count / static_cast<size_t>(shape.group_size);
    std::optional<Array> scales;
    if (!scales_.empty()) {
      scales = test::read_npy(scales_, "float32");
      if (scales->count() != experts * groups) {
        throw Failure(kFailed, scales_ + ": " +
                                   std::to_string(experts * groups) +
                                   " scales are needed, one per group");
      }
    }
    Array blobs{test::dtype_by_name("uint8"),
                {weights.shape[0], static_cast<int64_t>(size)},
                std::vector<uint8_t>(experts * size)};
    Progress progress("packing", experts);
    for (size_t e = 0; e < experts; ++e) {
      const Span<uint8_t> blob(blobs.bytes.data() + e * size, size);
      check(scales ? pack_linear(shape, part<int8_t>(weights, e, count),
                                 part<float>(*scales, e, groups), blob)
                   : pack_linear(shape, part<float>(weights, e, count), blob),
            weights_ + ", expert " + std::to_string(e));
      progress.step();
    }
    return blobs;
  }

  std::string weights_;
  std::string weights3_;
  std::string scales_;
  std::string output_;
  int64_t group_size_ = 32;
  int bits_ = 4;
};
PackMoe pack_moe("pack-moe",
                 "Pack expert weights for llama::quantized_moe_ffn");

}  // namespace
}  // namespace executorch::tools
