#!/bin/sh
# The executorch program from outside: exit codes, and what it prints.
#
#   tool_test.sh EXECUTORCH DATA-FOLDER [EMULATOR...]
set -u
program=$1 data=$2
shift 2
emulator=$*
models=$data/models
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# expect CODE PATTERN ARGUMENT...: ends with the code and prints the pattern.
# What goes wrong is said in one line on stderr. `bench` starts itself again, and
# what an emulator runs cannot.
expect() {
  code=$1 pattern=$2
  shift 2
  [ "${1:-}" != bench ] || [ -z "$emulator" ] || return
  $emulator "$program" "$@" >"$work/stdout" 2>"$work/stderr"
  got=$?
  lines=$(wc -l <"$work/stderr")
  if [ "$got" != "$code" ] || ! grep -qE "$pattern" "$work/stdout" "$work/stderr" ||
    { [ "$code" != 0 ] && [ "$lines" != 1 ]; }; then
    echo "FAILED: executorch $*"
    echo "  exit code $got (expected $code), expected to see: $pattern"
    sed 's/^/  | /' "$work/stdout" "$work/stderr"
    status=1
  fi
}

mlp=$models/a_mlp
expect 0 'agrees: yes' run "$mlp/model.pte" -i "$mlp/in_0.npy" -e "$mlp/out_0.npy"
expect 0 '"agrees": true' run "$mlp/model.pte" -i "$mlp/in_0.npy" -e "$mlp/out_0.npy" --json
expect 0 'agrees: yes' run "$models/a_channels_last/model.pte" -i "$models/a_channels_last/in_0.npy" \
  -e "$models/a_channels_last/out_0.npy" --rtol 1e-3
expect 0 'agrees: yes' run "$models/d_cond/model.pte" -i "$models/d_cond/in_0.npy" -e "$models/d_cond/out_0.npy"
expect 0 'output 0' run "$data/programs/ptd_linear.pte" -i "$mlp/in_0.npy" \
  -d "$data/programs/ptd_linear.ptd"

# Inputs that are no tensors are in the program: numbers, and one that is None.
scalars=$models/d_scalar_inputs none=$models/d_none_inputs
expect 0 'agrees: yes' run "$scalars/model.pte" -i "$scalars/in_0.npy" -e "$scalars/out_0.npy"
expect 0 'agrees: yes' run "$none/model.pte" -i "$none/in_0.npy" -i "$none/in_2.npy" \
  -i "$none/in_3.npy" -e "$none/out_0.npy"
expect 2 'Int 3, .*: give --input 1 times, not 2' run "$scalars/model.pte" -i "$scalars/in_0.npy" -i 3

# bfloat16 is read as bits in uint16 and written as V2, which can be read again.
half=$models/a_bf16_mlp
expect 0 'agrees: yes' run "$half/model.pte" -i "$half/in_0.npy" -e "$half/out_0.npy" -o "$work"
expect 0 'agrees: yes' run "$half/model.pte" -i "$half/in_0.npy" -e "$work/out_0.npy"
grep -qa "'descr': '|V2'" "$work/out_0.npy" || { echo "FAILED: bfloat16 is not V2"; status=1; }

expect 0 'float32 +\[4, 16\]' inspect "$mlp/model.pte"
expect 0 '"component": "kernels_optimized"' inspect "$mlp/model.pte" --json
expect 0 'input0 -> n' inspect "$mlp/model.pte" --dot
expect 2 'not both' inspect "$mlp/model.pte" --dot --json
expect 0 'c[0-9]+ -> n' inspect "$models/d_cond/model.pte" --dot
expect 0 'cluster_0 .*n0; n1; n2;' inspect "$data/fused/fused_dynamic/model.pte" --dot
expect 0 '1 +aten::convolution.out \+ .*norm.* \+ aten::hardtanh.out' \
  inspect "$data/fused/fused_dynamic/model.pte"
expect 0 'computed_at_load: [1-9]' inspect "$mlp/model.pte"
expect 0 'scale_add.*MISSING' inspect "$data/programs/custom_op.pte"
expect 0 'aten::mm.out  *integral floating complex$' ops mm
expect 0 'embedding.out  *any$' ops embedding
expect 0 'kernels_quantized' ops --json
expect 0 '"uint8",' ops where.self --json
expect 0 'complete -o' completion bash
export COMP_LINE='executorch bench com'
expect 0 '^compare$' completion words
export COMP_LINE='executorch bench compare --mark'
expect 0 '^--markdown$' completion words
expect 0 'pack-moe' --help

expect 0 '"min_us"' bench -n 1 "$mlp/model.pte" --json
cp "$work/stdout" "$work/a.jsonl"
expect 0 'aten::mm.out 000 .*best' bench -n 1 --op "$data/ops/aten__mm.out.jsonl" --only 000
expect 0 '%_of_l2_gbs":.*%_of_fma_gmacs":' bench -n 1 --op "$data/ops/aten__mm.out.jsonl" --only 000 --json
expect 0 'dram_gbs' bench --machine -t 2
expect 2 'excludes --machine' bench --machine --isa avx2
expect 0 'baseline' bench -n 1 "$mlp/model.pte" --isa baseline --threads 1,2
expect 0 'addmm' bench -n 1 --profile "$mlp/model.pte"
expect 0 'geometric mean +1 +1$' bench compare "$work/a.jsonl" "$work/a.jsonl" --svg "$work/a.svg"
[ -n "$emulator" ] || grep -q '</svg>' "$work/a.svg" || { echo "FAILED: no chart"; status=1; }
expect 0 '^\| geometric mean +\|' bench compare "$work/a.jsonl" "$work/a.jsonl" --markdown

lin=$data/moe/lin_00
expect 0 'shape: \[1, ' pack-moe "$lin/wq.npy" --scales "$lin/ws.npy" -g 16 -o "$work/w.npy"
tail -c +129 "$work/w.npy" >"$work/got"
tail -c +129 "$lin/w.npy" >"$work/want"
cmp "$work/got" "$work/want" || status=1

expect 1 'scale_add.*OperatorMissing' run "$data/programs/custom_op.pte" \
  -i "$mlp/in_0.npy" -i "$mlp/in_0.npy"
expect 1 'InvalidProgram' run "$data/bugs/bad_trunc_half/model.pte"
expect 1 'InvalidProgram' inspect "$data/bugs/bad_trunc_half/model.pte"
expect 1 'not a .npy file' run "$mlp/model.pte" -i "$mlp/case.txt"
expect 1 'size 8 in dimension 1' run "$mlp/model.pte" -i "$mlp/out_0.npy"
expect 1 'expected float32' run "$mlp/model.pte" -i "$half/in_0.npy"
expect 1 'not whole|not made of whole' pack-moe "$lin/wq.npy" --scales "$lin/ws.npy" -g 48 -o "$work/w.npy"
expect 2 'takes \(float32\[4, 16\]\): give --input 1 times' run "$mlp/model.pte"
expect 2 'no method other; --method can be: forward' run "$mlp/model.pte" -m other
expect 2 'does not exist: nowhere.pte' run nowhere.pte
expect 2 'model is required' run
expect 2 'no command walk; commands: .*run' walk
expect 2 'a command is missing' 
expect 2 'nothing to time' bench
expect 2 'no call to time that has "nosuch"' bench --op "$data/ops/aten__mm.out.jsonl" --only nosuch
expect 2 'At least 2' bench compare "$work/a.jsonl"
expect 2 'Value 0 not in range' bench "$mlp/model.pte" -t 0
expect 2 'model is required' inspect
expect 2 'does not exist: nowhere.pte' inspect nowhere.pte
expect 2 'not in \{' completion tcsh
expect 2 'shell is required' completion
expect 2 'output is required' pack-moe "$lin/wq.npy"
expect 2 'not in \{4,8\}' pack-moe "$lin/wq.npy" -b 5 -o "$work/w.npy"
expect 2 'not expected' ops mm --nothing
expect 1 'is not a file of' bench compare "$mlp/case.txt" "$mlp/case.txt"
touch "$work/none.jsonl"
expect 1 'no row in common' bench compare "$work/none.jsonl" "$work/a.jsonl"
expect 1 'no row in common' bench compare "$work/a.jsonl" "$work/none.jsonl"
expect 1 'no method other' bench "$mlp/model.pte" -m other
expect 3 'differs from --expect' run "$mlp/model.pte" -i "$mlp/in_0.npy" -e "$mlp/in_0.npy"
if $emulator "$program" ops >/dev/full 2>"$work/stderr" || ! grep -q 'cannot write' "$work/stderr"; then
  echo "FAILED: executorch ops where nothing can be written"
  status=1
fi
exit $status
