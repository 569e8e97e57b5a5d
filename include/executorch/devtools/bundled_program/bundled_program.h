// Programs in one file with inputs and the outputs they should give (.bpte).
//
// The functions are in the runtime library, as BundledModule needs them there.
#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/platform/compiler.h>

#include <cstddef>

namespace executorch {
namespace bundled_program {

/// The bytes of a .bpte file at an address that is a multiple of 32. As their
/// number is not known where this type is used, pass only bytes that
/// get_program_data() has accepted: it checks the file.
using SerializedBundledProgram = const void;

/// Whether the bytes begin as a .bpte file does.
ET_EXPORT bool is_bundled_program(void* file_data, size_t file_data_len);

/// Checks a .bpte file and finds the program in it, for a BufferDataLoader.
///
/// @param out_program_data Points into `file_data`.
/// @retval NotSupported It is no .bpte file.
/// @retval InvalidProgram It is one that is damaged.
/// @retval InvalidArgument A pointer is null, or the address is not aligned.
ET_NODISCARD ET_EXPORT runtime::Error get_program_data(
    void* file_data, size_t file_data_len, const void** out_program_data,
    size_t* out_program_data_len);

/// Sets all inputs of the method to those of a test. The file must outlive the
/// runs that use them.
///
/// @retval NotSupported The file has no tests for the method.
/// @retval InvalidArgument There is no such test, or its inputs do not fit.
/// @retval InvalidProgram A value of the test is damaged.
ET_NODISCARD ET_EXPORT runtime::Error load_bundled_input(
    runtime::Method& method, SerializedBundledProgram* bundled_program_ptr,
    size_t testset_idx);

/// How far outputs are from the expected ones, over all elements of all of
/// them. Where the expected one is 0 the relative error is the absolute one.
struct ErrorStats {
  runtime::Error status;
  double mean_abs_error;
  double max_abs_error;
  double mean_relative_error;
  double max_relative_error;
};

/// Compares the outputs of the last run with those of a test. The status is as
/// for verify_method_outputs() without NotFound.
ET_NODISCARD ET_EXPORT ErrorStats compute_method_output_error_stats(
    runtime::Method& method, SerializedBundledProgram* bundled_program_ptr,
    size_t testset_idx);

/// Whether the outputs of the last run are those of a test: for each element
/// |output - expected| <= atol + rtol * |expected|, or both are NaN.
///
/// @retval NotFound They are not.
/// @retval NotSupported The file has no tests for the method, or the test no
///     outputs.
/// @retval InvalidArgument There is no such test, or the outputs have other
///     dtypes, shapes or kinds.
/// @retval InvalidProgram A value of the test is damaged.
ET_NODISCARD ET_EXPORT runtime::Error verify_method_outputs(
    runtime::Method& method, SerializedBundledProgram* bundled_program_ptr,
    size_t testset_idx, double rtol = 1e-5, double atol = 1e-8);

}  // namespace bundled_program
}  // namespace executorch
