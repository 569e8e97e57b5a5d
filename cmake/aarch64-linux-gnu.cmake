# Debian's cross compiler for aarch64; programs run under qemu-user, which has
# every instruction set unless QEMU_CPU names another CPU, say neoverse-n1.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)

# What tools/install_deps.sh --aarch64 built, and never a library of this machine.
if(DEFINED ENV{XDG_CACHE_HOME})
  list(PREPEND CMAKE_PREFIX_PATH $ENV{XDG_CACHE_HOME}/executorch-deps/aarch64)
else()
  list(PREPEND CMAKE_PREFIX_PATH $ENV{HOME}/.cache/executorch-deps/aarch64)
endif()
