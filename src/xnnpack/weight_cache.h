// Packed weights that delegates of one process share.
//
// XNNPACK asks a cache before it packs the weights of a node, by the addresses
// of filter and bias. A session belongs to one delegate: it knows the names of
// the constants behind the addresses, which stand for their bytes, and holds
// what the delegate uses. The packed weights of a name end with their last
// user.
#pragma once

#include <xnnpack.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace executorch::xnnpack {

class PackedWeights;

class CacheSession {
 public:
  CacheSession();
  ~CacheSession();
  CacheSession(const CacheSession&) = delete;
  CacheSession& operator=(const CacheSession&) = delete;

  // Tells that the bytes at `data`, with all that packing depends on, are those
  // that `name` stands for. Weights without a name are not shared.
  void set_name(const void* data, std::string name);

  xnn_weights_cache_t provider() { return &provider_; }

  // The runtime exists: addresses may now be given to other data.
  void finish();

 private:
  static size_t look_up(void* self, const xnn_weights_cache_look_up_key* key);
  static void* reserve(void* self, size_t size);
  static size_t look_up_or_insert(void* self,
                                  const xnn_weights_cache_look_up_key* key,
                                  void* data, size_t size);
  static bool is_finalized(void* self);
  static void* address(void* self, size_t offset);
  static xnn_status forget(void* self);

  // Empty when the weights are not to be shared.
  std::string key_of(const xnn_weights_cache_look_up_key& key) const;
  size_t hold(std::shared_ptr<PackedWeights> weights);
  // What others hold under this name; needs the lock of the cache.
  size_t hold_known(const std::string& name);

  xnn_weights_cache_provider provider_;
  std::map<const void*, std::string> names_;
  std::shared_ptr<PackedWeights> reserved_;
  std::vector<std::shared_ptr<PackedWeights>> held_;  // by offset
  bool finished_ = false;
};

}  // namespace executorch::xnnpack
