# How the libraries and tests of this project are built.
#
# executorch_component()   a shared library that users link as executorch::<name>
# executorch_isa_source()  one source, compiled once per instruction set
# executorch_test()        a GoogleTest program and its ctest entry

# Flags of all our code. Libraries report errors by value and hide what they do
# not export; sections let the linker drop what nothing uses. Floating-point
# contraction is off so that a result does not depend on the compiler's taste.
add_library(executorch_flags INTERFACE)
target_compile_features(executorch_flags INTERFACE cxx_std_17)
target_compile_options(
  executorch_flags
  INTERFACE -ffp-contract=off -Wall -Wextra $<$<BOOL:${EXECUTORCH_WERROR}>:-Werror>)
target_compile_definitions(executorch_flags INTERFACE ET_EVENT_TRACER_ENABLED)
target_include_directories(
  executorch_flags INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}
                             ${PROJECT_SOURCE_DIR}/include)

add_library(executorch_library_flags INTERFACE)
target_link_libraries(executorch_library_flags INTERFACE executorch_flags)
target_compile_options(
  executorch_library_flags
  INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions> $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>
            -ffunction-sections -fdata-sections
            $<$<CONFIG:Release>:$<IF:$<BOOL:$<TARGET_PROPERTY:EXECUTORCH_ISA>>,-O3,$<IF:$<BOOL:$<TARGET_PROPERTY:EXECUTORCH_SMALL>>,-Os,-O2>>>)
target_link_options(executorch_library_flags INTERFACE LINKER:--gc-sections)

if(EXECUTORCH_SANITIZE)
  # The vptr check needs RTTI, which the libraries are built without.
  set(sanitize -fsanitize=${EXECUTORCH_SANITIZE} -fno-sanitize=vptr
               -fno-sanitize-recover=all -fno-omit-frame-pointer)
  string(REPLACE "fuzzer" "fuzzer-no-link" sanitize "${sanitize}")
  target_compile_options(executorch_flags INTERFACE ${sanitize})
  target_link_options(executorch_flags INTERFACE ${sanitize})
else()
  target_link_options(
    executorch_library_flags INTERFACE LINKER:-z,defs $<$<CONFIG:Release>:LINKER:--strip-all>)
endif()

# Instruction sets beyond the baseline of each architecture; names as in
# src/threadpool/cpu.h. A name of another architecture is left out.
set(EXECUTORCH_ISA_x86_64 baseline avx2 avx512 avx512vnni)
set(EXECUTORCH_ISA_aarch64 baseline fp16 dotprod i8mm)
set(EXECUTORCH_ISA_generic baseline)
set(isa_flags_avx2 -mavx2 -mfma -mf16c)
set(isa_flags_avx512 ${isa_flags_avx2} -mavx512f -mavx512bw -mavx512dq -mavx512vl)
set(isa_flags_avx512vnni ${isa_flags_avx512} -mavx512vnni)
set(isa_flags_fp16 -march=armv8.2-a+fp16)
set(isa_flags_dotprod -march=armv8.2-a+fp16+dotprod)
set(isa_flags_i8mm -march=armv8.2-a+fp16+dotprod+i8mm)

# executorch_component(<name> SOURCES <file>... DESCRIPTION <text>
#                      [DEPS <name>...] [USES <name>...] [BRINGS <name>...]
#                      [PRIVATE <library>...] [SHARES <name>]
#                      [REGISTERS] [HIDDEN])
#
# Builds libexecutorch_<name>.so (runtime: libexecutorch.so), installs it and
# exports it as executorch::<name>. DEPS are components that users of this one
# get too; USES and PRIVATE are components and other libraries that only the
# code inside calls; BRINGS are components that users get though this one does
# not call them. SHARES: the object library executorch_<name> goes into this
# component too. HIDDEN: other components need it, users cannot ask for it.
# REGISTERS marks a library whose only effect is what it registers when it is
# loaded: an application names no symbol of it, so a linker that runs with
# --as-needed would drop it. The link option keeps it.
#
# The objects are a library of their own, executorch_<name>_objects, so that
# tests reach what the shared library hides.
function(executorch_component name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "REGISTERS;HIDDEN" "DESCRIPTION;SHARES"
                        "SOURCES;DEPS;USES;BRINGS;PRIVATE")
  set(target executorch_${name})
  set(needs ${ARG_DEPS} ${ARG_USES} ${ARG_BRINGS})
  list(TRANSFORM ARG_DEPS PREPEND executorch::)
  list(TRANSFORM ARG_USES PREPEND executorch::)
  list(TRANSFORM ARG_BRINGS PREPEND executorch::)

  add_library(${target}_objects OBJECT ${ARG_SOURCES})
  target_link_libraries(${target}_objects PUBLIC executorch_flags
                        PRIVATE executorch_library_flags ${ARG_PRIVATE}
                        PUBLIC ${ARG_DEPS} ${ARG_USES})
  set_target_properties(${target}_objects PROPERTIES POSITION_INDEPENDENT_CODE ON
                        ${executorch_hidden})
  add_dependencies(${target}_objects executorch_schemas)

  get_property(objects GLOBAL PROPERTY EXECUTORCH_ISA_OBJECTS_${name})
  if(ARG_SHARES)
    get_property(shared GLOBAL PROPERTY EXECUTORCH_ISA_OBJECTS_${ARG_SHARES})
    list(APPEND objects executorch_${ARG_SHARES} ${shared})
  endif()
  list(TRANSFORM objects REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
  set_property(GLOBAL PROPERTY EXECUTORCH_OBJECTS_${name} ${objects})
  add_library(${target} SHARED $<TARGET_OBJECTS:${target}_objects> ${objects})
  add_library(executorch::${name} ALIAS ${target})
  target_compile_features(${target} INTERFACE cxx_std_17)
  target_compile_definitions(${target} INTERFACE ET_EVENT_TRACER_ENABLED)
  target_include_directories(
    ${target} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(
    ${target} PUBLIC ${ARG_DEPS}
              PRIVATE ${ARG_USES} $<BUILD_INTERFACE:executorch_library_flags> ${ARG_PRIVATE}
              INTERFACE ${ARG_BRINGS})
  set_target_properties(
    ${target} PROPERTIES EXPORT_NAME ${name}
                         LINKER_LANGUAGE CXX
                         VERSION ${PROJECT_VERSION}
                         SOVERSION ${PROJECT_VERSION_MAJOR}
                         INSTALL_RPATH "$ORIGIN")
  set(exports ${PROJECT_SOURCE_DIR}/cmake/exports.map)
  target_link_options(${target} PRIVATE LINKER:--version-script=${exports})
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${exports})
  set(keep)
  if(ARG_REGISTERS)
    set(keep --push-state,--no-as-needed,$<TARGET_FILE:$<TARGET_NAME:${target}>>,--pop-state)
    target_link_options(${target} INTERFACE $<$<PLATFORM_ID:Linux>:LINKER:${keep}>)
  endif()

  # One export set per component, so that a package may ship any subset.
  install(TARGETS ${target} EXPORT executorch-${name}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT executorch-${name} NAMESPACE executorch::
          FILE executorch-${name}.cmake
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/executorch)
  set_property(GLOBAL APPEND PROPERTY EXECUTORCH_EXPORTS ${name})
  set_property(GLOBAL PROPERTY EXECUTORCH_NEEDS_${name} ${needs})
  if(NOT ARG_HIDDEN)
    set_property(GLOBAL APPEND PROPERTY EXECUTORCH_COMPONENTS ${name})
    executorch_pkg_config(${name} "${ARG_DESCRIPTION}" "${ARG_DEPS};${ARG_BRINGS}" "${keep}")
  endif()
endfunction()

# The pkg-config file of a component: executorch_<name>.pc (runtime: executorch.pc).
function(executorch_pkg_config name pc_description requires keep)
  set(pc_name executorch_${name})
  list(TRANSFORM requires REPLACE "executorch::" executorch_)
  list(JOIN requires " " pc_requires)
  string(REPLACE executorch_runtime executorch pc_name "${pc_name}")
  string(REPLACE executorch_runtime executorch pc_requires "${pc_requires}")
  set(pc_libs -l${pc_name})
  if(keep)
    set(pc_libs "-Wl,--push-state,--no-as-needed,-l${pc_name},--pop-state")
  endif()
  file(RELATIVE_PATH EXECUTORCH_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
       ${CMAKE_INSTALL_PREFIX})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/executorch.pc.in ${pc_name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${pc_name}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

set(executorch_hidden C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden
                      VISIBILITY_INLINES_HIDDEN ON)

# executorch_isa_source(<component> <file> ISA <name>... [FLAGS <flag>...])
#
# Compiles <file> into <component> once per instruction set, each time with
# -DET_ISA=<name>. To be called before the component is made. The name of the
# file up to the first _ is the one of the table of kernels.
function(executorch_isa_source component file)
  cmake_parse_arguments(PARSE_ARGV 2 ARG "" "" "ISA;FLAGS")
  get_filename_component(stem ${file} NAME_WE)
  string(REGEX REPLACE "_.*" "" table ${stem})
  foreach(isa IN LISTS ARG_ISA)
    if(NOT isa IN_LIST EXECUTORCH_ISA_${EXECUTORCH_ARCH})
      continue()
    endif()
    set(object executorch_${component}_${stem}_${isa})
    add_library(${object} OBJECT ${file})
    target_link_libraries(${object} PRIVATE executorch_library_flags)
    target_compile_definitions(${object} PRIVATE ET_ISA=${isa})
    # GCC 12 warns about vectors that only inlined functions pass, and about its
    # own intrinsics.
    target_compile_options(${object} PRIVATE ${isa_flags_${isa}} -Wno-psabi -Wno-uninitialized
                                             $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
                                             ${ARG_FLAGS})
    set_target_properties(${object} PROPERTIES EXECUTORCH_ISA ${isa} POSITION_INDEPENDENT_CODE ON
                          ${executorch_hidden})
    set_property(GLOBAL APPEND PROPERTY EXECUTORCH_TABLE_ISA_${table} ${isa})
    set_property(GLOBAL APPEND PROPERTY EXECUTORCH_ISA_OBJECTS ${object})
    set_property(GLOBAL APPEND PROPERTY EXECUTORCH_ISA_OBJECTS_${component} ${object})
  endforeach()
endfunction()

# executorch_test(<name> SOURCES <file>... [DEPS <component>...]
#                 [INTERNALS <component>] [LIBS <library>...] [NO_MAIN])
#
# A GoogleTest program <name>_test that links the components DEPS. INTERNALS
# links the objects of a component instead of its shared library, so that hidden
# functions can be tested. NO_MAIN: the program has its own main().
function(executorch_test name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "NO_MAIN" "INTERNALS" "SOURCES;DEPS;LIBS")
  list(TRANSFORM ARG_DEPS PREPEND executorch::)
  add_executable(${name}_test ${ARG_SOURCES})
  target_link_libraries(${name}_test PRIVATE executorch_flags ${ARG_DEPS} ${ARG_LIBS})
  if(ARG_INTERNALS)
    get_property(objects GLOBAL PROPERTY EXECUTORCH_OBJECTS_${ARG_INTERNALS})
    target_sources(${name}_test PRIVATE ${objects})
    target_link_libraries(${name}_test PRIVATE executorch_${ARG_INTERNALS}_objects
                                               ${CMAKE_DL_LIBS})
  endif()
  if(ARG_NO_MAIN)
    target_link_libraries(${name}_test PRIVATE GTest::gtest)
  else()
    target_link_libraries(${name}_test PRIVATE GTest::gtest_main)
  endif()
  target_compile_definitions(${name}_test
                             PRIVATE ET_TEST_DATA_DIR="${PROJECT_SOURCE_DIR}/test/data")
  add_test(NAME ${name} COMMAND ${name}_test)
  # Sizes from damaged files are asked for, and must not be given.
  set_property(TEST ${name} PROPERTY ENVIRONMENT ASAN_OPTIONS=allocator_may_return_null=1
                                     TSAN_OPTIONS=allocator_may_return_null=1)
endfunction()
