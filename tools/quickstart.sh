#!/bin/sh
# From nothing to a quantized model that runs in an application of its own:
# dependencies, release build, install, then the application of
# test/package/quantized_app, which finds the SDK with find_package().
#
# Usage: quickstart.sh [PREFIX]    where the SDK is installed (default: build/quickstart/sdk)
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
build=$top/build/quickstart
mkdir -p "${1:-$build/sdk}"
sdk=$(cd "${1:-$build/sdk}" && pwd)
model=$top/test/data/models/b_cnn_pool_static
jobs=$(nproc)
log=$build/log

# step WHAT COMMAND...: shows what it does and how long it took
step() {
  what=$1
  shift
  printf '%-46s' "$what ..."
  start=$(date +%s)
  if ! "$@" >"$log" 2>&1; then
    printf ' FAILED\n'
    tail -n 40 "$log" >&2
    exit 1
  fi
  printf ' %4d s\n' $(($(date +%s) - start))
}

mkdir -p "$build"
begin=$(date +%s)
step "dependencies" "$top/tools/install_deps.sh" base threadpool
launcher=''
if command -v ccache >/dev/null; then
  launcher="-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache"
fi
# shellcheck disable=SC2086
step "configure the SDK" cmake -S "$top" -B "$build/sdk-build" -G Ninja $launcher \
  -DCMAKE_BUILD_TYPE=Release -DEXECUTORCH_BUILD_TESTS=OFF -DEXECUTORCH_BUILD_TOOLS=OFF \
  -DEXECUTORCH_BUILD_XNNPACK=OFF
step "build the SDK with $jobs jobs" cmake --build "$build/sdk-build" --parallel "$jobs"
step "install it into $(basename "$sdk")" cmake --install "$build/sdk-build" --prefix "$sdk"
step "configure the application" cmake -S "$top/test/package/quantized_app" -B "$build/app" -G Ninja \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$sdk"
step "build the application" cmake --build "$build/app"

echo "run it: $build/app/app $model"
"$build/app/app" "$model"
echo "SDK in $sdk, $(($(date +%s) - begin)) s in all"
