// The threads of pthreadpool for Linux, in place of its own pthreads.c.
//
// There a call ends when every worker has woken up and reported. When other
// processes use the processors, a worker that has nothing left to do is waited
// for as long as the scheduler makes it wait: milliseconds, again and again.
// Here a call ends when all items are done: a worker joins a call before it looks
// at it, the caller closes the call when no item is left, and only those that
// joined are waited for. Items of a worker that comes late are taken by the others.
#include <fxdiv.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <pthreadpool.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "threadpool-atomics.h"
#include "threadpool-common.h"
#include "threadpool-object.h"
#include "threadpool-utils.h"

// What the fields of the pool hold here:
//   command             number of the call, times four, and what to do
//   has_active_threads  kOpen while a call may be joined, plus who has joined
//   active_threads      workers that sleep, or are about to
enum { kParallelize = 1, kShutdown = 2, kKindMask = 3 };
static const uint32_t kOpen = UINT32_C(1) << 31;

typedef pthreadpool_atomic_uint32_t Word;

static void sleep_while(Word* word, uint32_t value) {
  syscall(SYS_futex, word, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, value, NULL);
}

static void wake_all(Word* word) {
  syscall(SYS_futex, word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, INT_MAX);
}

// Returns whether the word came to differ from `value`.
static bool spin_while(Word* word, uint32_t value) {
  for (uint32_t i = 0; i < PTHREADPOOL_SPIN_WAIT_ITERATIONS; ++i) {
    if (atomic_load_explicit(word, memory_order_acquire) != value) {
      return true;
    }
    pthreadpool_yield();
  }
  return false;
}

static bool join_call(struct pthreadpool* pool) {
  Word* state = &pool->has_active_threads;
  uint32_t seen = atomic_load_explicit(state, memory_order_relaxed);
  while ((seen & kOpen) != 0) {
    if (atomic_compare_exchange_weak_explicit(state, &seen, seen + 1,
                                              memory_order_acquire,
                                              memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

static void leave_call(struct pthreadpool* pool) {
  Word* state = &pool->has_active_threads;
  if (atomic_fetch_sub_explicit(state, 1, memory_order_release) == 1) {
    wake_all(state);  // the call is closed and this was the last
  }
}

static void close_call(struct pthreadpool* pool) {
  Word* state = &pool->has_active_threads;
  uint32_t left =
      atomic_fetch_and_explicit(state, ~kOpen, memory_order_acquire) & ~kOpen;
  while (left != 0) {
    if (!spin_while(state, left)) {
      sleep_while(state, left);
    }
    left = atomic_load_explicit(state, memory_order_acquire);
  }
}

static void work(struct pthreadpool* pool, struct thread_info* thread) {
  const thread_function_t function =
      (thread_function_t)pthreadpool_load_relaxed_void_p(
          &pool->thread_function);
  struct fpu_state saved = {0};
  const bool flush = (pthreadpool_load_relaxed_uint32_t(&pool->flags) &
                      PTHREADPOOL_FLAG_DISABLE_DENORMALS) != 0;
  if (flush) {
    saved = get_fpu_state();
    disable_fpu_denormals();
  }
  function(pool, thread);
  if (flush) {
    set_fpu_state(saved);
  }
}

static uint32_t wait_for_command(struct pthreadpool* pool, uint32_t last,
                                 bool spin) {
  if (!spin || !spin_while(&pool->command, last)) {
    // Either the caller sees the sleeper or the sleeper sees the command.
    atomic_fetch_add(&pool->active_threads, 1);
    while (atomic_load(&pool->command) == last) {
      sleep_while(&pool->command, last);
    }
    atomic_fetch_sub(&pool->active_threads, 1);
  }
  return atomic_load_explicit(&pool->command, memory_order_acquire);
}

static void give_command(struct pthreadpool* pool, uint32_t kind) {
  const uint32_t last =
      atomic_load_explicit(&pool->command, memory_order_relaxed);
  atomic_store(&pool->command, (last & ~(uint32_t)kKindMask) + 4 + kind);
  if (atomic_load(&pool->active_threads) != 0) {
    wake_all(&pool->command);
  }
}

static void* thread_main(void* argument) {
  struct thread_info* thread = argument;
  struct pthreadpool* pool = thread->threadpool;
  uint32_t command = 0;
  bool spin = true;
  while (true) {
    command = wait_for_command(pool, command, spin);
    if ((command & kKindMask) == kShutdown) {
      return NULL;
    }
    if (join_call(pool)) {
      spin = (pthreadpool_load_relaxed_uint32_t(&pool->flags) &
              PTHREADPOOL_FLAG_YIELD_WORKERS) == 0;
      work(pool, thread);
      leave_call(pool);
    }
  }
}

struct pthreadpool* pthreadpool_create(size_t threads_count) {
  if (threads_count == 0) {
    threads_count = (size_t)sysconf(_SC_NPROCESSORS_ONLN);
  }
  struct pthreadpool* pool = pthreadpool_allocate(threads_count);
  if (pool == NULL) {
    return NULL;
  }
  pthread_mutex_init(&pool->execution_mutex, NULL);
  // The caller is thread 0. Items of a thread that cannot start go to others.
  for (size_t i = 0; i < threads_count; ++i) {
    struct thread_info* thread = &pool->threads[i];
    thread->thread_number = i;
    thread->threadpool = pool;
  }
  pool->threads_count = fxdiv_init_size_t(threads_count);
  for (size_t i = 1; i < threads_count; ++i) {
    struct thread_info* thread = &pool->threads[i];
    if (pthread_create(&thread->thread_object, NULL, thread_main, thread) !=
        0) {
      thread->threadpool = NULL;
    }
  }
  return pool;
}

PTHREADPOOL_INTERNAL void pthreadpool_parallelize(
    struct pthreadpool* pool, thread_function_t function, const void* params,
    size_t params_size, void* task, void* context, size_t linear_range,
    uint32_t flags) {
  pthread_mutex_lock(&pool->execution_mutex);
  // Nobody has joined, so nobody reads what is written here.
  pthreadpool_store_relaxed_void_p(&pool->thread_function, (void*)function);
  pthreadpool_store_relaxed_void_p(&pool->task, task);
  pthreadpool_store_relaxed_void_p(&pool->argument, context);
  pthreadpool_store_relaxed_uint32_t(&pool->flags, flags);
  if (params_size != 0) {
    memcpy(&pool->params, params, params_size);
  }
  const struct fxdiv_result_size_t share =
      fxdiv_divide_size_t(linear_range, pool->threads_count);
  size_t start = 0;
  for (size_t i = 0; i < pool->threads_count.value; ++i) {
    struct thread_info* thread = &pool->threads[i];
    const size_t length = share.quotient + (i < share.remainder ? 1 : 0);
    pthreadpool_store_relaxed_size_t(&thread->range_start, start);
    pthreadpool_store_relaxed_size_t(&thread->range_end, start + length);
    pthreadpool_store_relaxed_size_t(&thread->range_length, length);
    start += length;
  }
  atomic_store_explicit(&pool->has_active_threads, kOpen,
                        memory_order_release);
  give_command(pool, kParallelize);
  work(pool, &pool->threads[0]);
  close_call(pool);
  pthread_mutex_unlock(&pool->execution_mutex);
}

void pthreadpool_destroy(struct pthreadpool* pool) {
  if (pool == NULL) {
    return;
  }
  give_command(pool, kShutdown);
  for (size_t i = 1; i < pool->threads_count.value; ++i) {
    if (pool->threads[i].threadpool != NULL) {
      pthread_join(pool->threads[i].thread_object, NULL);
    }
  }
  pthread_mutex_destroy(&pool->execution_mutex);
  pthreadpool_deallocate(pool);
}
