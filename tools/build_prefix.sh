#!/bin/sh
# Builds pthreadpool and cpuinfo (seconds), and XNNPACK when asked (minutes), as
# static libraries under one prefix, from the sources that Debian ships.
#
# Usage: build_prefix.sh PREFIX [xnnpack] [--toolchain FILE] [--jobs N] [--force]
#
#   PREFIX            where include/ and lib/ go
#   xnnpack           build XNNPACK too
#   --toolchain FILE  CMake toolchain file for a cross build
#   --jobs N          parallel compile jobs (default: one per processor)
#   --force           build even if PREFIX already holds this very build
#
# apt-get fetches the source archives from the mirror that this machine uses, and
# checks them against the index that Debian signs. The machine's own apt lists
# and settings stay as they are, and nothing is installed system-wide.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
# Raise one when prefix/CMakeLists.txt changes what is built.
recipe_threadpool=6 recipe_xnnpack=4
newest=trixie
later="forky sid" # for archives that a mirror no longer keeps in $newest

say() { printf 'build_prefix: %s\n' "$*"; }
die() { printf 'build_prefix: error: %s\n' "$*" >&2; exit 1; }

prefix='' toolchain='' force=no xnnpack=no jobs=$(nproc)
while [ $# -gt 0 ]; do
  case $1 in
    xnnpack) xnnpack=yes ;;
    --toolchain | --jobs)
      [ $# -ge 2 ] || die "$1 needs a value"
      case $1 in --jobs) jobs=$2 ;; *) toolchain=$2 ;; esac
      shift ;;
    --force) force=yes ;;
    -h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 0 ;;
    -*) die "unknown option '$1' (see --help)" ;;
    *) [ -z "$prefix" ] || die "a second prefix: '$1'"; prefix=$1 ;;
  esac
  shift
done
[ -n "$prefix" ] || die "no prefix given (see --help)"
case $jobs in '' | *[!0-9]* | 0) die "--jobs needs a positive number, got '$jobs'" ;; esac
[ -z "$toolchain" ] || toolchain=$(readlink -e "$toolchain") || die "no such toolchain file"

# ---- is it there already? ----------------------------------------------------
mkdir -p "$prefix" || die "cannot make '$prefix'"
prefix=$(readlink -f "$prefix")
stamps=$prefix/share/executorch-prefix
if [ -n "$toolchain" ]; then
  compiler="toolchain $(sha256sum <"$toolchain" | cut -c1-16)"
else
  compiler="$(cc -dumpmachine) $(cc -dumpfullversion)" || die "no C compiler: install gcc and g++"
fi
key() {
  case $1 in threadpool) recipe=$recipe_threadpool ;; *) recipe=$recipe_xnnpack ;; esac
  echo "recipe $recipe, $compiler, ${CFLAGS-}"
}
built() { [ "$(cat "$stamps/$1" 2>/dev/null)" = "$(key "$1")" ]; }
if [ $force = no ] && built xnnpack; then xnnpack=no; fi
if [ $force = no ] && built threadpool && [ $xnnpack = no ]; then
  say "already there: $prefix"
  exit 0
fi

missing=''
for tool in apt-get cmake ninja tar xz sha256sum; do
  command -v $tool >/dev/null || missing="$missing $tool"
done
[ $xnnpack = no ] || command -v python3 >/dev/null || missing="$missing python3"
[ -z "$missing" ] || die "missing:$missing (run tools/install_deps.sh base)"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
chmod 755 "$work" # the user that apt downloads as must be able to enter

# ---- fetch -------------------------------------------------------------------
keys=/usr/share/keyrings/debian-archive-keyring.gpg
[ -r $keys ] || die "$keys is missing: install debian-archive-keyring"
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
  sed 's,/*$,,' | grep '/debian$' | head -n 1) || true
[ -n "$mirror" ] || mirror=http://deb.debian.org/debian

mkdir -p "$work/apt/lists/partial" "$work/apt/cache/archives/partial" "$work/apt/none" \
  "$work/archives" "$work/sources"
if [ "$(id -u)" = 0 ] && id _apt >/dev/null 2>&1; then chown _apt "$work/archives"; fi

# run apt-get with an index of its own
apt_get() {
  apt-get -q -o Dir::Etc::sourcelist="$work/apt/sources.list" -o Dir::Etc::sourceparts="$work/apt/none" \
    -o Dir::State::Lists="$work/apt/lists" -o Dir::Cache="$work/apt/cache" \
    -o Acquire::AllowInsecureRepositories=false -o APT::Get::AllowUnauthenticated=false \
    -o Acquire::Retries=3 "$@" >"$work/apt.log" 2>&1
}

# know SUITE...: reads the source index of the suites
know() {
  say "reading the source index of $*"
  for suite in "$@"; do
    echo "deb-src [signed-by=$keys] $mirror $suite main"
  done >"$work/apt/sources.list"
  apt_get -o APT::Update::Error-Mode=any update || {
    cat "$work/apt.log" >&2
    die "cannot read the index from $mirror"
  }
}

# fetch NAME SUITE...: unpacks the newest source that can be had into sources/NAME
fetch() {
  name=$1
  shift
  for suite in "$@"; do
    if (cd "$work/archives" && apt_get source --download-only --tar-only "$name/$suite"); then
      archive=$(ls "$work/archives/${name}_"*.orig.tar.*)
      # Some archives have a top folder and some have not.
      folders=$(tar -tf "$archive" | sed 's,^\./,,; s,/.*,,' | grep . | sort -u | wc -l)
      mkdir "$work/sources/$name"
      tar -xf "$archive" -C "$work/sources/$name" --no-same-owner \
        --strip-components=$((folders == 1))
      say "$(basename "$archive") from $suite"
      return 0
    fi
  done
  return 1
}

know $newest
wanted="fxdiv pthreadpool cpuinfo"
[ $xnnpack = no ] || wanted="$wanted xnnpack"
absent=''
for name in $wanted; do
  fetch "$name" $newest || absent="$absent $name"
done
if [ -n "$absent" ]; then
  # shellcheck disable=SC2086
  know $later
  for name in $absent; do
    # shellcheck disable=SC2086
    fetch "$name" $later || { cat "$work/apt.log" >&2; die "cannot fetch the source of $name"; }
  done
fi

# ---- build -------------------------------------------------------------------
# The number of spins is a constant there; it becomes a setting.
sed -i 's/^#define PTHREADPOOL_SPIN_WAIT_ITERATIONS/#ifndef PTHREADPOOL_SPIN_WAIT_ITERATIONS\n&/
  /PTHREADPOOL_SPIN_WAIT_ITERATIONS/a #endif' "$work/sources/pthreadpool/src/threadpool-common.h"

launcher=''
if command -v ccache >/dev/null; then
  launcher="-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache"
fi
# step NAME COMMAND...: shows the end of the log if the command fails
step() {
  name=$1
  shift
  say "$name"
  "$@" >"$work/log" 2>&1 || {
    grep -E -A 8 'FAILED:|[Ee]rror:' "$work/log" | head -n 40 >&2
    die "failed: $name (first errors above)"
  }
}
# shellcheck disable=SC2086
step configuring cmake -S "$here/prefix" -B "$work/build" -G Ninja -Wno-dev $launcher \
  ${toolchain:+-DCMAKE_TOOLCHAIN_FILE="$toolchain"} -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_INSTALL_PREFIX="$prefix" -DSOURCES="$work/sources"
step "building with $jobs jobs" cmake --build "$work/build" --parallel "$jobs"
rm -f "$stamps/threadpool"
# An XNNPACK that was built another way must not be found.
if [ $xnnpack = yes ] || ! built xnnpack; then
  rm -f "$stamps/xnnpack" "$prefix/lib/libXNNPACK.a" "$prefix/lib/libmicrokernels-prod.a" "$prefix/include/xnnpack.h"
fi
step installing cmake --install "$work/build"

mkdir -p "$stamps"
for name in $wanted; do
  cp "$work/sources/$name/LICENSE" "$stamps/LICENSE.$name"
done
key threadpool >"$stamps/threadpool"
[ $xnnpack = no ] || key xnnpack >"$stamps/xnnpack"
say "done: $prefix"
