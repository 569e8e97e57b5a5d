# What find_package(XNNPACK) says of a prefix. Run with MODULES, HEADER (that of an
# XNNPACK that is new enough) and WORK.
file(REMOVE_RECURSE ${WORK})
set(prefix ${WORK}/prefix)
file(WRITE ${WORK}/CMakeLists.txt
     "cmake_minimum_required(VERSION 3.20)\nproject(find LANGUAGES NONE)\n"
     "list(APPEND CMAKE_MODULE_PATH ${MODULES})\nfind_package(XNNPACK REQUIRED)\n")
foreach(file IN ITEMS lib/libXNNPACK.a lib/libmicrokernels-prod.a share/executorch-prefix/LICENSE.xnnpack)
  file(WRITE ${prefix}/${file} "")
endforeach()
file(READ ${HEADER} new)
string(REPLACE "xnn_define_unary" "xnn_define_tanh" old "${new}")

# try(<header> <whether it must be found> <text that the output must have>)
function(try header found text)
  file(WRITE ${prefix}/include/xnnpack.h "${header}")
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${WORK} -B ${WORK}/build -DCMAKE_PREFIX_PATH=${prefix}
                  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  string(FIND "${output}" "${text}" at)
  if((found AND NOT result EQUAL 0) OR (NOT found AND result EQUAL 0) OR at EQUAL -1)
    message(SEND_ERROR "expected found: ${found} and '${text}', got: ${output}")
  endif()
endfunction()
try("${new}" TRUE "Found XNNPACK: ${prefix}/lib/libXNNPACK.a")
try("${old}" FALSE "xnnpack.h is older than 2024-11-08: it lacks xnn_define_unary.")
file(REMOVE ${prefix}/lib/libmicrokernels-prod.a)
set(ENV{XDG_CACHE_HOME} ${WORK}/none)
file(REMOVE_RECURSE ${WORK}/build)
try("${new}" FALSE "missing: XNNPACK_microkernels-prod_LIBRARY")
