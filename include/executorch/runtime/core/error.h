// Error codes, and the macros that check a condition and return one.
//
// Faults in files, arguments and the environment travel as an Error (or as a
// Result, see result.h) together with one log line where they were found; its
// text can be read with last_error_message().
#pragma once

#include <executorch/runtime/platform/log.h>

#include <cstdint>

namespace executorch {
namespace runtime {

using error_code_t = uint32_t;

/// Outcome of a call. The numbers are stable.
enum class Error : error_code_t {
  // System.
  Ok = 0x00,             ///< no error
  Internal = 0x01,       ///< a fault of the runtime itself
  InvalidState = 0x02,   ///< the object cannot do this now
  EndOfMethod = 0x03,    ///< no more instructions to run
  AlreadyLoaded = 0x04,  ///< the resource is loaded already

  // Logic.
  NotSupported = 0x10,                     ///< cannot be done here
  NotImplemented = 0x11,                   ///< could be done, but is not
  InvalidArgument = 0x12,                  ///< the caller gave a bad value
  InvalidType = 0x13,                      ///< a value of another type
  OperatorMissing = 0x14,                  ///< no kernel for an operator
  RegistrationExceedingMaxKernels = 0x15,  ///< the operator table is full
  RegistrationAlreadyRegistered = 0x16,    ///< the name is taken

  // Resources.
  NotFound = 0x20,                ///< nothing of that name
  MemoryAllocationFailed = 0x21,  ///< not enough memory
  AccessFailed = 0x22,            ///< cannot be opened or read
  InvalidProgram = 0x23,          ///< the program file is damaged
  InvalidExternalData = 0x24,     ///< the data file is damaged or foreign
  OutOfResources = 0x25,          ///< something other than memory ran out

  // Delegates.
  DelegateInvalidCompatibility = 0x30,    ///< made for another version
  DelegateMemoryAllocationFailed = 0x31,  ///< not enough memory in a delegate
  DelegateInvalidHandle = 0x32,           ///< unknown delegate handle
};

/// "Error::" and the name of the code; "Error::Unknown" for other numbers.
constexpr const char* to_string(const Error error) {
  switch (error) {
    case Error::Ok:
      return "Error::Ok";
    case Error::Internal:
      return "Error::Internal";
    case Error::InvalidState:
      return "Error::InvalidState";
    case Error::EndOfMethod:
      return "Error::EndOfMethod";
    case Error::AlreadyLoaded:
      return "Error::AlreadyLoaded";
    case Error::NotSupported:
      return "Error::NotSupported";
    case Error::NotImplemented:
      return "Error::NotImplemented";
    case Error::InvalidArgument:
      return "Error::InvalidArgument";
    case Error::InvalidType:
      return "Error::InvalidType";
    case Error::OperatorMissing:
      return "Error::OperatorMissing";
    case Error::RegistrationExceedingMaxKernels:
      return "Error::RegistrationExceedingMaxKernels";
    case Error::RegistrationAlreadyRegistered:
      return "Error::RegistrationAlreadyRegistered";
    case Error::NotFound:
      return "Error::NotFound";
    case Error::MemoryAllocationFailed:
      return "Error::MemoryAllocationFailed";
    case Error::AccessFailed:
      return "Error::AccessFailed";
    case Error::InvalidProgram:
      return "Error::InvalidProgram";
    case Error::InvalidExternalData:
      return "Error::InvalidExternalData";
    case Error::OutOfResources:
      return "Error::OutOfResources";
    case Error::DelegateInvalidCompatibility:
      return "Error::DelegateInvalidCompatibility";
    case Error::DelegateMemoryAllocationFailed:
      return "Error::DelegateMemoryAllocationFailed";
    case Error::DelegateInvalidHandle:
      return "Error::DelegateInvalidHandle";
  }
  return "Error::Unknown";
}

}  // namespace runtime
}  // namespace executorch

/// Unless the condition holds, logs the printf text and returns the error,
/// which is named without scope.
#define ET_CHECK_OR_RETURN_ERROR(condition__, error__, ...) \
  {                                                         \
    if ET_UNLIKELY (!(condition__)) {                       \
      ET_LOG(Error, __VA_ARGS__);                           \
      return ::executorch::runtime::Error::error__;         \
    }                                                       \
  }

/// Unless the condition holds, logs it with the printf text, returns false.
#define ET_CHECK_OR_RETURN_FALSE(condition__, ...)             \
  {                                                            \
    if ET_UNLIKELY (!(condition__)) {                          \
      ET_INTERNAL_LOG_FAILED_CHECK(#condition__, __VA_ARGS__); \
      return false;                                            \
    }                                                          \
  }

/// ET_CHECK_OK_OR_RETURN_ERROR(error, [printf text...]): returns `error` unless
/// it is Ok; with a text logs that first.
#define ET_CHECK_OK_OR_RETURN_ERROR(...) \
  ET_INTERNAL_BY_COUNT(ET_INTERNAL_RETURN_ERROR, __VA_ARGS__)(__VA_ARGS__)

// Appends _1 to a macro name when one argument follows, else _MORE.
#define ET_INTERNAL_BY_COUNT(name__, ...)                                      \
  ET_INTERNAL_12TH(__VA_ARGS__, name__##_MORE, name__##_MORE, name__##_MORE,   \
                   name__##_MORE, name__##_MORE, name__##_MORE, name__##_MORE, \
                   name__##_MORE, name__##_MORE, name__##_MORE, name__##_1, )
#define ET_INTERNAL_12TH(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, \
                         ...)                                               \
  _12

#define ET_INTERNAL_RETURN_ERROR_1(error__)                           \
  do {                                                                \
    const ::executorch::runtime::Error et_error__ = (error__);        \
    if ET_UNLIKELY (et_error__ != ::executorch::runtime::Error::Ok) { \
      return et_error__;                                              \
    }                                                                 \
  } while (0)

#define ET_INTERNAL_RETURN_ERROR_MORE(error__, ...)                   \
  do {                                                                \
    const ::executorch::runtime::Error et_error__ = (error__);        \
    if ET_UNLIKELY (et_error__ != ::executorch::runtime::Error::Ok) { \
      ET_LOG(Error, __VA_ARGS__);                                     \
      return et_error__;                                              \
    }                                                                 \
  } while (0)
