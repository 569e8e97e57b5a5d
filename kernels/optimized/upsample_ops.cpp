// Resizing of images: bilinear, bilinear with antialiasing, nearest.
//
// Bilinear resizing is separable: a result is a weighted sum of a few input
// points along each dimension. Weights are made once per call for both
// dimensions; rows are resized first and kept while columns need them.
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "kernels/common/op.h"
#include "kernels/common/parallel.h"
#include "kernels/optimized/gemm/matrix.h"
#include "kernels/optimized/upsample_weights.h"

namespace executorch::kernels {
namespace {

using conv::Image;
using upsample::finish;
using upsample::Resize;
using upsample::step;
using upsample::to_integers;
using upsample::Weights;

constexpr DtypeSet kResized = kFloats | dtype_bit(ScalarType::Byte);

Error check_input(const Tensor& in, const Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_same_dtype(in.scalar_type(), out));
  ET_CHECK_OR_RETURN_ERROR(in.dim() == 4, InvalidArgument,
                           "an input of rank %d, must be 4", int(in.dim()));
  return Error::Ok;
}

// With the output sizes set, checks them and resizes `out`.
Result<Resize> sized(Resize r, const Tensor& in, Tensor& out) {
  r.dtype = in.scalar_type();
  r.batch = in.size(0);
  r.channels = in.size(1);
  for (int d = 0; d < 2; ++d) {
    r.in[d] = in.size(2 + d);
    ET_CHECK_OR_RETURN_ERROR(
        r.in[d] > 0 && r.channels > 0 && r.out[d] > 0 &&
            r.out[d] <= std::numeric_limits<aten::SizesType>::max(),
        InvalidArgument, "an input of %lldx%lld cannot become %lldx%lld",
        (long long)in.size(2), (long long)in.size(3), (long long)r.out[0],
        (long long)r.out[1]);
  }
  const aten::SizesType sizes[] = {in.sizes()[0], in.sizes()[1],
                                   static_cast<aten::SizesType>(r.out[0]),
                                   static_cast<aten::SizesType>(r.out[1])};
  ET_CHECK_OK_OR_RETURN_ERROR(runtime::resize_tensor(out, {sizes, 4}));
  r.in_image = conv::image_of(in, 2);
  r.out_image = conv::image_of(out, 2);
  return r;
}

// Either the size or the factors are given.
Result<Resize> by_size_or_scale(const Tensor& in,
                                const std::optional<ArrayRef<int64_t>>& size,
                                const std::optional<ArrayRef<double>>& factors,
                                Tensor& out) {
  ET_CHECK_OR_RETURN_ERROR(size.has_value() != factors.has_value(),
                           InvalidArgument,
                           "either an output size or scale factors are needed");
  const size_t given = size.has_value() ? size->size() : factors->size();
  ET_CHECK_OR_RETURN_ERROR(given == 2, InvalidArgument,
                           "%zu sizes or factors for 2 dimensions", given);
  Resize r = {};
  for (int d = 0; d < 2; ++d) {
    if (size.has_value()) {
      r.out[d] = (*size)[d];
      continue;
    }
    const double points = static_cast<double>(in.size(2 + d)) * (*factors)[d];
    // The comparison is false for a NaN as well.
    r.out[d] = points >= 0 && points < 2e9 ? static_cast<int64_t>(points) : -1;
    r.scales[d] = (*factors)[d];
  }
  return sized(r, in, out);
}

// Resizes one row.
template <class T>
void resize_row(const Weights<T>& w, const T* in, T* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    T sum = 0;
    for (int64_t j = 0; j < w.count[i]; ++j) {
      sum += w.weight[i * w.most + j] * in[w.first[i] + j];
    }
    out[i] = finish(sum, w.shift);
  }
}

// One channel: input rows are resized when the first output row needs them. As
// rows are needed in order, the last `most` of them are enough.
template <class T>
class Channel {
 public:
  Channel(const Resize& r, const Weights<T>& rows, const Weights<T>& columns)
      : r_(r), rows_(rows), columns_(columns), cast_(r.dtype) {}

  bool reserve() {
    in_ = in_memory_.array<T>(r_.in[1]);
    sum_ = sum_memory_.array<T>(r_.out[1]);
    kept_ = kept_memory_.array<T>(rows_.most * r_.out[1]);
    return in_ != nullptr && sum_ != nullptr && kept_ != nullptr;
  }

  void run(const char* in, char* out) {
    int64_t done = 0;  // input rows that were resized
    const int64_t width = r_.out[1];
    for (int64_t y = 0; y < r_.out[0]; ++y) {
      const int64_t first = rows_.first[y], count = rows_.count[y];
      for (done = std::max(done, first); done < first + count; ++done) {
        cast_.read(in + done * r_.in_image.strides[1] * cast_.item(),
                   r_.in_image.strides[2], in_, r_.in[1]);
        resize_row(columns_, in_, kept_ + done % rows_.most * width, width);
      }
      std::fill(sum_, sum_ + width, T(0));
      for (int64_t j = 0; j < count; ++j) {
        const T weight = rows_.weight[y * rows_.most + j];
        const T* row = kept_ + (first + j) % rows_.most * width;
        for (int64_t x = 0; x < width; ++x) {
          sum_[x] += weight * row[x];
        }
      }
      if constexpr (std::is_same_v<T, int64_t>) {
        for (int64_t x = 0; x < width; ++x) {
          sum_[x] = finish(sum_[x], rows_.shift);
        }
      }
      cast_.write(sum_, out + y * r_.out_image.strides[1] * cast_.item(),
                  r_.out_image.strides[2], width);
    }
  }

 private:
  const Resize& r_;
  const Weights<T>& rows_;
  const Weights<T>& columns_;
  const gemm::Cast<T> cast_;
  Scratch in_memory_, sum_memory_, kept_memory_;
  T* in_ = nullptr;
  T* sum_ = nullptr;
  T* kept_ = nullptr;
};

template <class T>
Error run_channels(const Resize& r, const Weights<T>& rows,
                   const Weights<T>& columns, const void* in, void* out) {
  const int64_t item = gemm::Cast<T>(r.dtype).item();
  std::atomic<bool> out_of_memory{false};
  const int64_t cost = 4 * (r.in[0] * r.in[1] + 2 * r.out[0] * r.out[1]);
  parallel(r.batch * r.channels, kGrainBytes / (4 * cost + 1) + 1,
           [&](int64_t begin, int64_t end) {
             Channel<T> channel(r, rows, columns);
             if (!channel.reserve()) {
               out_of_memory = true;
               return;
             }
             for (int64_t i = begin; i < end; ++i) {
               const auto at = [&](const Image& x) {
                 return (i / r.channels * x.batch_stride +
                         i % r.channels * x.channel_stride) *
                        item;
               };
               channel.run(static_cast<const char*>(in) + at(r.in_image),
                           static_cast<char*>(out) + at(r.out_image));
             }
           });
  ET_CHECK_OR_RETURN_ERROR(!out_of_memory, MemoryAllocationFailed,
                           "no memory for rows of %lld points",
                           (long long)r.out[1]);
  return Error::Ok;
}

template <class T>
Error run_bilinear(const Resize& r, bool align_corners, bool antialias,
                   const void* in, void* out) {
  Weights<T> rows, columns;
  const auto init = [&](Weights<T>& w, int d) {
    return antialias ? w.init_antialiased(r, d, align_corners)
                     : w.init_bilinear(r, d, align_corners);
  };
  ET_CHECK_OR_RETURN_ERROR(init(rows, 0) && init(columns, 1),
                           MemoryAllocationFailed,
                           "no memory for the weights of %lldx%lld points",
                           (long long)r.out[0], (long long)r.out[1]);
  if constexpr (std::is_same_v<T, double>) {
    if (r.dtype == ScalarType::Byte) {
      Weights<int64_t> byte_rows, byte_columns;
      ET_CHECK_OR_RETURN_ERROR(to_integers(rows, r.out[0], byte_rows) &&
                                   to_integers(columns, r.out[1], byte_columns),
                               MemoryAllocationFailed,
                               "no memory for the weights of %lldx%lld points",
                               (long long)r.out[0], (long long)r.out[1]);
      return run_channels(r, byte_rows, byte_columns, in, out);
    }
  }
  return run_channels(r, rows, columns, in, out);
}

Error bilinear(const Resize& r, bool align_corners, bool antialias,
               const Tensor& in, Tensor& out) {
  return r.dtype == ScalarType::Double || r.dtype == ScalarType::Byte
             ? run_bilinear<double>(r, align_corners, antialias,
                                    in.const_data_ptr(), out.mutable_data_ptr())
             : run_bilinear<float>(r, align_corners, antialias,
                                   in.const_data_ptr(), out.mutable_data_ptr());
}

Error upsample_bilinear2d(KernelRuntimeContext&, const Tensor& in,
                          std::optional<ArrayRef<int64_t>> size,
                          bool align_corners,
                          std::optional<ArrayRef<double>> factors,
                          Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_input(in, out));
  const Result<Resize> r = by_size_or_scale(in, size, factors, out);
  ET_CHECK_OK_OR_RETURN_ERROR(r.error());
  return bilinear(*r, align_corners, false, in, out);
}

Error upsample_bilinear2d_aa(KernelRuntimeContext&, const Tensor& in,
                             ArrayRef<int64_t> size, bool align_corners,
                             std::optional<double> scale_h,
                             std::optional<double> scale_w, Tensor& out) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_input(in, out));
  ET_CHECK_OR_RETURN_ERROR(size.size() == 2, InvalidArgument,
                           "%zu output sizes for 2 dimensions", size.size());
  Resize wanted = {};
  std::copy(size.begin(), size.end(), wanted.out);
  wanted.scales[0] = scale_h;
  wanted.scales[1] = scale_w;
  const Result<Resize> r = sized(wanted, in, out);
  ET_CHECK_OK_OR_RETURN_ERROR(r.error());
  return bilinear(*r, align_corners, true, in, out);
}

// Nearest: results are copies of items, whatever these are.

template <class Item>
void copy_nearest(const Resize& r, const int64_t* rows, const int64_t* columns,
                  const Item* in, Item* out) {
  const int64_t cost = r.out[0] * r.out[1] * int64_t{sizeof(Item)} * 4;
  parallel(r.batch * r.channels, kGrainBytes / (cost + 1) + 1,
           [&](int64_t begin, int64_t end) {
             for (int64_t i = begin; i < end; ++i) {
               const auto at = [&](const Image& x) {
                 return i / r.channels * x.batch_stride +
                        i % r.channels * x.channel_stride;
               };
               for (int64_t y = 0; y < r.out[0]; ++y) {
                 const Item* from = in + at(r.in_image) + rows[y];
                 Item* to = out + at(r.out_image) + y * r.out_image.strides[1];
                 for (int64_t x = 0; x < r.out[1]; ++x) {
                   to[x * r.out_image.strides[2]] = from[columns[x]];
                 }
               }
             }
           });
}

// Offsets of the input point for each output point along dimension d. A factor
// that does not change or that doubles the size is taken as 1 or 2.
template <class T>
const int64_t* nearest_offsets(const Resize& r, int d, Scratch& memory) {
  int64_t* offsets = memory.array<int64_t>(r.out[d]);
  const T scale = step<T>(r, d, false);
  for (int64_t i = 0; offsets != nullptr && i < r.out[d]; ++i) {
    const T at = r.out[d] == r.in[d]       ? T(i)
                 : r.out[d] == 2 * r.in[d] ? T(i / 2)
                                           : std::floor(T(i) * scale);
    offsets[i] =
        std::min(static_cast<int64_t>(std::min(at, T(r.in[d]))), r.in[d] - 1) *
        r.in_image.strides[1 + d];
  }
  return offsets;
}

Error upsample_nearest2d(KernelRuntimeContext&, const Tensor& in,
                         std::optional<ArrayRef<int64_t>> size,
                         std::optional<ArrayRef<double>> factors, Tensor& out) {
  const ScalarType dtype = in.scalar_type();
  ET_CHECK_OK_OR_RETURN_ERROR(check_input(in, out));
  const Result<Resize> r = by_size_or_scale(in, size, factors, out);
  ET_CHECK_OK_OR_RETURN_ERROR(r.error());
  Scratch row_memory, column_memory;
  const bool wide = dtype == ScalarType::Double;
  const int64_t* rows = wide ? nearest_offsets<double>(*r, 0, row_memory)
                             : nearest_offsets<float>(*r, 0, row_memory);
  const int64_t* columns = wide ? nearest_offsets<double>(*r, 1, column_memory)
                                : nearest_offsets<float>(*r, 1, column_memory);
  ET_CHECK_OR_RETURN_ERROR(rows != nullptr && columns != nullptr,
                           MemoryAllocationFailed,
                           "no memory for the offsets of %lldx%lld points",
                           (long long)r->out[0], (long long)r->out[1]);
  const auto copy = [&](auto item) {
    using Item = decltype(item);
    copy_nearest(*r, rows, columns,
                 static_cast<const Item*>(in.const_data_ptr()),
                 static_cast<Item*>(out.mutable_data_ptr()));
  };
  switch (in.element_size()) {
    case 1:
      copy(uint8_t{});
      break;
    case 2:
      copy(uint16_t{});
      break;
    case 4:
      copy(uint32_t{});
      break;
    default:
      copy(uint64_t{});
      break;
  }
  return Error::Ok;
}

const Op kOps[] = {
    op<kResized, upsample_bilinear2d>("aten::upsample_bilinear2d.vec_out"),
    op<kResized & ~kHalfs, upsample_bilinear2d_aa>(
        "aten::_upsample_bilinear2d_aa.out"),
    op<kResized, upsample_nearest2d>("aten::upsample_nearest2d.vec_out"),
};
const Registered registered(kOps);

}  // namespace
}  // namespace executorch::kernels
