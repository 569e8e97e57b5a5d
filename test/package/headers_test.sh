#!/bin/sh
# Usage: headers_test.sh SDK COMPILER FLAG...
#
# Compiles every installed header alone, with warnings as errors.
set -eu
sdk=$1 compiler=$2
shift 2
export compiler
cd "$sdk/include"
# mman_windows.h is for another system.
find . -name '*.h' ! -name mman_windows.h | sed 's,^\./,,' | sort |
  xargs -P "$(nproc)" -I HEADER sh -c '
    echo "#include <HEADER>" | "$compiler" "$@" -I. -DET_EVENT_TRACER_ENABLED -Wall -Wextra -Wpedantic \
      -Werror -fsyntax-only -x c++ - || { echo "FAILED: HEADER"; exit 1; }' sh "$@"
