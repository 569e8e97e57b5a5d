// A data sink in a file.
#pragma once

#include <executorch/devtools/etdump/data_sinks/data_sink_base.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/compiler.h>

#include <cstddef>
#include <cstdio>

namespace executorch {
namespace etdump {

class ET_EXPORT FileDataSink : public DataSinkBase {
 public:
  /// Makes the file, or empties it.
  ///
  /// @retval InvalidArgument The path is null.
  /// @retval AccessFailed The file cannot be opened for writing.
  static ::executorch::runtime::Result<FileDataSink> create(
      const char* file_path);

  FileDataSink(const FileDataSink&) = delete;
  FileDataSink& operator=(const FileDataSink&) = delete;
  FileDataSink(FileDataSink&& other) noexcept;
  FileDataSink& operator=(FileDataSink&& other) noexcept;
  ~FileDataSink() override;

  /// Appends the bytes, without padding between pieces.
  ///
  /// @retval AccessFailed The sink is closed.
  /// @retval Internal The system did not write all bytes, as on a full disk.
  ::executorch::runtime::Result<size_t> write(const void* ptr,
                                              size_t size) override;

  size_t get_used_bytes() const override;

  /// Writes what the system has buffered and closes the file.
  void close();

 private:
  explicit FileDataSink(std::FILE* file) : file_(file) {}

  std::FILE* file_;
  size_t written_ = 0;
};

}  // namespace etdump
}  // namespace executorch
