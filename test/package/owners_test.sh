#!/bin/sh
# Usage: owners_test.sh PROGRAM SDK LISTS COMPONENT...
#
# Loads each library in a fresh process and compares what it registers with
# LISTS/<component>.txt. No two libraries may own the same name.
set -eu
program=$1 sdk=$2 lists=$3
shift 3
LD_LIBRARY_PATH=$(dirname "$(find "$sdk" -name libexecutorch.so)")
export LD_LIBRARY_PATH LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for component in "$@"; do
  library=$LD_LIBRARY_PATH/libexecutorch_$component.so
  [ "$component" != runtime ] || library=''
  # shellcheck disable=SC2086
  "$program" $library | sort >"$work/$component"
  sort "$lists/$component.txt" | diff -u --label "$component, expected" --label "$component, registered" \
    - "$work/$component" || touch "$work/.differs"
done
twice=$(cat "$work"/* | sort | uniq -d)
[ -z "$twice" ] || echo "registered by two libraries: $twice"
[ -z "$twice" ] && [ ! -e "$work/.differs" ]
