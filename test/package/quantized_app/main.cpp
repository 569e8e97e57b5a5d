// Runs a stored model on its stored input, and compares the result with that of
// eager PyTorch:
//
//   app FOLDER    with model.pte, in_0.npy, out_0.npy and case.txt
//
// The tolerance is the one of the model, from case.txt: about one quantization
// step. Exit code 0 when the result is within it.
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using executorch::extension::from_blob;
using executorch::extension::Module;
using executorch::runtime::Error;

namespace {

// The elements of a .npy file of float32: what follows the header.
std::vector<float> read_floats(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const size_t start = bytes.find('\n') + 1;
  std::vector<float> values((bytes.size() - start) / sizeof(float));
  std::memcpy(values.data(), bytes.data() + start,
              values.size() * sizeof(float));
  return values;
}

double read_setting(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string word; file >> word;) {
    if (word == name && file >> word) {
      return std::stod(word);
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  const std::string folder = argv[1];
  std::vector<float> input = read_floats(folder + "/in_0.npy");
  const std::vector<float> eager = read_floats(folder + "/out_0.npy");

  Module module(folder + "/model.pte");
  const auto meta = module.method_meta("forward");
  if (!meta.ok()) {
    return 2;  // the reason is in the log
  }
  const auto sizes = meta->input_tensor_meta(0)->sizes();
  const auto tensor = from_blob(input.data(), {sizes.begin(), sizes.end()});
  const auto outputs = module.forward(tensor);
  if (!outputs.ok()) {
    std::fprintf(stderr, "forward: %s\n",
                 executorch::runtime::to_string(outputs.error()));
    return 2;
  }

  const auto output = outputs->at(0).toTensor();
  if (output.numel() != static_cast<ssize_t>(eager.size())) {
    std::fprintf(stderr, "%zd outputs, %zu expected\n", output.numel(),
                 eager.size());
    return 1;
  }
  const double atol = read_setting(folder + "/case.txt", "atol");
  const double rtol = read_setting(folder + "/case.txt", "rtol");
  const float* got = output.const_data_ptr<float>();
  double worst = 0;
  bool within = true;
  for (size_t i = 0; i < eager.size(); ++i) {
    const double difference = std::fabs(double{got[i]} - eager[i]);
    within &= difference <= atol + rtol * std::fabs(eager[i]);  // false for NaN
    worst = std::max(worst, difference);
    if (i < 10) {
      std::printf("output %zu: %9.5f   eager: %9.5f\n", i, got[i], eager[i]);
    }
  }
  std::printf("%zu outputs, largest difference %.6f, tolerance %.6f: %s\n",
              eager.size(), worst, atol, within ? "ok" : "WRONG");
  return within ? 0 : 1;
}
