#!/bin/sh
# Usage: exports_test.sh SDK NM
#
# Kernel libraries export nothing; the others export our API only, classes with
# virtual functions together with their type information. pthreadpool and cpuinfo
# come from one library, with a version. File names carry a version, and a library
# looks for the others beside it only.
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
  for vtable in $(echo "$symbols" | grep '^_ZTV' || true); do
    echo "$symbols" | grep -qF "_ZTI${vtable#_ZTV}" || fail "$name exports $vtable without type information"
  done
  dynamic=$(readelf -d "$library")
  echo "$dynamic" | grep -q "SONAME.*\[$name\.so\.[0-9]*\]" || fail "$name has no versioned soname"
  paths=$(echo "$dynamic" | sed -n 's/.*R\(UN\)\{0,1\}PATH.*\[\(.*\)\]/\2/p')
  [ "$paths" = "\$ORIGIN" ] || fail "$name searches '$paths'"
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
