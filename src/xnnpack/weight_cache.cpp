#include "src/xnnpack/weight_cache.h"

#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "src/core/large_memory.h"
#include "src/xnnpack/memory.h"

namespace executorch::xnnpack {

class PackedWeights {
 public:
  // Readable past the end.
  explicit PackedWeights(size_t size)
      : data_(core::allocate_aligned(64, size + XNN_EXTRA_BYTES)) {}
  ~PackedWeights() { std::free(data_); }
  PackedWeights(const PackedWeights&) = delete;
  PackedWeights& operator=(const PackedWeights&) = delete;

  void* data() const { return data_; }

 private:
  void* data_;
};

namespace {

constexpr size_t kNotFound = SIZE_MAX;

struct Shared {
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<PackedWeights>> weights;
};
Shared& shared() {
  static auto* instance = new Shared;  // outlives every delegate
  return *instance;
}

CacheSession& session(void* self) { return *static_cast<CacheSession*>(self); }

}  // namespace

CacheSession::CacheSession()
    : provider_{this,         look_up, reserve, look_up_or_insert,
                is_finalized, address, forget} {}

CacheSession::~CacheSession() {
  held_.clear();
  const std::lock_guard<std::mutex> lock(shared().mutex);
  auto& weights = shared().weights;
  for (auto it = weights.begin(); it != weights.end();) {
    it = it->second.expired() ? weights.erase(it) : std::next(it);
  }
}

void CacheSession::set_name(const void* data, std::string name) {
  names_[data] = std::move(name);
}

void CacheSession::finish() {
  finished_ = true;
  names_.clear();
}

std::string CacheSession::key_of(
    const xnn_weights_cache_look_up_key& key) const {
  const auto kernel = names_.find(key.kernel);
  const auto bias = names_.find(key.bias);
  if (kernel == names_.end() || (key.bias != nullptr && bias == names_.end())) {
    return {};
  }
  std::string result = std::to_string(key.seed) + '|' + kernel->second + '|';
  return key.bias == nullptr ? result : result + bias->second;
}

size_t CacheSession::hold(std::shared_ptr<PackedWeights> weights) {
  held_.push_back(std::move(weights));
  return held_.size() - 1;
}

size_t CacheSession::look_up(void* self,
                             const xnn_weights_cache_look_up_key* key) {
  const std::string name = session(self).key_of(*key);
  const std::lock_guard<std::mutex> lock(shared().mutex);
  return session(self).hold_known(name);
}

size_t CacheSession::hold_known(const std::string& name) {
  const auto found = shared().weights.find(name);
  auto weights =
      found == shared().weights.end() ? nullptr : found->second.lock();
  return weights == nullptr ? kNotFound : hold(std::move(weights));
}

void* CacheSession::reserve(void* self, size_t size) {
  session(self).reserved_ = std::make_shared<PackedWeights>(size);
  return session(self).reserved_->data();
}

size_t CacheSession::look_up_or_insert(void* self,
                                       const xnn_weights_cache_look_up_key* key,
                                       void* data, size_t /*size*/) {
  CacheSession& own = session(self);
  auto weights = std::exchange(own.reserved_, nullptr);
  const std::string name = own.key_of(*key);
  const std::lock_guard<std::mutex> lock(shared().mutex);
  // Found before, or packed meanwhile by another delegate.
  const size_t known = own.hold_known(name);
  if (known != kNotFound || weights == nullptr || weights->data() != data) {
    return known;
  }
  if (!name.empty()) {
    shared().weights[name] = weights;
  }
  return own.hold(std::move(weights));
}

bool CacheSession::is_finalized(void* self) { return session(self).finished_; }

void* CacheSession::address(void* self, size_t offset) {
  return session(self).held_[offset]->data();
}

xnn_status CacheSession::forget(void*) { return xnn_status_success; }

}  // namespace executorch::xnnpack
