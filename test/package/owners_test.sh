#!/bin/sh
# Usage: owners_test.sh PROGRAM SDK LISTS COMPONENT...
#
# Loads each library in a fresh process and compares what it registers with
# LISTS/<component>.txt. No two libraries may own the same name, and kernels may
# take 24 kB per operator at most, code and data (50 kB in the wheel).
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
  case $component in
    kernels_*)
      bytes=$(size "$library" | awk 'NR == 2 { print $4 }')
      operators=$(wc -l <"$lists/$component.txt")
      echo "$component: $((bytes / operators)) bytes per operator"
      [ "$bytes" -le $((operators * 24576)) ] || touch "$work/.large" ;;
  esac
done
twice=$(cat "$work"/* | sort | uniq -d)
[ -z "$twice" ] || echo "registered by two libraries: $twice"
[ -z "$twice" ] && [ ! -e "$work/.differs" ] && [ ! -e "$work/.large" ]
