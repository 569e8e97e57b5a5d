#!/bin/sh
# Installs the dependencies, builds, and runs all tests: a release build, then one
# with AddressSanitizer and UndefinedBehaviorSanitizer. The closing lines of ctest
# come last.
#
# Usage: test.sh [PRESET...]    presets of CMakePresets.json (default: release asan)
set -eu

cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- release asan
jobs=$(nproc)
tools/install_deps.sh base xnnpack

launcher=''
if command -v ccache >/dev/null; then
  launcher="-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache"
fi
status=0
results=''
for preset in "$@"; do
  echo "test: $preset, from $(date +%T)"
  # shellcheck disable=SC2086
  cmake --preset "$preset" $launcher -DEXECUTORCH_BUILD_XNNPACK=ON >/dev/null
  cmake --build "build/$preset" --parallel "$jobs"
  ctest --test-dir "build/$preset" --parallel "$jobs" --output-on-failure --timeout 600 \
    >"build/$preset/ctest.log" 2>&1 || status=1
  # What failed, with its output; all of it is in the log.
  sed -n '/^test [0-9]/d;/\*\*\*/,/Start [0-9]/p' "build/$preset/ctest.log"
  results="$results build/$preset/ctest.log"
done
for log in $results; do
  echo "== $log"
  sed -n '/^[0-9]*% tests passed/,$p' "$log"
done
exit $status
