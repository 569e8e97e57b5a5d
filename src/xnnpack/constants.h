// The constants of a payload.
#pragma once

#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/named_data_map.h>

#include <list>
#include <memory>
#include <string>

#include "src/xnnpack/payload.h"

namespace executorch::xnnpack {

class Constants {
 public:
  Constants(const Payload& payload, const runtime::NamedDataMap* named_data)
      : payload_(payload), named_data_(named_data) {}

  // The bytes of constant `index`, at least `size` of them. They live as long
  // as this object; with `packed` only until drop_packed().
  runtime::Result<const void*> load(uint32_t index, size_t size, bool packed);

  // The same, widened from bfloat16.
  runtime::Result<const void*> load_widened(uint32_t index, size_t count);

  // Keeps scales that were converted until drop_packed().
  const void* keep(std::unique_ptr<uint16_t[]> scales) {
    scales_.push_back(std::move(scales));
    return scales_.back().get();
  }

  // Of all that was loaded.
  size_t bytes() const { return bytes_; }

  // The key of constant `index` in the named data; empty if it has none.
  std::string name(uint32_t index) const;

  // Gives back what XNNPACK has packed and does not read any more.
  void drop_packed() {
    packed_.clear();
    widened_.clear();
    scales_.clear();
  }

 private:
  runtime::Result<const void*> load_own(const uint8_t* data, size_t size,
                                        bool packed);
  runtime::Result<const void*> load_named(const char* key, size_t size,
                                          bool packed);

  const Payload payload_;  // not read after the values are defined
  const runtime::NamedDataMap* named_data_;
  size_t bytes_ = 0;
  std::list<runtime::FreeableBuffer> packed_, kept_;
  std::list<std::unique_ptr<float[]>> widened_;
  std::list<std::unique_ptr<uint16_t[]>> scales_;
  std::list<std::unique_ptr<uint8_t[]>> copies_;
};

}  // namespace executorch::xnnpack
