// What a thread is doing, so that its error lines can say where they come from.
//
//   LogContext context([](const void* what, char* text, size_t size) {...},
//   &run);
//
// As long as the object lives, error lines of this thread begin with the text
// that the function writes ("method forward, instruction 3 (aten::add.out): ").
// It is called only when there is an error line.
#pragma once

#include <cstddef>

namespace executorch::platform {

class LogContext {
 public:
  // Writes at most `size` bytes, the final zero included.
  using Describe = void (*)(const void* what, char* text, size_t size);

  LogContext(Describe describe, const void* what);
  ~LogContext();
  LogContext(const LogContext&) = delete;
  LogContext& operator=(const LogContext&) = delete;

  // The text for the calling thread, or "".
  static void describe_current(char* text, size_t size);

 private:
  Describe describe_;
  const void* what_;
  const LogContext* outer_;
};

}  // namespace executorch::platform
