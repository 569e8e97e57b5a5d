#include "kernels/optimized/conv/patches.h"

#include <algorithm>

namespace executorch::kernels::conv {

// The points from `point` on that lie side by side in a plane.
template <class T>
gemm::Run Patches<T>::run_from(int64_t point, int64_t most) const {
  const int64_t row = planes_.axes[2].points;
  return {planes_.point_offset(point), 0,
          static_cast<int32_t>(std::min(row - point % row, most))};
}

// A left operand is read item by item, wherever they are.
template <class T>
const T* Patches<T>::in_place(int64_t batch, const gemm::Range& range, int64_t,
                              int64_t) const {
  const gemm::Run run = run_from(range.first, range.count);
  return side_ == gemm::Side::left && run.length == range.count
             ? planes_of(batch) + run.from
             : nullptr;
}

template <class T>
gemm::Panel<T> Patches<T>::panel(int64_t batch, const gemm::Range& range,
                                 int64_t width, int64_t from, int64_t depth,
                                 T* buffer) const {
  if (const T* data = in_place(batch, range, width, from)) {
    return {data, 0, offsets_ + from};
  }
  constexpr int64_t kMost = 64;  // columns of a panel
  gemm::Run runs[kMost];
  int64_t count = 0;
  for (int64_t done = 0; done < range.count; ++count) {
    runs[count] = run_from(range.first + done, range.count - done);
    runs[count].to = static_cast<int32_t>(done);
    done += runs[count].length;
  }
  if (range.count < width) {
    std::fill(buffer, buffer + width * depth, T(0));
  }
  gemm::kernels<T>().pack_runs(buffer, width, planes_of(batch), offsets_ + from,
                               depth, runs, count);
  return {buffer, width};
}

template <class T>
int64_t Weights<T>::tap_offset(int64_t tap) const {
  int64_t offset = 0;
  for (int d = 2; d >= 0; --d) {
    const Axis& a = window_.axes[d];
    offset += (a.first_tap + tap % a.taps * a.tap_step) * shape_.weight.taps[d];
    tap /= a.taps;
  }
  return offset;
}

template <class T>
gemm::Panel<T> Weights<T>::panel(int64_t batch, const gemm::Range& range,
                                 int64_t width, int64_t from, int64_t depth,
                                 T* buffer) const {
  const int64_t group = batch % shape_.groups;
  if (range.count < width) {
    std::fill(buffer, buffer + width * depth, T(0));
  }
  read(group, range, width, from, depth, buffer);
  if (scale_ != nullptr) {
    const float* scale = scale_ + group * shape_.out_channels + range.first;
    for (int64_t k = 0; k < depth; ++k) {
      for (int64_t i = 0; i < range.count; ++i) {
        buffer[k * width + i] *= static_cast<T>(scale[i]);
      }
    }
  }
  return {buffer, width};
}

template <class T>
void Weights<T>::read(int64_t group, const gemm::Range& range, int64_t width,
                      int64_t from, int64_t depth, T* buffer) const {
  const auto& weight = shape_.weight;
  const char* base = data_ + cast_.item() * (group * weight.group +
                                             range.first * weight.output);
  const int64_t taps = window_.taps();
  const bool in_order =
      shape_.taps_in_order() && weight.input == taps &&
      taps == shape_.kernel[0] * shape_.kernel[1] * shape_.kernel[2];
  if (in_order && cast_.same()) {
    gemm::kernels<T>().pack_rows(buffer, width,
                                 reinterpret_cast<const T*>(base) + from,
                                 weight.output, range.count, depth);
    return;
  }
  for (int64_t k = 0; k < depth; ++k) {
    const int64_t at =
        (from + k) / taps * weight.input + tap_offset((from + k) % taps);
    cast_.read(base + at * cast_.item(), weight.output, buffer + k * width,
               range.count);
  }
}

#define ET_INSTANTIATE(T)    \
  template class Patches<T>; \
  template class Weights<T>
ET_INSTANTIATE(float);
ET_INSTANTIATE(double);
ET_INSTANTIATE(int64_t);

}  // namespace executorch::kernels::conv
