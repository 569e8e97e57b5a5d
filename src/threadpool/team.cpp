#include "src/threadpool/team.h"

#include <algorithm>
#include <chrono>

namespace executorch::extension::threadpool {
namespace {

thread_local bool t_inside = false;

// The gate: number of the loop in the upper half, two flags, workers inside.
constexpr uint64_t kOpen = uint64_t{1} << 31;
constexpr uint64_t kCallerSleeps = uint64_t{1} << 30;
constexpr uint64_t kInside = kCallerSleeps - 1;
uint32_t number_of(uint64_t gate) { return static_cast<uint32_t>(gate >> 32); }

// Waking a thread costs tens of microseconds, so between the loops of one model
// it stays awake; longer pauses leave the CPU to others.
constexpr std::chrono::microseconds kSpin{200};

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

// Whether `done` became true within kSpin.
template <class Done>
bool spin_until(Done done) {
  const auto end = std::chrono::steady_clock::now() + kSpin;
  do {
    for (int i = 0; i < 32; ++i) {
      if (done()) {
        return true;
      }
      pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

}  // namespace

// While it lives the gate is open; after that nobody is inside.
class Team::Open {
 public:
  explicit Open(Team& team) : team_(team) {
    const uint64_t number = number_of(team.gate_) + uint64_t{1};
    team.gate_ = (number << 32) | kOpen;
    t_inside = true;
  }
  ~Open() {
    t_inside = false;
    team_.gate_.fetch_and(~kOpen);
    team_.wait_until_left();
  }
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;

 private:
  Team& team_;
};

Team::Team(size_t workers, bool spin) : shares_(workers + 1), spin_(spin) {
  threads_.reserve(workers);
  pthread_t thread;
  while (threads_.size() < workers &&
         pthread_create(&thread, nullptr, start, this) == 0) {
    threads_.push_back(thread);
  }
}

Team::~Team() {
  {
    const std::lock_guard<std::mutex> lock(sleep_);
    stop_ = true;
  }
  loop_.notify_all();
  for (const pthread_t thread : threads_) {
    pthread_join(thread, nullptr);
  }
}

bool Team::inside() { return t_inside; }

void Team::run(Task task, size_t range) {
  const std::unique_lock<std::mutex> turn(turn_, std::try_to_lock);
  if (!turn.owns_lock()) {
    for (size_t i = 0; i < range; ++i) {
      task(0, i);
    }
    return;
  }
  task_ = &task;
  share_out(range);
  const Open open(*this);
  wake(range - 1);
  take_pieces(0);
}

void* Team::start(void* argument) {
  auto* team = static_cast<Team*>(argument);
  team->work(++team->started_);
  return nullptr;
}

void Team::work(size_t thread) {
  t_inside = true;
  for (uint32_t seen = 0; wait_for_loop(seen);) {
    take_pieces(thread);
    leave();
  }
}

// Enters the next loop; false when the team ends.
bool Team::wait_for_loop(uint32_t& seen) {
  bool entered = false;
  const auto done = [&] {
    entered = enter(seen);
    return entered || stop_.load();
  };
  if (!(spin_ && spin_until(done))) {
    std::unique_lock<std::mutex> lock(sleep_);
    ++asleep_;  // before the gate is read, as wake() reads them the other way
    loop_.wait(lock, done);
    --asleep_;
  }
  return entered;
}

// A worker enters a loop once; when it comes back there is no piece left.
bool Team::enter(uint32_t& seen) {
  uint64_t gate = gate_.load();
  while ((gate & kOpen) != 0 && number_of(gate) != seen) {
    if (gate_.compare_exchange_weak(gate, gate + 1)) {
      seen = number_of(gate);
      return true;
    }
  }
  return false;
}

void Team::share_out(size_t range) {
  const size_t threads = workers() + 1;
  const size_t each = range / threads, more = range % threads;
  size_t end = 0;
  for (size_t i = 0; i < threads; ++i) {
    shares_[i].next = end;
    shares_[i].end = end += each + (i < more ? 1 : 0);
  }
}

void Team::take_pieces(size_t thread) {
  const size_t count = shares_.size();
  for (size_t i = 0; i < count; ++i) {
    Share& share = shares_[(thread + i) % count];
    while (share.next < share.end) {
      const size_t piece = share.next.fetch_add(1);
      if (piece < share.end) {
        (*task_)(thread, piece);
      }
    }
  }
}

void Team::leave() {
  const uint64_t gate = gate_.fetch_sub(1);
  if ((gate & kCallerSleeps) != 0 && (gate & kInside) == 1) {
    const std::lock_guard<std::mutex> lock(sleep_);
    left_.notify_one();
  }
}

// Those that are awake come by themselves.
void Team::wake(size_t wanted) {
  const size_t asleep = asleep_;
  const size_t awake = threads_.size() - asleep;
  if (asleep == 0 || wanted <= awake) {
    return;
  }
  {
    const std::lock_guard<std::mutex> lock(sleep_);
  }  // they wait, or look again
  for (size_t i = std::min(wanted - awake, asleep); i > 0; --i) {
    loop_.notify_one();
  }
}

void Team::wait_until_left() {
  const auto done = [&] { return (gate_ & kInside) == 0; };
  if (done() || spin_until(done)) {
    return;
  }
  std::unique_lock<std::mutex> lock(sleep_);
  gate_.fetch_or(kCallerSleeps);
  left_.wait(lock, done);
}

}  // namespace executorch::extension::threadpool
