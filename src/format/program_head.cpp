#include <executorch/runtime/platform/log.h>

#include <cstring>

#include "src/format/program_file.h"

namespace executorch::format {

using runtime::Error;
using runtime::Result;

namespace {

// The head of a file: root offset (4), identifier (4), then, if the magic is
// there, the extended header. All numbers are little-endian.
constexpr size_t kIdentifierAt = 4;
constexpr size_t kMagicAt = 8;
constexpr size_t kLengthAt = 12;
constexpr size_t kProgramSizeAt = 16;
constexpr size_t kSegmentBaseAt = 24;
constexpr size_t kSegmentsSizeAt = 32;  // absent in headers of before 2025
constexpr char kMagic[] = {'e', 'h', '0', '0'};
constexpr uint32_t kMinHeaderLength = kSegmentsSizeAt - kMagicAt;
constexpr uint32_t kFullHeaderLength = kMinHeaderLength + sizeof(uint64_t);

// Smallest flatbuffer with a table.
constexpr uint64_t kMinProgramSize = 16;

template <class T>
T read(const void* head, size_t offset) {
  T value;
  std::memcpy(&value, static_cast<const char*>(head) + offset, sizeof(value));
  return value;
}

}  // namespace

HeadStatus check_program_head(const void* head) {
  const char* identifier = static_cast<const char*>(head) + kIdentifierAt;
  if (std::memcmp(identifier, fb::ProgramIdentifier(), 4) == 0) {
    return HeadStatus::kProgram;
  }
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return identifier[0] == 'E' && identifier[1] == 'T' && digit(identifier[2]) &&
                 digit(identifier[3])
             ? HeadStatus::kOtherVersion
             : HeadStatus::kNoProgram;
}

Result<ProgramLayout> parse_program_head(const void* head, size_t file_size) {
  const char* found = static_cast<const char*>(head) + kIdentifierAt;
  switch (check_program_head(head)) {
    case HeadStatus::kProgram:
      break;
    case HeadStatus::kOtherVersion:
      ET_LOG(Error,
             "program format %.4s is not supported, expected %s: export the "
             "model with a matching release",
             found, fb::ProgramIdentifier());
      return Error::InvalidProgram;
    case HeadStatus::kNoProgram:
      ET_LOG(Error, "not a .pte program: identifier %s is missing at byte %zu",
             fb::ProgramIdentifier(), kIdentifierAt);
      return Error::InvalidProgram;
  }
  ProgramLayout layout;
  if (std::memcmp(static_cast<const char*>(head) + kMagicAt, kMagic,
                  sizeof(kMagic)) != 0) {
    layout.program_size = file_size;
    return layout;
  }
  const auto length = read<uint32_t>(head, kLengthAt);
  const auto program_size = read<uint64_t>(head, kProgramSizeAt);
  const auto base = read<uint64_t>(head, kSegmentBaseAt);
  const bool has_segments_size = length >= kFullHeaderLength;
  const auto segments_size =
      has_segments_size ? read<uint64_t>(head, kSegmentsSizeAt) : 0;
  ET_CHECK_OR_RETURN_ERROR(
      length >= kMinHeaderLength && program_size >= kMinProgramSize &&
          program_size <= file_size,
      InvalidProgram,
      "extended header of %u bytes gives the program %llu bytes, the file has "
      "%zu: it is damaged or cut off",
      length, static_cast<unsigned long long>(program_size), file_size);
  layout.program_size = static_cast<size_t>(program_size);
  if (base == 0) {
    return layout;
  }
  ET_CHECK_OR_RETURN_ERROR(
      base >= program_size && base <= file_size &&
          segments_size <= file_size - base,
      InvalidProgram,
      "segments of %llu bytes at %llu are outside of the file of %zu bytes: it "
      "is damaged or cut off",
      static_cast<unsigned long long>(segments_size),
      static_cast<unsigned long long>(base), file_size);
  layout.segment_base = static_cast<size_t>(base);
  layout.segments_size = static_cast<size_t>(
      segments_size != 0 ? segments_size : file_size - base);
  return layout;
}

}  // namespace executorch::format
