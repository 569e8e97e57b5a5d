#!/bin/bash
# Times models with this SDK, with that of the executorch wheel, and with
# onnxruntime where a model of the same name is beside it as .onnx, in turns.
#
#   tools/bench_peer.sh EXECUTORCH OUTPUT MODEL.pte...
#
# EXECUTORCH is the program of this SDK. OUTPUT is a folder that gets ours.jsonl,
# peer.jsonl and ort.jsonl; `executorch bench compare` prints their ratios.
# From the environment:
#   VENV     a Python environment with executorch and onnxruntime; made in OUTPUT
#            when it is not given
#   ROUNDS, THREADS, SECONDS_EACH    3, "1", 1
set -euo pipefail
if [ $# -lt 3 ]; then
  sed -n '2,/^set/p' "$0" | grep '^#' | sed 's/^# \?//' >&2
  exit 2
fi
program=$(readlink -f "$1") output=$2
shift 2
top=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$output"
if [ -z "${VENV:-}" ]; then
  VENV=$output/venv
  [ -x "$VENV/bin/python" ] || python3 -m venv "$VENV"
  "$VENV/bin/pip" install --quiet executorch==1.5.1 onnxruntime numpy
fi
sdk=$("$VENV/bin/python" -c \
  'import importlib.util as u; print(u.find_spec("executorch").submodule_search_locations[0])')

# The same source of the bench, with the headers and libraries of the wheel.
peer=$output/bench_of_peer
sources=("$top"/tools/bench*.cpp "$top"/tools/common.cpp "$top"/test/support/{numbers,op_call}.cpp)
if [ ! -x "$peer" ] || [ -n "$(find "${sources[@]}" -newer "$peer")" ]; then
  echo "building the bench with the SDK in $sdk" >&2
  libraries=()
  for name in kernels_optimized kernels_quantized backend_xnnpack threadpool; do
    libraries+=("$sdk/lib/libexecutorch_$name.so")
  done
  ${CXX:-c++} -std=c++17 -O2 -w -DC10_USING_CUSTOM_GENERATED_MACROS \
    -DET_EVENT_TRACER_ENABLED -DET_USE_THREADPOOL -DET_MIN_LOG_LEVEL=Error \
    -isystem "$sdk/include" \
    -isystem "$sdk/include/executorch/runtime/core/portable_type/c10" -I"$top" \
    "${sources[@]}" -o "$peer" -Wl,--no-as-needed "${libraries[@]}" \
    "$sdk/lib/libexecutorch.so" -Wl,-rpath,"$sdk/lib"
fi

rm -f "$output"/{ours,peer,ort}.jsonl
for _ in $(seq "${ROUNDS:-3}"); do
  for threads in ${THREADS:-1}; do
    options=(--threads "$threads" --seconds "${SECONDS_EACH:-1}" --runs 1000)
    for model in "$@"; do
      "$program" bench "$model" "${options[@]}" --json >>"$output/ours.jsonl"
      "$peer" bench "$model" "${options[@]}" --json --engine wheel >>"$output/peer.jsonl"
      twin=${model%.pte}.onnx
      if [ -e "$twin" ]; then
        "$VENV/bin/python" "$top/tools/bench/onnxruntime_runner.py" "$twin" \
          --name "$model" "${options[@]}" >>"$output/ort.jsonl"
      fi
    done
  done
done
for other in peer ort; do
  if [ -s "$output/$other.jsonl" ]; then
    echo "this SDK / $other"
    "$program" bench compare "$output/ours.jsonl" "$output/$other.jsonl"
  fi
done
