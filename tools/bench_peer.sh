#!/bin/bash
# Times models with this SDK, with that of the executorch wheel and with
# onnxruntime, in turns, and prints the medians and their ratios as Markdown.
#
#   tools/bench_peer.sh EXECUTORCH OUTPUT [MODEL.pte...]
#
# EXECUTORCH is the program of this SDK. OUTPUT is a folder that gets
# executorch.jsonl, peer.jsonl, onnxruntime.jsonl and speed.md. Without a MODEL
# those of tools/bench/make_models.py are made there. The name of a model is that of its
# file, or of its folder if the file is model.pte. onnxruntime runs NAME.onnx,
# which is beside the file or in the folder ONNX; it may lack the end of the name
# that tells how the .pte was lowered, as in _xnn.
# From the environment:
#   VENV     a Python environment with executorch and onnxruntime, and with torch
#            and onnx to make models; made in OUTPUT when it is not given
#   ONNX     a folder of .onnx files
#   ROUNDS, THREADS, SECONDS_EACH    3, "1 2", 0.5; a run of several seconds is
#            repeated as often as 5 times SECONDS_EACH allow, at least once
set -euo pipefail
if [ $# -lt 2 ]; then
  sed -n '2,/^set/p' "$0" | grep '^#' | sed 's/^# \?//' >&2
  exit 2
fi
program=$(readlink -f "$1") output=$(mkdir -p "$2" && readlink -f "$2")
shift 2
top=$(cd "$(dirname "$0")/.." && pwd)
if [ -z "${VENV:-}" ]; then
  VENV=$output/venv
  [ -x "$VENV/bin/python" ] || python3 -m venv "$VENV"
  "$VENV/bin/pip" install --quiet executorch==1.5.1 torch==2.13.0 onnx onnxruntime numpy
fi
sdk=$("$VENV/bin/python" -c \
  'import importlib.util as u; print(u.find_spec("executorch").submodule_search_locations[0])')

if [ $# -eq 0 ]; then
  made=$output/made
  [ -e "$made/done" ] || "$VENV/bin/python" "$top/tools/bench/make_models.py" "$made" >&2
  touch "$made/done"
  set -- "$made"/*.pte
fi

# All models and their twins under short names in one folder.
models=$output/models
rm -rf "$models"
mkdir -p "$models"
names=()
for model in "$@"; do
  path=$(readlink -f "$model") name=$(basename "$model" .pte)
  [ "$name" != model ] || name=$(basename "$(dirname "$path")")
  names+=("$name")
  ln -s "$path" "$models/$name"
  short=${name%_*}
  for twin in "${path%.pte}.onnx" "${ONNX:-}/$name.onnx" "${ONNX:-}/$short.onnx" \
    "${ONNX:-}/${short%_8da4w}_w4.onnx"; do
    if [ -e "$twin" ] && [ ! -e "$models/$name.onnx" ]; then
      ln -s "$(readlink -f "$twin")" "$models/$name.onnx"
    fi
  done
done

# The same source of the bench, with the headers and libraries of the wheel.
peer=$output/bench_of_peer
sources=("$top"/tools/{main,common}.cpp "$top"/tools/bench*.cpp
  "$top"/test/support/{numbers,op_call}.cpp)
if [ ! -x "$peer" ] || [ -n "$(find "${sources[@]}" -newer "$peer")" ]; then
  echo "building the bench with the SDK in $sdk" >&2
  libraries=()
  for name in kernels_optimized kernels_quantized backend_xnnpack threadpool; do
    libraries+=("$sdk/lib/libexecutorch_$name.so")
  done
  ${CXX:-c++} -std=c++17 -O2 -w -DC10_USING_CUSTOM_GENERATED_MACROS \
    -DET_EVENT_TRACER_ENABLED -DET_USE_THREADPOOL -DET_MIN_LOG_LEVEL=Error \
    -DEXECUTORCH_VERSION='"of the wheel"' -isystem "$sdk/include" \
    -isystem "$sdk/include/executorch/runtime/core/portable_type/c10" -I"$top" \
    "${sources[@]}" -o "$peer" -Wl,--no-as-needed "${libraries[@]}" \
    "$sdk/lib/libexecutorch.so" -Wl,-rpath,"$sdk/lib" -pthread
fi

# A model that one of them cannot run has no figure there, and a line says why.
cd "$models"
rm -f "$output"/*.jsonl
for round in $(seq "${ROUNDS:-3}"); do
  for name in "${names[@]}"; do
    echo "round $round: $name" >&2
    for threads in ${THREADS:-1 2}; do
      options=(--threads "$threads" --seconds "${SECONDS_EACH:-0.5}" --runs 1000)
      "$program" bench "$name" "${options[@]}" --json >>"$output/executorch.jsonl" || true
      if [ -e "$name.onnx" ]; then
        "$VENV/bin/python" "$top/tools/bench/onnxruntime_runner.py" "$name.onnx" \
          --name "$name" "${options[@]}" >>"$output/onnxruntime.jsonl" || true
      fi
      "$peer" bench "$name" "${options[@]}" --json \
        >>"$output/peer.jsonl" 2>"$output/peer.log" || tail -n 1 "$output/peer.log" >&2
    done
  done
done
cd "$output"
results=()
for engine in executorch onnxruntime peer; do
  [ ! -s "$engine.jsonl" ] || results+=("$engine.jsonl")
done
"$program" bench compare "${results[@]}" --markdown | tee speed.md
