#!/bin/sh
# Installs what building and testing needs, on Debian 12 or 13. Run it as root or
# as a user with sudo; when everything is there it does nothing.
#
# Usage: install_deps.sh [base] [threadpool] [xnnpack] [--aarch64] [--prefix DIR] [--jobs N]
#
#   base          Debian packages: compiler, CMake, Ninja, flatbuffers, GoogleTest, ...
#   threadpool    static pthreadpool and cpuinfo (seconds)
#   xnnpack       XNNPACK besides (4 to 6 minutes on 2 cores), for backend_xnnpack
#   --aarch64     all of this for the preset aarch64-cross: the cross compiler,
#                 qemu-user, and the libraries built with it
#   --prefix DIR  where the static libraries go; CMake then needs
#                 -DCMAKE_PREFIX_PATH=DIR (default: a folder in ~/.cache, where
#                 CMake looks)
#
# Without a part: base and threadpool.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
die() { printf 'install_deps: error: %s\n' "$*" >&2; exit 1; }

base=no prefix_part='' xnnpack='' arch='' prefix='' jobs=$(nproc)
while [ $# -gt 0 ]; do
  case $1 in
    base) base=yes ;;
    threadpool) prefix_part=yes ;;
    xnnpack) prefix_part=yes xnnpack=xnnpack ;;
    --aarch64) arch=aarch64 ;;
    --prefix | --jobs)
      [ $# -ge 2 ] || die "$1 needs a value"
      case $1 in --jobs) jobs=$2 ;; *) prefix=$2 ;; esac
      shift ;;
    -h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) die "unknown part '$1' (see --help)" ;;
  esac
  shift
done
if [ $base$prefix_part = no ]; then base=yes prefix_part=yes; fi

install_packages() {
  absent=''
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null)" = "install ok installed" ] ||
      absent="$absent $package"
  done
  [ -n "$absent" ] || return 0
  echo "install_deps: installing$absent"
  sudo=''
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null ||
      die "missing packages, and neither root nor sudo; as root: apt-get install$absent"
    sudo=sudo
  fi
  # The lists may be absent or too old, so they are read before the first attempt fails.
  # shellcheck disable=SC2086
  $sudo apt-get -q update >/dev/null &&
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install $absent ||
    die "apt-get could not install$absent (its messages are above)"
}

if [ $base = yes ]; then
  command -v apt-get >/dev/null ||
    die "no apt-get here. Needed: gcc and g++ (12 or newer), CMake 3.20, Ninja, flatbuffers with flatc,
  GoogleTest, google-benchmark, nlohmann-json, CLI11; for the static libraries python3 and xz"
  install_packages gcc g++ cmake ninja-build flatbuffers-compiler libflatbuffers-dev libgtest-dev \
    libbenchmark-dev nlohmann-json3-dev libcli11-dev python3-minimal xz-utils debian-archive-keyring
  [ -z "$arch" ] || install_packages g++-aarch64-linux-gnu qemu-user googletest
fi

[ -n "$prefix" ] || prefix=${XDG_CACHE_HOME:-$HOME/.cache}/executorch-deps/${arch:-$(uname -m)}
toolchain=''
[ -z "$arch" ] || toolchain=$here/../cmake/aarch64-linux-gnu.cmake
if [ -n "$prefix_part" ]; then
  # shellcheck disable=SC2086
  "$here/build_prefix.sh" "$prefix" $xnnpack --jobs "$jobs" ${toolchain:+--toolchain "$toolchain"}
fi

# A cross build must not see /usr/include, so headers that fit every processor
# are copied, and GoogleTest is built from Debian's source package.
if [ -n "$arch" ] && [ ! -e "$prefix/lib/cmake/GTest/GTestConfig.cmake" ]; then
  mkdir -p "$prefix/include" "$prefix/share/cmake"
  cp -r /usr/include/flatbuffers /usr/include/nlohmann /usr/include/CLI "$prefix/include/"
  cp -r /usr/share/cmake/nlohmann_json /usr/share/cmake/CLI11 "$prefix/share/cmake/" 
  build=$(mktemp -d)
  trap 'rm -rf "$build"' EXIT
  cmake -S /usr/src/googletest -B "$build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$toolchain" \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib >"$build/log" &&
    cmake --build "$build" --target install --parallel "$jobs" >>"$build/log" || {
    tail -n 20 "$build/log" >&2
    die "cannot build GoogleTest for $arch (end of the log above)"
  }
fi
