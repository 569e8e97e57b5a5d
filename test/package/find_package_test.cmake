# What find_package(executorch) answers. Run with SDK, WORK and COMPONENTS.
#
# Each row is a project of a few lines that fails with message(FATAL_ERROR) when
# something is not as expected, and what the output of CMake must contain.
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
list(JOIN COMPONENTS ", " installed)
set(failures 0)

# Python must not be needed.
foreach(name IN ITEMS python python3)
  file(WRITE ${WORK}/bin/${name} "#!/bin/sh\ntouch ${WORK}/python_ran\n")
  file(CHMOD ${WORK}/bin/${name} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endforeach()
set(ENV{PATH} ${WORK}/bin:$ENV{PATH})

# row(<what> <code> [CONTAINS <text>...] [LACKS <text>...] [SDK <prefix>])
function(row what code)
  cmake_parse_arguments(PARSE_ARGV 2 ARG "FAILS" "SDK" "CONTAINS;LACKS")
  if(NOT ARG_SDK)
    set(ARG_SDK ${SDK})
  endif()
  file(WRITE ${WORK}/CMakeLists.txt
       "cmake_minimum_required(VERSION 3.20)\nproject(find LANGUAGES CXX)\n"
       "function(expect)\n  cmake_language(EVAL CODE \"if(NOT (\${ARGV0}))\n"
       "message(FATAL_ERROR [[expected: \${ARGV0}]])\nendif()\")\nendfunction()\n${code}\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${WORK} -B ${WORK}/build -Uexecutorch_DIR
                          -UExecuTorch_DIR -DCMAKE_PREFIX_PATH=${ARG_SDK}
                  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  set(wrong "")
  if(ARG_FAILS AND result EQUAL 0)
    set(wrong "configured, though it must not")
  elseif(NOT ARG_FAILS AND NOT result EQUAL 0)
    set(wrong "did not configure")
  endif()
  string(REGEX REPLACE "-- Build files[^\n]*" "" text "${output}") # a path may say anything
  string(REGEX REPLACE "[ \n]+" " " text "${text}")
  foreach(part IN LISTS ARG_CONTAINS)
    string(FIND "${text}" "${part}" at)
    if(at EQUAL -1)
      string(APPEND wrong " does not say '${part}'")
    endif()
  endforeach()
  foreach(part IN LISTS ARG_LACKS)
    string(FIND "${text}" "${part}" at)
    if(NOT at EQUAL -1)
      string(APPEND wrong " says '${part}'")
    endif()
  endforeach()
  if(wrong)
    message("FAILED: ${what}: ${wrong}\n${output}")
    math(EXPR failures "${failures} + 1")
    set(failures ${failures} PARENT_SCOPE)
  else()
    message("ok: ${what}")
  endif()
endfunction()

set(nothing_set [[
foreach(name IN ITEMS FOUND LIBRARIES INCLUDE_DIRS COMPILE_DEFINITIONS CXX_STANDARD
                      RUNTIME_LIBRARY_DIR QUANTIZED_KERNELS_LIBRARY BUILD_VERSION)
  expect("NOT DEFINED EXECUTORCH_${name}")
endforeach()
expect("NOT executorch_FOUND")
foreach(name IN ITEMS runtime threadpool etdump kernels_optimized kernels_quantized)
  expect("NOT TARGET executorch::${name}")
endforeach()
]])

# ---- found -------------------------------------------------------------------
row("without components, everything is there" [[
find_package(executorch REQUIRED)
expect("executorch_FOUND AND EXECUTORCH_FOUND AND executorch_VERSION STREQUAL 1.5.1")
expect("TARGET executorch::runtime AND TARGET executorch::threadpool")
expect("TARGET executorch::kernels_optimized AND TARGET executorch::kernels_quantized")
expect("EXECUTORCH_LIBRARIES MATCHES executorch::runtime")
expect("EXECUTORCH_LIBRARIES MATCHES executorch::kernels_optimized")
expect("NOT EXECUTORCH_LIBRARIES MATCHES executorch::kernels_quantized")
expect("EXECUTORCH_QUANTIZED_KERNELS_LIBRARY STREQUAL executorch::kernels_quantized")
expect("EXECUTORCH_CXX_STANDARD EQUAL 17 AND EXECUTORCH_BUILD_VERSION MATCHES ^1.5.1")
expect("EXECUTORCH_COMPILE_DEFINITIONS STREQUAL ET_EVENT_TRACER_ENABLED")
expect("EXISTS ${EXECUTORCH_INCLUDE_DIRS}/executorch/extension/module/module.h")
expect("EXISTS ${EXECUTORCH_RUNTIME_LIBRARY_DIR}/libexecutorch.so")
get_target_property(library executorch::runtime LOCATION)
expect("NOT \"${EXECUTORCH_INCLUDE_DIRS} ${EXECUTORCH_RUNTIME_LIBRARY_DIR} ${library}\" MATCHES [.][.]/")
list(LENGTH EXECUTORCH_INCLUDE_DIRS directories)
expect("directories EQUAL 1")
get_target_property(definitions executorch::kernels_optimized INTERFACE_COMPILE_DEFINITIONS)
expect("definitions MATCHES ET_EVENT_TRACER_ENABLED")
]])
row("asked for one component, all targets exist" [[
find_package(executorch 1.5 REQUIRED COMPONENTS kernels_quantized)
expect("executorch_kernels_quantized_FOUND AND TARGET executorch::runtime")
expect("TARGET executorch::kernels_optimized AND TARGET executorch::threadpool")
]])
row("optional components" [[
find_package(executorch REQUIRED COMPONENTS runtime
             OPTIONAL_COMPONENTS bogus backend_cuda kernels_optimized)
expect("NOT executorch_bogus_FOUND AND NOT executorch_backend_cuda_FOUND")
expect("executorch_kernels_optimized_FOUND AND executorch_runtime_FOUND")
]])
row("called twice" [[
find_package(executorch REQUIRED COMPONENTS runtime)
find_package(executorch REQUIRED COMPONENTS kernels_optimized)
expect("executorch_FOUND AND executorch_kernels_optimized_FOUND")
]] LACKS "executorch" "Warning")
row("in two scopes" [[
function(inner)
  find_package(executorch REQUIRED)
  expect("EXECUTORCH_LIBRARIES")
endfunction()
inner()
find_package(executorch REQUIRED)
expect("EXECUTORCH_LIBRARIES")
]])
row("in another case" [[
find_package(ExecuTorch REQUIRED COMPONENTS runtime)
expect("ExecuTorch_FOUND AND ExecuTorch_runtime_FOUND AND TARGET executorch::runtime")
]])
row("through the folder above" "find_package(executorch REQUIRED)\n" SDK ${SDK}/..)
row("in share/cmake" "set(executorch_DIR ${SDK}/share/cmake)
find_package(executorch 1.5 REQUIRED COMPONENTS runtime)
expect([[TARGET executorch::runtime AND executorch_VERSION STREQUAL 1.5.1]])")
row("by a project with old policies" [[
cmake_policy(VERSION 3.1)
find_package(executorch REQUIRED COMPONENTS kernels_quantized)
]] LACKS "CMP0057")

# ---- versions ----------------------------------------------------------------
foreach(version IN ITEMS 1 1.4 1.5 1.5.1 "1.5.1 EXACT" 1.0...1.6)
  row("version ${version}" "find_package(executorch ${version} REQUIRED)\n")
endforeach()
foreach(version IN ITEMS 1.6 2 0.9 "1.5 EXACT" 1.0...<1.5 0.5...2.0)
  row("version ${version} is refused" "find_package(executorch ${version} REQUIRED)\n" FAILS)
endforeach()

# ---- not found ---------------------------------------------------------------
row("an unknown component is named, with those there are"
    "find_package(executorch REQUIRED COMPONENTS runtime bogus)\n" FAILS
    CONTAINS "there is no component 'bogus' here" "${installed}")
row("an unknown component, not required" "find_package(executorch COMPONENTS bogus)
${nothing_set}" CONTAINS "'bogus'" "${installed}")
row("an unknown component, quiet" "find_package(executorch QUIET COMPONENTS bogus)
${nothing_set}" LACKS "bogus" "executorch")
row("nothing stays set from an earlier call" [[
find_package(executorch REQUIRED)
find_package(executorch QUIET COMPONENTS bogus)
expect("NOT executorch_FOUND AND NOT DEFINED EXECUTORCH_LIBRARIES")
]])
row("another architecture is said" "set(CMAKE_SYSTEM_PROCESSOR riscv64)
find_package(executorch)
${nothing_set}" CONTAINS "it was built for" "this project is built for riscv64")

# damaged(<name> <file to remove>...): a copy of the package without these files
function(damaged name)
  file(REMOVE_RECURSE ${WORK}/${name})
  file(COPY ${SDK}/ DESTINATION ${WORK}/${name}/executorch)
  foreach(pattern IN LISTS ARGN)
    file(GLOB files ${WORK}/${name}/executorch/${pattern})
    file(REMOVE_RECURSE ${files})
  endforeach()
endfunction()
damaged(no_quantized lib*/libexecutorch_kernels_quantized*)
row("a component without its library" [[
find_package(executorch QUIET COMPONENTS kernels_quantized)
expect("NOT executorch_FOUND AND NOT TARGET executorch::runtime")
find_package(executorch REQUIRED OPTIONAL_COMPONENTS kernels_quantized)
expect("NOT executorch_kernels_quantized_FOUND AND NOT EXECUTORCH_QUANTIZED_KERNELS_LIBRARY")
expect("NOT TARGET executorch::kernels_quantized AND TARGET executorch::kernels_optimized")
]] SDK ${WORK}/no_quantized)
damaged(no_pool lib*/libexecutorch_threadpool*)
row("a component without what it needs" [[
find_package(executorch REQUIRED)
expect("TARGET executorch::runtime AND NOT TARGET executorch::kernels_optimized")
]] SDK ${WORK}/no_pool)
damaged(no_runtime lib*/libexecutorch.so*)
row("no runtime" "find_package(executorch)
${nothing_set}" CONTAINS "libexecutorch.so is missing" SDK ${WORK}/no_runtime)
damaged(no_headers include)
row("no headers" "find_package(executorch)
${nothing_set}" CONTAINS "headers are missing" SDK ${WORK}/no_headers)

if(EXISTS ${WORK}/python_ran)
  message("FAILED: a Python was run")
  math(EXPR failures "${failures} + 1")
endif()
if(failures)
  message(FATAL_ERROR "${failures} rows failed")
endif()
