#!/bin/sh
# Usage: exports_test.sh SDK NM
#
# Kernel libraries export nothing; the others export our API only. pthreadpool
# and cpuinfo come from one library, with a version.
set -eu
sdk=$1 nm=$2
status=0
fail() { echo "FAILED: $*"; status=1; }
exported() { "$nm" -D --defined-only "$1" | awk '{print $3}' | grep -v '^EXECUTORCH_1$' || true; }

for library in $(find "$sdk" -name 'libexecutorch*.so'); do
  name=$(basename "$library" .so)
  symbols=$(exported "$library")
  unversioned=$(echo "$symbols" | grep -v '@@EXECUTORCH_1$' | grep . || true)
  [ -z "$unversioned" ] || fail "$name exports without a version: $unversioned"
  ours='^_Z(N|NK|TIN|TVN|TSN)10executorch|^et_pal_'
  case $name in
    *_kernels_* | *_backend_*)
      [ -z "$symbols" ] || fail "$name exports $(echo "$symbols" | wc -l) symbols: $symbols" ;;
    *_threadpool)
      for symbol in pthreadpool_create pthreadpool_parallelize_1d cpuinfo_initialize; do
        echo "$symbols" | grep -q "^$symbol@@" || fail "$name does not export $symbol"
      done ;;
    *)
      other=$(echo "$symbols" | grep -vE "$ours" | grep . || true)
      [ -z "$other" ] || fail "$name exports what is not our API: $other" ;;
  esac
  echo "$name: $(echo "$symbols" | grep -c . || true) symbols, $(stat -Lc %s "$library") bytes"
done
exit $status
