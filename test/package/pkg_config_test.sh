#!/bin/sh
# Usage: pkg_config_test.sh SDK COMPILER SOURCE PROGRAM
set -eu
sdk=$1 compiler=$2 source=$3 program=$4
command -v pkg-config >/dev/null || exit 77
PKG_CONFIG_PATH=$(dirname "$(find "$sdk" -name executorch.pc)")
export PKG_CONFIG_PATH
for component in runtime kernels_quantized; do
  package=executorch_$component
  [ $component != runtime ] || package=executorch
  # shellcheck disable=SC2046
  "$compiler" -std=c++17 -DCOMPONENT="\"$component\"" "$source" -o "$program" -Wl,--as-needed \
    $(pkg-config --cflags --libs $package)
  "$program"
done
