#!/bin/sh
# Usage: relocated_test.sh SDK PROGRAM FOLDER
#
# A program that was linked with the package finds the libraries beside it and in
# ../lib, before those that it was linked with.
set -eu
sdk=$1 program=$2 folder=$3
libs=$(dirname "$(find "$sdk" -name libexecutorch.so)")
for place in bin bin/../lib; do
  rm -rf "$folder"
  mkdir -p "$folder/bin" "$folder/lib"
  cp "$program" "$folder/bin/app"
  cp -P "$libs"/libexecutorch*.so* "$folder/$place/"
  "$folder/bin/app" | tee "$folder/log"
  grep -q "^runtime: $folder/$place/" "$folder/log" || {
    echo "FAILED: the libraries in $place were not used"
    exit 1
  }
done
