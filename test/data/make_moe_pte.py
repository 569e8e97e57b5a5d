#!/usr/bin/env python3
"""From a PyTorch mixture of experts to a program on packed weights: packs the
weights, exports, and compares what runs with the eager block.

    python make_moe_pte.py EXECUTORCH OUT_DIR

EXECUTORCH is the program of the SDK. Needs torch and executorch; exits with 77
where they are absent.
"""
import subprocess
import sys

import numpy as np

try:
    import torch
    from executorch.exir import EdgeCompileConfig, to_edge
    from executorch.extension.llm.custom_ops import custom_ops  # noqa: F401, declares llama::
except ImportError as error:
    print(error)
    sys.exit(77)

TOKENS, EXPERTS, ACTIVATED, DIM, HIDDEN, GROUP = 5, 8, 2, 128, 64, 32
program, out = sys.argv[1:]


class Moe(torch.nn.Module):
    """The block as models have it."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.gate = torch.nn.Parameter(torch.randn(EXPERTS, DIM))
        self.w1 = torch.nn.Parameter(torch.randn(EXPERTS, HIDDEN, DIM) / DIM**0.5)
        self.w3 = torch.nn.Parameter(torch.randn(EXPERTS, HIDDEN, DIM) / DIM**0.5)
        self.w2 = torch.nn.Parameter(torch.randn(EXPERTS, DIM, HIDDEN) / HIDDEN**0.5)

    def forward(self, x):
        scores, chosen = torch.topk(x @ self.gate.T, ACTIVATED)
        up = torch.einsum("td,tkhd->tkh", x, self.w1[chosen])
        linear = torch.einsum("td,tkhd->tkh", x, self.w3[chosen])
        y = torch.einsum("tkh,tkdh->tkd", torch.nn.functional.silu(up) * linear, self.w2[chosen])
        return torch.einsum("tk,tkd->td", torch.softmax(scores, -1), y)


def save(name, tensor):
    path = f"{out}/{name}.npy"
    np.save(path, tensor.detach().numpy())
    return path


def pack(name, bits, *arguments):
    path = f"{out}/{name}.npy"
    subprocess.run([program, "pack-moe", *arguments, "--output", path, "--group-size", str(GROUP), "--bits", str(bits)],
                   check=True)
    return torch.from_numpy(np.load(path))


class PackedMoe(torch.nn.Module):
    """The same on packed weights: one blob per expert."""

    def __init__(self, moe, bits):
        super().__init__()
        self.bits = bits
        self.register_buffer("gate", moe.gate.detach())
        self.register_buffer("bias", torch.zeros(0))
        self.register_buffer("w13", pack("w13", bits, save("w1", moe.w1), "--w3", save("w3", moe.w3)))
        self.register_buffer("w2", pack("packed_w2", bits, save("w2", moe.w2)))

    def forward(self, x):
        return torch.ops.llama.quantized_moe_ffn(x, self.gate, self.bias, self.w13, self.w2, ACTIVATED, EXPERTS, HIDDEN,
                                                 DIM, GROUP, self.bits, "softmax", 1.0)


moe = Moe().eval()
x = torch.randn(TOKENS, DIM)
expected = moe(x)
for bits, error in ((4, 1.0), (8, 0.08)):  # at most, in standard deviations of the result
    model = f"{out}/moe{bits}.pte"
    exported = torch.export.export(PackedMoe(moe, bits).eval(), (x,))
    edge = to_edge(exported, compile_config=EdgeCompileConfig(_check_ir_validity=False))
    with open(model, "wb") as file:
        file.write(edge.to_executorch().buffer)
    subprocess.run([program, "run", model, "--input", save("x", x), "--expect", save("expected", expected),
                    "--rtol", "0", "--atol", str(error * expected.std().item())], check=True)
