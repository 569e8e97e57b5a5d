#!/usr/bin/env python3
"""Writes a program that calls quantized operators for which the exporter knows no
out variant, with its inputs and the outputs of eager PyTorch.

    python make_out_variant_pte.py --out DIR

A weight is quantized in groups when the model is made, and activations when it
runs: as a whole, per row, and in blocks as torchao does. The last output is what
PT2E makes; the exporter knows its out variants only where
executorch.kernels.quantized, a library of kernels, was imported. Needs torch,
torchao and executorch.
"""
import argparse
import os

import numpy as np
import torch
import torch.ao.quantization.fx._decomposed  # noqa: F401, defines the operators
from executorch.exir import EdgeCompileConfig, to_edge
from torch.export import export
from torch.library import Library
from torchao.quantization import quant_primitives  # noqa: F401, defines the operators

QD, AO = torch.ops.quantized_decomposed, torch.ops.torchao


def add_out_variant(lib, op, outs=("out",)):
    """Declares the out variant under the name that the runtime knows: the same
    arguments, then the tensors to write."""
    schema = op._schema
    name = schema.name.split("::")[1] + (f".{schema.overload_name}_out" if schema.overload_name else ".out")
    args = str(schema).split("(", 1)[1].rsplit(") ->", 1)[0]
    types = [f"Tensor({letter}!)" for letter in "abc"[: len(outs)]]
    args += ", " if "*" in args else ", *, "
    args += ", ".join(f"{t} {o}" for t, o in zip(types, outs))
    lib.define(f"{name}({args}) -> " + (types[0] if len(outs) == 1 else f"({', '.join(types)})"))


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(7)
        weight = torch.randn(12, 64)
        scales = weight.reshape(12, 2, 32).abs().amax(-1) / 7
        zero_points = torch.zeros(12, 2, dtype=torch.int32)
        self.register_buffer("scales", scales)
        self.register_buffer("zero_points", zero_points)
        self.register_buffer("weight", QD.quantize_per_channel_group(weight, scales, zero_points, -8, 7, torch.int8, 32))

    def forward(self, x):
        w = QD.dequantize_per_channel_group(self.weight, self.scales, self.zero_points, -8, 7, torch.int8, 32, torch.float32)
        low, high = x.amin(), x.amax()
        scale = (torch.maximum(-low, high) / 127).reshape(1)
        zero = torch.zeros(1, dtype=torch.int64)
        bounds = torch.tensor([-128]), torch.tensor([127])
        q = QD.quantize_per_tensor.tensor2(x, scale, zero, *bounds, torch.int8)
        y = QD.dequantize_per_tensor.tensor2(q, scale, zero, *bounds, torch.int8)
        s, z = QD.choose_qparams_symmetric.tensor(x, -127, 127, 1e-7, torch.int8)
        row_scales, _ = QD.choose_qparams_per_token(x, torch.int8)
        blocks = [1, 16]
        a, b = AO.choose_qparams_affine(x, "ASYMMETRIC", blocks, torch.int8, -8, 7, scale_dtype=torch.float32, zero_point_dtype=torch.int32)
        g = AO.quantize_affine(x, blocks, a, b, torch.int8, -8, 7)
        p = QD.dequantize_per_tensor(QD.quantize_per_tensor(x, 0.02, 3, -128, 127, torch.int8), 0.02, 3, -128, 127, torch.int8)
        return (torch.nn.functional.linear(y, w), q, s, z, row_scales.to(torch.float32), g,
                AO.dequantize_affine(g, blocks, a, b, torch.int8, -8, 7), p)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--out", required=True, help="directory to write to")
    out = ap.parse_args().out
    lib, torchao = Library("quantized_decomposed", "FRAGMENT"), Library("torchao", "FRAGMENT")
    add_out_variant(lib, QD.dequantize_per_channel_group.default)
    for op in QD.quantize_per_tensor.default, QD.dequantize_per_tensor.default:
        add_out_variant(lib, op)
    add_out_variant(lib, QD.quantize_per_tensor.tensor2)
    add_out_variant(lib, QD.dequantize_per_tensor.tensor2)
    for op in QD.choose_qparams_symmetric.tensor, QD.choose_qparams_per_token.default:
        add_out_variant(lib, op, ["scale_out", "zero_point_out"])
    add_out_variant(torchao, AO.quantize_affine.default)
    add_out_variant(torchao, AO.dequantize_affine.default)
    add_out_variant(torchao, AO.choose_qparams_affine.default, ["scale_out", "zero_point_out"])

    model, x = Model().eval(), torch.randn(5, 64)
    edge = to_edge(export(model, (x,)), compile_config=EdgeCompileConfig(_check_ir_validity=False))
    program = edge.to_executorch()
    results = model(x)
    os.makedirs(out, exist_ok=True)
    with open(os.path.join(out, "model.pte"), "wb") as f:
        f.write(program.buffer)
    np.save(os.path.join(out, "in_0.npy"), x.numpy())
    lines = ["case " + os.path.basename(out), "pte model.pte", "atol 1e-05", "rtol 1e-05", "run 0 forward", "in tensor float32 in_0.npy"]
    for i, r in enumerate(results):
        np.save(os.path.join(out, f"out_{i}.npy"), r.numpy())
        lines.append(f"out tensor {str(r.dtype)[6:]} out_{i}.npy")
    with open(os.path.join(out, "case.txt"), "w") as f:
        f.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
