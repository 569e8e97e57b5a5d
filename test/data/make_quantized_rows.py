#!/usr/bin/env python3
"""Writes rows of test data for the quantized operators, exact to the bit.

    python make_quantized_rows.py --out DIR

The expected values come from torch.ops.quantized_decomposed and
torch.ops.torchao as eager PyTorch computes them on x86 (needs torch; torchao for
its three operators). Embeddings, sums and products have no eager kernel in
torch: they are put together from operators that have one.

A row is a line of <operator>.jsonl; tensors are raw bytes in <operator>.raw; the
operators are listed in index.tsv. Every row names its arguments in the order of
the schema, out arguments last.
"""
import argparse
import itertools
import json
import math
import os
import warnings

import torch
import torch.ao.quantization.fx._decomposed  # noqa: F401, defines the operators

warnings.filterwarnings("ignore")

f32, f64, f16, bf16 = torch.float32, torch.float64, torch.float16, torch.bfloat16
i8, i16, i32, i64, u8, u16 = torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.uint16
CODE = {u8: 0, i8: 1, i16: 2, i32: 3, i64: 4, f16: 5, f32: 6, f64: 7, bf16: 15, u16: 27}
NAN, INF = float("nan"), float("inf")
QD = torch.ops.quantized_decomposed
FULL = {t: (torch.iinfo(t).min, torch.iinfo(t).max) for t in (u8, i8, u16, i16, i32)}
NARROW = {u8: (0, 15), i8: (-8, 7), u16: (3, 1000), i16: (-1000, 1000), i32: (-100000, 100000)}
FLOATS = (f32, f16, bf16)

# One generator for all values, seeded per operator.
gen = torch.Generator()


def rand(*shape, dt=f32, lo=-3.0, hi=3.0):
    return (torch.rand(shape, generator=gen, dtype=f64) * (hi - lo) + lo).to(dt)


def ints(*shape, dt=i8, lo=None, hi=None):
    lo = FULL[dt][0] if lo is None else lo
    hi = FULL[dt][1] if hi is None else hi
    return torch.randint(lo, hi + 1, shape, generator=gen, dtype=i64).to(dt)


def specials(scale=1.0, dt=f32):
    """Ties, values around the ends of every integer type, huge and tiny ones."""
    ties = [k + 0.5 for k in range(-6, 6)]
    ends = [s * v + d for v in (127.0, 128.0, 255.0, 32767.0, 65535.0, 2.0**31) for s in (1, -1) for d in (-0.5, 0, 0.5)]
    exact = torch.tensor(ties + ends, dtype=f64) * scale
    rest = [0.0, -0.0, INF, -INF, NAN, 1e30, -1e30, 3e38, -3e38, 1e-45, -1e-30, 0.49999997, 16777216.0, 8388609.0]
    return torch.cat([exact, torch.tensor(rest, dtype=f64)]).to(dt)


def near_ties(scales, zero_points, dt):
    """One row per scale: values whose quotient is a tie, or a few bits away."""
    lo, hi = FULL[dt]
    steps = torch.cat([ints(40, dt=i32, lo=lo - 2, hi=hi + 2), ints(40, dt=i32, lo=-4, hi=4)])
    x = ((steps.to(f64) + 0.5 - zero_points.reshape(-1, 1)) * scales.reshape(-1, 1)).to(f32)
    bits = x.view(i32)
    return (bits + torch.randint(-2, 3, bits.shape, generator=gen, dtype=i32)).view(f32)


def dim_order(t):
    return sorted(range(t.dim()), key=lambda d: (-t.stride(d), d)) if not t.is_contiguous() else list(range(t.dim()))


class Operator:
    """The rows of one operator; `like` has its schema but for the out arguments."""

    all = {}

    def __init__(self, name, like, outs=("out",), compute=None):
        self.name, self.outs, self.compute = name, outs, compute or like
        schema = like if isinstance(like, torch._C.FunctionSchema) else like._schema
        self.params = [(a.name, str(a.type), a) for a in schema.arguments]
        self.lines, self.raw = [], bytearray()
        Operator.all[name] = self
        gen.manual_seed(sum(name.encode()))

    def store(self, t):
        order = dim_order(t)
        data = t.permute(order).contiguous().reshape(-1).view(u8).numpy().tobytes() if t.numel() else b""
        self.raw += bytes(-len(self.raw) % 64)
        at = len(self.raw)
        self.raw += data
        return {"dtype": str(t.dtype)[6:], "shape": list(t.shape), "order": order, "at": at, "nbytes": len(data)}

    def encode(self, name, kind, v):
        if isinstance(v, torch.Tensor):
            return {"name": name, "kind": "tensor", **self.store(v)}
        if v is None:
            return {"name": name, "kind": "none"}
        if isinstance(v, torch.dtype):
            return {"name": name, "kind": "int", "v": CODE[v]}
        if isinstance(v, str):
            return {"name": name, "kind": "str", "v": v}
        if isinstance(v, (list, tuple)):
            return {"name": name, "kind": "ints", "v": list(v)}
        if isinstance(v, bool):
            return {"name": name, "kind": "bool", "v": v}
        if isinstance(v, float) or kind == "float":
            v = float(v)
            return {"name": name, "kind": "float", "v": v if math.isfinite(v) else str(v)}
        return {"name": name, "kind": "int", "v": v}


    def emit(self, values, out_args, expected, expect, note):
        args = [self.encode(n, k, values[n]) for n, k, _ in self.params] + out_args
        self.lines.append({"id": f"{len(self.lines):03d}", "op": self.name, "expect": expect, "tier": "core",
                           "note": note, "args": args, "outs": expected})

    def ok(self, *args, note="", out_types=None, atol=0.0, **kw):
        values = dict(zip((p[0] for p in self.params), args))
        values.update(kw)
        for name, _, a in self.params:
            values.setdefault(name, a.default_value if a.has_default_value() else None)
        positional = [values[n] for n, _, a in self.params if not a.kwarg_only]
        named = {n: values[n] for n, _, a in self.params if a.kwarg_only}
        results = self.compute(*positional, **named)
        results = results if isinstance(results, tuple) else (results,)
        outs, expected = [], []
        for k, (name, r) in enumerate(zip(self.outs, results)):
            r = r.to(out_types[k]) if out_types else r
            outs.append({"name": name, "kind": "out", "dtype": str(r.dtype)[6:], "shape": list(r.shape),
                         "order": dim_order(r), "dyn": "static"})
            check = {"cmp": "close", "rtol": 0.0, "atol": atol} if r.dtype.is_floating_point else {"cmp": "close"}
            expected.append({"arg": len(self.params) + k, **self.store(r), **check})
        self.emit(values, outs, expected, "ok", note)

    def bad(self, *args, out=(), note="", **kw):
        values = dict(zip((p[0] for p in self.params), args))
        values.update(kw)
        for name, _, a in self.params:
            values.setdefault(name, a.default_value if a.has_default_value() else None)
        outs = [{"name": n, "kind": "out", "dtype": str(t)[6:], "shape": list(s), "order": list(range(len(s))),
                 "dyn": "static"} for n, (t, s) in zip(self.outs, out)]
        self.emit(values, outs, [], "error", note)


def layouts(*shape, make):
    """The tensor in each layout its rank has."""
    t = make(*shape)
    yield "contiguous", t
    if t.dim() == 4:
        yield "channels_last", t.contiguous(memory_format=torch.channels_last)
    if t.dim() == 5:
        yield "channels_last_3d", t.contiguous(memory_format=torch.channels_last_3d)
    if t.dim() == 3:
        yield "reversed", t.permute(2, 1, 0).contiguous().permute(2, 1, 0)


SHAPES = ([], [5], [3, 4], [2, 3, 4], [2, 3, 4, 5], [2, 1, 4, 3], [2, 4, 1, 1], [1, 3, 2, 2, 2], [0, 4], [2, 0, 3, 2])
TAILS = [*range(1, 19), 31, 32, 33, 47, 48, 63, 64, 65, 127, 129, 255, 257]
LARGE = 20011  # more than one thread takes at least


def quantize_per_tensor():
    o = Operator("quantized_decomposed::quantize_per_tensor.out", QD.quantize_per_tensor.default)
    for dt, ranges in itertools.product(FULL, (FULL, NARROW)):
        for scale, zp in ((1.0, 0), (0.0725, 3), (-0.5, 1), (1e-40, 0), (INF, 2), (1e40, 2), (NAN, 0)):
            o.ok(specials(scale if 1e-3 < abs(scale) < 10 else 1.0), scale, zp, *ranges[dt], dt,
                 note=f"{dt} {ranges[dt]} scale {scale}")
    for x, dt in itertools.product(FLOATS, FULL):
        o.ok(specials(0.25, x), 0.25, 5, *FULL[dt], dt, note=f"ties, {x} to {dt}")
        o.ok(rand(77, dt=x, lo=-40, hi=40), 0.3, 7, *FULL[dt], dt, note=f"{x} to {dt}")
    for zp in (2**24 + 1, 2**31 - 1, -2**31):
        o.ok(specials(), 1.0, zp, *FULL[i32], i32, note=f"zero point {zp}")
    for n in TAILS:
        dt = (i8, u8, i16, u16, i32)[n % 5]
        o.ok(rand(n, lo=-30, hi=30), 0.11, -2, *FULL[dt], dt, note=f"{n} elements")
    for shape in SHAPES:
        for name, x in layouts(*shape, make=lambda *s: rand(*s)):
            o.ok(x, 0.021, 4, -128, 127, i8, note=f"{shape} {name}")
    o.ok(rand(LARGE, lo=-300, hi=300), 1.7, -3, -128, 127, i8, note="many elements")
    x, out = rand(3), [(i8, [3])]
    o.bad(x, 0.0, 0, -128, 127, i8, out=out, note="scale 0")
    o.bad(x, 0.1, 0, -129, 127, i8, out=out, note="quant_min does not fit")
    o.bad(x, 0.1, 0, -128, 128, i8, out=out, note="quant_max does not fit")
    o.bad(x, 0.1, 0, -128, 127, i8, out=[(u8, [3])], note="out of another dtype")
    o.bad(x.double(), 0.1, 0, -128, 127, i8, out=out, note="float64 input")
    o.bad(ints(3), 0.1, 0, -128, 127, i8, out=out, note="integer input")
    o.bad(x, 0.1, 0, 0, 1, i64, out=[(i64, [3])], note="int64 is not a quantized dtype")
    o.bad(x, 0.1, 0, -128, 127, i8, out=[(i8, [1, 3])], note="out of another rank")


def quantize_per_tensor_by_tensors():
    for suffix in ("Tensor_out", "tensor_out"):
        o = Operator(f"quantized_decomposed::quantize_per_tensor.{suffix}", QD.quantize_per_tensor.tensor)
        for s, z, x in itertools.product((f32, f64, f16), (i32, i64, f32, i8), (f32, f16)):
            o.ok(specials(0.1, x), torch.tensor([0.1], dtype=s), torch.tensor([3], dtype=z), -128, 127, i8,
                 note=f"{x}, scale {s}, zero point {z}")
        o.ok(specials(), torch.tensor(1.0), torch.tensor(2), 0, 255, u8, note="tensors without dimensions")
        o.ok(specials(), torch.tensor([[1.0]]), torch.tensor([2.5]), 0, 255, u8, note="zero point 2.5")
        out = [(i8, [3])]
        o.bad(rand(3), torch.ones(2), torch.tensor([0]), -128, 127, i8, out=out, note="two scales")
        o.bad(rand(3), torch.ones(1), torch.tensor([0, 1]), -128, 127, i8, out=out, note="two zero points")
        o.bad(rand(3), torch.zeros(1), torch.tensor([0]), -128, 127, i8, out=out, note="scale 0")
    o = Operator("quantized_decomposed::quantize_per_tensor.tensor2_out", QD.quantize_per_tensor.tensor2)
    one = lambda v, dt: torch.tensor([v], dtype=dt)  # noqa: E731
    for dt in FULL:
        o.ok(specials(), one(0.5, f64), one(1, i64), one(FULL[dt][0], i64), one(FULL[dt][1], i64), dt, note=f"{dt}")
    o.bad(rand(3), one(1, f32), one(0, i32), one(-200, i32), one(127, i32), i8, out=[(i8, [3])], note="range")


def channel_params(n, s=f64, z=i64, zp=(-3, 3)):
    return rand(n, dt=s, lo=0.02, hi=0.3), None if z is None else ints(n, dt=i64, lo=zp[0], hi=zp[1]).to(z)


def quantize_per_channel():
    o = Operator("quantized_decomposed::quantize_per_channel.out", QD.quantize_per_channel.default)
    for s, z, dt in itertools.product((f32, f64, f16), (i32, i64, f32, f64, f16, u8), FULL):
        zp = (0, 3) if z is u8 else (-3, 3)
        o.ok(rand(3, 21, lo=-50, hi=50), *channel_params(3, s, z, zp), 0, *FULL[dt], dt, note=f"scales {s}, zero points {z}, {dt}")
    for s, z, dt in itertools.product((f32, f64), (i32, i64), FULL):
        x = specials().repeat(2, 1)
        o.ok(x, torch.tensor([1.0, 0.5], dtype=s), torch.tensor([0, 3], dtype=z), 0, *FULL[dt], dt, note=f"specials, rows, {s} {dt}")
        o.ok(x.t().contiguous(), torch.tensor([1.0, 0.5], dtype=s), torch.tensor([0, 3], dtype=z), 1, *FULL[dt], dt,
             note=f"specials, columns, {s} {dt}")
    for shape in ([7], [3, 4], [2, 3, 4], [2, 3, 4, 5], [2, 1, 4, 3], [2, 4, 1, 1], [2, 3, 2, 2, 3], [0, 3], [3, 0]):
        for axis in range(-len(shape), len(shape)):
            for name, x in layouts(*shape, make=lambda *s: rand(*s, lo=-20, hi=20)):
                s, z = channel_params(shape[axis], (f32, f64)[axis % 2], (i32, i64)[axis % 2])
                o.ok(x, s, z, axis, -128, 127, i8, note=f"{shape} axis {axis} {name}")
    for x in FLOATS:
        o.ok(rand(4, 33, dt=x, lo=-20, hi=20), *channel_params(4), 0, -128, 127, i8, note=f"{x}, one row each")
        o.ok(rand(33, 40, dt=x, lo=-20, hi=20), *channel_params(40), 1, -128, 127, i8, note=f"{x}, one column each")
    for n in TAILS:
        o.ok(rand(2, n, lo=-20, hi=20), *channel_params(n, f32, i32), -1, 0, 255, u8, note=f"{n} columns")
    o.ok(rand(3, 5), torch.tensor([0.1]), torch.tensor([1]), 1, -128, 127, i8, note="one scale for all channels")
    o.ok(rand(3, 5), torch.tensor([0.0, -0.1, INF]), torch.tensor([1, 2, 3]), 0, -128, 127, i8, note="scales 0, negative, infinite")
    o.ok(rand(66, 320, lo=-20, hi=20), *channel_params(320), 1, -128, 127, i8, note="many columns")
    o.ok(rand(66, 320, lo=-20, hi=20), *channel_params(66), 0, -128, 127, i8, note="many rows")
    for dt, s in itertools.product((u8, i8, u16, i16), (f32, f64)):
        scales, zps = channel_params(12, s)
        x = near_ties(scales, zps, dt)
        o.ok(x, scales, zps, 0, *FULL[dt], dt, note=f"near ties, {s} {dt}")
        o.ok(x.t().contiguous(), scales, zps, 1, *FULL[dt], dt, note=f"near ties, columns, {s} {dt}")
    x, out = rand(3, 4), [(i8, [3, 4])]
    o.bad(x, *channel_params(4), 2, -128, 127, i8, out=out, note="axis out of range")
    o.bad(x, *channel_params(4), -3, -128, 127, i8, out=out, note="negative axis out of range")
    o.bad(x, *channel_params(3), 1, -128, 127, i8, out=out, note="number of scales")
    o.bad(x, channel_params(4)[0], channel_params(3)[1], 1, -128, 127, i8, out=out, note="number of zero points")
    o.bad(rand(), *channel_params(1), 0, -128, 127, i8, out=[(i8, [])], note="no dimension")
    o.bad(x, ints(4), channel_params(4)[1], 1, -128, 127, i8, out=out, note="integer scales")
    o.bad(x, *channel_params(4), 1, -129, 127, i8, out=out, note="range")


def token_params(shape, s=f64, z=i64):
    return rand(*shape, dt=s, lo=0.02, hi=0.3), ints(*shape, dt=i64, lo=-3, hi=3).to(z)


def quantize_per_token():
    o = Operator("quantized_decomposed::quantize_per_token.out", QD.quantize_per_token.default)
    for x, s, z, dt in itertools.product((*FLOATS, f64), (f32, f64, f16), (i32, i64, f32), (i8, u8)):
        o.ok(rand(3, 21, dt=x, lo=-50, hi=50), *token_params([3, 1], s, z), *FULL[dt], dt, note=f"{x} scales {s}, zero points {z}, {dt}")
    for s, dt in itertools.product((f32, f64), FULL):
        o.ok(specials().repeat(2, 1), torch.tensor([[1.0], [0.5]], dtype=s), torch.tensor([[0], [3]]), *FULL[dt], dt, note=f"specials {s} {dt}")
        o.ok(rand(2, 40, lo=-20, hi=20), *token_params([2, 1], s, i64), *NARROW[dt], dt, note=f"{NARROW[dt]} {dt}")
    for shape in ([8], [1, 8], [3, 7], [2, 3, 5], [2, 2, 2, 6], [2, 3, 4, 5], [0, 3], [2, 1, 2, 1, 9]):
        for name, x in layouts(*shape, make=lambda *s: rand(*s)):
            o.ok(x, *token_params([*shape[:-1], 1]), -128, 127, i8, note=f"{shape} {name}")
    o.ok(rand(9), torch.tensor(0.1, dtype=f64), torch.tensor(2), -128, 127, i8, note="numbers as tensors without dimensions")
    o.ok(rand(9, dt=f16), torch.tensor(0.1, dtype=f64), torch.tensor(2), -128, 127, i8, note="the same, float16")
    for n in TAILS:
        o.ok(rand(2, n, lo=-20, hi=20), *token_params([2, 1]), -128, 127, i8, note=f"{n} columns")
    o.ok(rand(66, 320, lo=-20, hi=20), *token_params([66, 1]), -128, 127, i8, note="many rows")
    for dt, s in itertools.product((u8, i8, u16, i16), (f32, f64)):
        scales, zps = token_params([12, 1], s)
        o.ok(near_ties(scales, zps, dt), scales, zps, *FULL[dt], dt, note=f"near ties, {s} {dt}")
    x, out = rand(3, 4), [(i8, [3, 4])]
    o.bad(x, *token_params([2, 1]), -128, 127, i8, out=out, note="number of scales")
    o.bad(x, token_params([3, 1])[0], token_params([2, 1])[1], -128, 127, i8, out=out, note="number of zero points")
    o.bad(ints(3, 4), *token_params([3, 1]), -128, 127, i8, out=out, note="integer input")


def quantize_per_channel_group():
    o = Operator("quantized_decomposed::quantize_per_channel_group.out", QD.quantize_per_channel_group.default)
    for x, s, z in itertools.product(FLOATS, (f32, f64, bf16), (i32, i64, f32)):
        o.ok(rand(3, 64, dt=x), *token_params([3, 2], s, z), -8, 7, i8, 32, note=f"{x}, scales {s}, zero points {z}")
    for g in (2, 3, 6, 12, 128):
        n = max(1, 12 // g)
        o.ok(rand(5, 12), *token_params([5, n], f32, i32), 0, 255, u8, g, note=f"groups of {g} in rows of 12")
    o.ok(rand(66, 320, lo=-30, hi=30), *token_params([66, 10], f32, i32), -8, 7, i8, 32, note="many groups")
    x, out = rand(3, 12), [(i8, [3, 12])]
    o.bad(x, *token_params([3, 2]), -8, 7, i8, 5, out=out, note="groups do not divide the row")
    o.bad(x, *token_params([3, 3]), -8, 7, i8, 6, out=out, note="number of scales")
    o.bad(x, *token_params([3, 12]), -8, 7, i8, 1, out=out, note="groups of one")
    o.bad(rand(12), *token_params([2]), -8, 7, i8, 6, out=[(i8, [12])], note="not a matrix")


def dequantize_per_tensor():
    o = Operator("quantized_decomposed::dequantize_per_tensor.out", QD.dequantize_per_tensor.default)
    for dt, out in itertools.product(FULL, (None, f32, f16, bf16, f64)):
        for scale, zp in ((0.0725, 3), (1.0, 0), (-1e-3, FULL[dt][0]), (3e37, FULL[dt][1])):
            edge = torch.tensor([*FULL[dt], 0, 1, 2, 3, 255 if dt is u8 else 100]).to(dt)
            o.ok(torch.cat([edge, ints(41, dt=dt)]), scale, zp, *FULL[dt], dt, out_dtype=out, note=f"{dt} to {out}, scale {scale}")
    o.ok(ints(20), NAN, 0, -128, 127, i8, note="scale NaN")
    for n in TAILS:
        dt = (i8, u8, i16, u16, i32)[n % 5]
        o.ok(ints(n, dt=dt), 0.11, 5, *FULL[dt], dt, note=f"{n} elements of {dt}")
    for shape in SHAPES:
        for name, x in layouts(*shape, make=lambda *s: ints(*s)):
            o.ok(x, 0.021, 4, -128, 127, i8, note=f"{shape} {name}")
    o.ok(ints(LARGE), 1.7, -3, -128, 127, i8, note="many elements")
    x, out = ints(3), [(f32, [3])]
    o.bad(x, 0.1, 0, 0, 255, u8, out=out, note="the input is not of the dtype named")
    o.bad(rand(3), 0.1, 0, -128, 127, i8, out=out, note="floating input")
    o.bad(x, 0.1, 0, -128, 127, i8, out_dtype=f16, out=out, note="out is not of out_dtype")
    o.bad(x, 0.1, 0, -128, 127, i8, out=[(i32, [3])], note="integer out")
    o.bad(ints(3, dt=i32, lo=0, hi=9).to(i64), 0.1, 0, 0, 9, i64, out=out, note="int64 is not a quantized dtype")


def dequantize_per_tensor_by_tensors():
    for suffix in ("Tensor_out", "tensor_out"):
        o = Operator(f"quantized_decomposed::dequantize_per_tensor.{suffix}", QD.dequantize_per_tensor.tensor)
        for s, z, out in itertools.product((f32, f64, f16), (i32, i64, f32, i8), (None, f16, f64)):
            o.ok(ints(19), torch.tensor([0.1], dtype=s), torch.tensor([3], dtype=z), -128, 127, i8, out_dtype=out, note=f"scale {s}, zero point {z}, to {out}")
        o.ok(ints(19), torch.tensor(1.5), torch.tensor(2), -128, 127, i8, note="tensors without dimensions")
        o.bad(ints(3), torch.ones(2), torch.tensor([0]), -128, 127, i8, out=[(f32, [3])], note="two scales")
    o = Operator("quantized_decomposed::dequantize_per_tensor.tensor2_out", QD.dequantize_per_tensor.tensor2)
    one = lambda v, dt: torch.tensor([v], dtype=dt)  # noqa: E731
    for dt in FULL:
        o.ok(ints(19, dt=dt), one(0.5, f64), one(1, i64), one(FULL[dt][0], i64), one(FULL[dt][1], i64), dt, note=f"{dt}")


def dequantize_per_channel():
    o = Operator("quantized_decomposed::dequantize_per_channel.out", QD.dequantize_per_channel.default)
    zs = (None, i32, i64, f32, f64, f16, i8, u8)
    for dt, s, z in itertools.product(FULL, (f32, f64, bf16), zs):
        if dt is u16 and z not in (None, f32, f64, f16):
            continue  # eager has no promotion for it
        zp = (0, 5) if z is u8 else (-5, 5)
        edge = torch.tensor([*FULL[dt], 0, 1]).to(dt).repeat(3, 1)
        x = torch.cat([edge, ints(3, 17, dt=dt)], 1)
        out = (None, f16, bf16, f64)[len(o.lines) % 4]
        o.ok(x, *channel_params(3, s, z, zp), 0, *FULL[dt], dt, out_dtype=out, note=f"{dt} scales {s}, zero points {z}, to {out}")
        o.ok(x.t().contiguous(), *channel_params(3, s, z, zp), 1, *FULL[dt], dt, note=f"{dt} scales {s}, zero points {z}, columns")
    for z in (-2**31, 2**31 - 1, 2**40, 2**23, 2**22 + 1):
        for dt in (i8, i32):
            o.ok(ints(2, 9, dt=dt), torch.tensor([0.5, 0.3]), torch.tensor([z, 1]), 0, *FULL[dt], dt, note=f"{dt} zero point {z}")
    for shape in ([7], [3, 4], [2, 3, 4], [2, 3, 4, 5], [2, 1, 4, 3], [2, 4, 1, 1], [2, 3, 2, 2, 3], [0, 3], [3, 0]):
        for axis in range(-len(shape), len(shape)):
            for name, x in layouts(*shape, make=lambda *s: ints(*s)):
                s, z = channel_params(shape[axis], (f32, f64)[axis % 2], (i32, i64, None)[axis % 3])
                o.ok(x, s, z, axis, -128, 127, i8, note=f"{shape} axis {axis} {name}")
    for n in TAILS:
        o.ok(ints(2, n, dt=u8), *channel_params(n, f32, i32), -1, 0, 255, u8, note=f"{n} columns")
    o.ok(ints(3, 5), torch.tensor([0.1]), torch.tensor([1]), 1, -128, 127, i8, note="one scale for all channels")
    o.ok(ints(66, 320), *channel_params(320), 1, -128, 127, i8, out_dtype=bf16, note="many columns")
    o.ok(ints(66, 320), *channel_params(66), 0, -128, 127, i8, out_dtype=f16, note="many rows")
    x, out = ints(3, 4), [(f32, [3, 4])]
    o.bad(x, *channel_params(4), 2, -128, 127, i8, out=out, note="axis out of range")
    o.bad(x, *channel_params(4), -3, -128, 127, i8, out=out, note="negative axis out of range")
    o.bad(x, *channel_params(3), 1, -128, 127, i8, out=out, note="number of scales")
    o.bad(x, channel_params(4)[0], channel_params(3)[1], 1, -128, 127, i8, out=out, note="number of zero points")
    o.bad(x, *channel_params(4), 1, 0, 255, u8, out=out, note="the input is not of the dtype named")
    o.bad(x, *channel_params(4), 1, -128, 128, i8, out=out, note="range")


def dequantize_per_token():
    o = Operator("quantized_decomposed::dequantize_per_token.out", QD.dequantize_per_token.default)
    for dt, s, z, out in itertools.product((i8, u8, i16, i32), (f32, f64, f16), (i32, i64, f32), (f32, f16, f64)):
        o.ok(ints(3, 21, dt=dt), *token_params([3, 1], s, z), *FULL[dt], dt, out, note=f"{dt} scales {s}, zero points {z}, to {out}")
    for shape in ([8], [1, 8], [3, 7], [2, 3, 5], [2, 2, 2, 6], [2, 3, 4, 5], [0, 3], [2, 1, 2, 1, 9]):
        for name, x in layouts(*shape, make=lambda *s: ints(*s)):
            o.ok(x, *token_params([*shape[:-1], 1]), -128, 127, i8, f32, note=f"{shape} {name}")
    o.ok(ints(2, 9), torch.tensor(0.1, dtype=f64), torch.tensor(20), -128, 127, i8, f32, note="tensors without dimensions: int8 wraps")
    o.ok(ints(3, 3), token_params([3])[0], token_params([3, 1])[1], -128, 127, i8, f32, note="scales broadcast over rows")
    o.ok(ints(66, 320), *token_params([66, 1]), -128, 127, i8, f32, note="many rows")
    x, out = ints(3, 4), [(f32, [3, 4])]
    o.bad(x, *token_params([2, 1]), -128, 127, i8, f32, out=out, note="number of scales")
    o.bad(x, *token_params([3, 1]), -128, 127, i8, f16, out=out, note="out of another dtype")


def dequantize_per_channel_group():
    o = Operator("quantized_decomposed::dequantize_per_channel_group.out", QD.dequantize_per_channel_group.default)
    for dt, s, z, out in itertools.product((i8, u8, i32), (f32, f64, bf16), (None, i32, i64, f32), (f32, f16)):
        scales, zps = token_params([3, 2], s, z or i64)
        o.ok(ints(3, 64, dt=dt), scales, zps if z else None, *FULL[dt], dt, 32, out, note=f"{dt}, scales {s}, zero points {z}, to {out}")
    for g in (2, 3, 6, 12, 128):
        n = max(1, 12 // g)
        o.ok(ints(5, 12), *token_params([5, n], f32, i32), -8, 7, i8, g, f32, note=f"groups of {g} in rows of 12")
    o.ok(ints(66, 320), *token_params([66, 10], f32, i32), -8, 7, i8, 32, f32, note="many groups")
    x, out = ints(3, 12), [(f32, [3, 12])]
    o.bad(x, *token_params([3, 2]), -8, 7, i8, 5, f32, out=out, note="groups do not divide the row")
    o.bad(x, *token_params([3, 3]), -8, 7, i8, 6, f32, out=out, note="number of scales")
    o.bad(x, *token_params([3, 12]), -8, 7, i8, 1, f32, out=out, note="groups of one")


def extremes(dt):
    """Inputs for the choice of parameters, with a name."""
    yield "mixed", rand(4, 37, dt=dt)
    yield "positive", rand(4, 37, dt=dt, lo=1, hi=4)
    yield "negative", rand(4, 37, dt=dt, lo=-4, hi=-1)
    yield "zero", torch.zeros(4, 37, dtype=dt)
    yield "tiny", rand(4, 37, dt=dt, lo=-1e-7, hi=1e-7)
    yield "huge", rand(4, 37, dt=dt, lo=-6e4, hi=6e4)
    for name, v in (("NaN", NAN), ("inf", INF), ("-inf", -INF)):
        for at in (0, 17, 36):
            x = rand(4, 37, dt=dt)
            x[1, at] = v
            yield f"{name} at {at}", x
    x = rand(4, 37, dt=dt)
    x[2, 3], x[2, 20] = INF, -INF
    yield "both infinities", x
    for n in TAILS if dt is f32 else ():
        yield f"{n} columns", rand(2, n, dt=dt)


def choose_qparams():
    outs = ("scale_out", "zero_point_out")
    for like, suffix in ((QD.choose_qparams.tensor, "choose_qparams.Tensor_out"), (QD.choose_qparams.tensor, "choose_qparams.tensor_out"),
                         (QD.choose_qparams_symmetric.tensor, "choose_qparams_symmetric.tensor_out")):
        o = Operator("quantized_decomposed::" + suffix, like, outs)
        alias = suffix == "choose_qparams.tensor_out"
        for dt in FLOATS[:1] if alias else FLOATS:
            for name, x in extremes(dt):
                for q, lo, hi in ((i8, -128, 127), (u8, 0, 255), (i16, -3, 32767))[:1 if alias else 3]:
                    o.ok(x, lo, hi, 1.1920928955078125e-07, q, note=f"{dt} {name} to {q}")
        if alias:
            continue
        o.ok(torch.zeros(3), -128, 127, 1e-3, i8, note="eps 1e-3")
        o.ok(rand(3), -2**31, 2**31 - 1, 1e-10, i32, note="all of int32")
        o.ok(rand(), 0, 255, 1e-10, u8, note="no dimension")
        o.ok(rand(2, 3, 4, 5).contiguous(memory_format=torch.channels_last), 0, 255, 1e-10, u8, note="channels_last")
        x = rand(LARGE)
        x[0], x[-1] = -7, 9
        o.ok(x, -128, 127, 1e-10, i8, note="extremes at both ends of many elements")
        out = [(f64, [1]), (i64, [1])]
        o.bad(rand(0), 0, 255, 1e-10, u8, out=out, note="empty")
        o.bad(rand(3), 5, 255, 1e-10, u8, out=out, note="the range lacks 0")
        o.bad(rand(3), 0, 0, 1e-10, u8, out=out, note="empty range")
        o.bad(rand(3, dt=f64), 0, 255, 1e-10, u8, out=out, note="float64 input")
        o.bad(rand(3), 0, 255, 1e-10, i64, out=out, note="int64 is not a quantized dtype")
        o.bad(rand(3), 0, 255, 1e-10, u8, out=[(f32, [1]), (i64, [1])], note="scale of another dtype")
        o.bad(rand(3), 0, 255, 1e-10, u8, out=[(f64, [1]), (i32, [1])], note="zero point of another dtype")


def choose_qparams_per_token():
    outs = ("scale_out", "zero_point_out")
    for like in (QD.choose_qparams_per_token_asymmetric.default, QD.choose_qparams_per_token.default):
        o = Operator(like.name() + ".out", like, outs)
        types = (f64, i64)  # as the exporter plans them
        for dt in (*FLOATS, f64):
            for name, x in extremes(dt):
                o.ok(x, i8, note=f"{dt} {name}", out_types=types)
        for shape in ([9], [1, 8], [2, 3, 5], [2, 2, 2, 6], [2, 3, 4, 5], [0, 5]):
            for name, x in layouts(*shape, make=lambda *s: rand(*s)):
                o.ok(x, i8, note=f"{shape} {name}", out_types=types)
        o.ok(rand(66, 320), i8, note="many rows", out_types=types)
        out = [(f64, [3, 1]), (i64, [3, 1])]
        o.bad(ints(3, 4), i8, out=out, note="integer input")
        o.bad(rand(3, 0), i8, out=out, note="empty rows")
        o.bad(rand(), i8, out=[(f64, [1]), (i64, [1])], note="no dimension")
    o.ok(rand(3, 5), i8, note="dtypes of eager")
    o.bad(rand(3, 4), u8, out=out, note="only int8 is defined")


def training():
    o = Operator("quantized_decomposed::fake_quant_per_channel.out", QD.fake_quant_per_channel.default)
    for s, z in itertools.product((f32, f64), (i32, i64)):
        for axis in (0, 1, 2):
            o.ok(rand(2, 3, 5, lo=-20, hi=20), *channel_params([2, 3, 5][axis], s, z), axis, -128, 127, note=f"axis {axis} {s} {z}")
    o.ok(specials().repeat(2, 1), torch.tensor([1.0, 0.5]), torch.tensor([0, 3]), 0, -128, 127, note="specials")
    o.bad(rand(2, 3, dt=f16), *channel_params(3), 1, -128, 127, out=[(f32, [2, 3])], note="float16 input")
    o.bad(rand(2, 3), *channel_params(3), 2, -128, 127, out=[(f32, [2, 3])], note="axis out of range")
    o = Operator("quantized_decomposed::convert_element_type.no_fuse_out", QD.convert_element_type.no_fuse)
    for a, b in itertools.product((f32, f16, bf16, f64, i8, u8, i32, i64), repeat=2):
        o.ok(rand(3, 7, lo=0, hi=100).to(a), b, note=f"{a} to {b}")
    o.ok(rand(2, 3, 4, 5).contiguous(memory_format=torch.channels_last), f16, note="channels_last")
    o.bad(rand(3), f16, out=[(bf16, [3])], note="out of another dtype")


def torchao():
    from torchao.quantization import quant_primitives  # noqa: F401, defines the operators
    AO = torch.ops.torchao
    o = Operator("torchao::quantize_affine.out", AO.quantize_affine.default)
    blocks = (([3, 12], [1, 4]), ([3, 12], [3, 12]), ([3, 12], [1, 12]), ([3, 12], [3, 1]), ([3, 12], [1, 1]), ([2, 4, 6, 2], [2, 2, 3, 1]),
              ([2, 4, 6, 2], [1, 4, 6, 2]), ([2, 4, 6, 2], [2, 1, 6, 2]), ([12], [4]), ([12], [12]))

    def grid(shape, block):
        return [a // b for a, b in zip(shape, block)]

    for (shape, block), x, (s, z) in itertools.product(blocks, FLOATS, ((f32, i32), (f64, i64), (bf16, f32))):
        n = math.prod(grid(shape, block))
        o.ok(rand(*shape, dt=x, lo=-9, hi=9), block, *token_params([n], s, z), i8, -8, 7, note=f"{shape} in {block}, {x}, {s}, {z}")
    x = rand(2, 4, 6, 2).contiguous(memory_format=torch.channels_last)
    for dt in (u8, i8, i16, i32):
        o.ok(rand(3, 12, lo=-9, hi=9), [1, 4], *token_params([3, 3], f32, i32), dt, note=f"range of {dt}")
    out = [(i8, [3, 12])]
    o.bad(rand(3, 12), [1, 5], *token_params([9]), i8, -8, 7, out=out, note="blocks do not divide")
    o.bad(rand(3, 12), [12], *token_params([9]), i8, -8, 7, out=out, note="too few block sizes")
    o.bad(rand(3, 12), [1, 4], *token_params([8]), i8, -8, 7, out=out, note="number of scales")
    o.bad(rand(3, 12), [1, 4], *token_params([9]), i8, -8, 200, out=out, note="range")

    o = Operator("torchao::dequantize_affine.out", AO.dequantize_affine.default)
    for (shape, block), (s, z), out in itertools.product(blocks, ((f32, i32), (f64, i64), (bf16, f32), (f32, None)), FLOATS):
        n = math.prod(grid(shape, block))
        scales, zps = token_params([n], s, z or i64)
        o.ok(ints(*shape), block, scales, zps if z else None, i8, -128, 127, out, note=f"{shape} in {block}, {s}, {z}, to {out}")
    for dt in (u8, i16, i32):
        o.ok(ints(3, 12, dt=dt), [1, 4], *token_params([3, 3], f32, i32), dt, note=f"{dt}")
    o.bad(ints(3, 12), [1, 4], *token_params([9]), u8, out=[(f32, [3, 12])], note="the input is not of the dtype named")

    o = Operator("torchao::choose_qparams_affine.out", AO.choose_qparams_affine.default, ("scale_out", "zero_point_out"))
    for mapping, x, (shape, block), keep in itertools.product(("SYMMETRIC", "SYMMETRIC_NO_CLIPPING_ERR", "ASYMMETRIC"), FLOATS, blocks, (False, True)):
        if keep and max(block) == 1:
            continue  # eager fails
        o.ok(rand(*shape, dt=x), mapping, block, i8, -8, 7, keepdim=keep, note=f"{mapping} {x} {shape} in {block} {keep}")
    for mapping in ("SYMMETRIC", "SYMMETRIC_NO_CLIPPING_ERR", "ASYMMETRIC"):
        for name, x in extremes(f32):
            o.ok(x, mapping, [1, x.shape[1]], i8, -128, 127, 1e-6, f64, i32, note=f"{mapping} {name}")
        o.ok(rand(66, 320), mapping, [1, 32], i8, None, None, None, f32, i64, note=f"{mapping} many groups")
    out = [(f32, [3]), (i32, [3])]
    o.bad(rand(3, 12), "OTHER", [1, 12], i8, out=out, note="unknown mapping")
    o.bad(None, "ASYMMETRIC", [1, 12], i8, out=out, note="no input")
    o.bad(rand(3, 12), "ASYMMETRIC", [1, 5], i8, out=out, note="blocks do not divide")


def embedding(bits, name):
    low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    per = 8 // bits
    base = "(Tensor weight, Tensor scales, Tensor? zero_points, int quant_min, int quant_max, Tensor indices"

    def unpack(w, quant_min):
        if bits == 8:
            return w
        shifts = (4, 0) if bits == 4 else (0, 2, 4, 6)
        parts = [(w.to(i32) >> s) & ((1 << bits) - 1) for s in shifts]
        return (torch.stack(parts, -1).reshape(w.shape[0], -1) + quant_min).to(i8)

    def compute(weight, scales, zero_points, quant_min, quant_max, indices, dtype=None):
        w = unpack(weight, quant_min)
        groups = scales.shape[1] if scales.dim() == 2 else 1
        table = QD.dequantize_per_channel_group(w, scales, zero_points, quant_min, quant_max, w.dtype, w.shape[1] // groups,
                                                dtype or scales.dtype)
        return table[indices.long()]

    def weight(rows, columns, dt=None):
        return ints(rows, columns // per, dt=dt or (i8 if bits == 8 else u8))

    for overload, extra in (("out", ""), ("dtype_out", ", *, ScalarType? dtype=None")):
        schema = torch._C.parse_schema(f"quantized_decomposed::{name}.{overload}{base}{extra}) -> Tensor")
        o = Operator(f"quantized_decomposed::{name}.{overload}", schema, compute=compute)
        for s, z, groups, ix in itertools.product(FLOATS, (None, 0, f32, i32), (None, 2, 4), (i32, i64)):
            shape = [7] if groups is None else [7, groups]
            zps = None if z is None else rand(*shape, lo=-5, hi=5, dt=s) if z == 0 else ints(*shape, dt=i32, lo=-4, hi=4).to(z)
            o.ok(weight(7, 48), rand(*shape, dt=s, lo=0.01, hi=0.2), zps, low, high, ints(5, dt=i32, lo=0, hi=6).to(ix),
                 note=f"scales {s}, zero points {s if z == 0 else z}, {groups} groups, {ix}")
        for columns in (4, 8, 12, 16, 28, 36, 60, 64, 68, 252, 256, 260, 516):
            o.ok(weight(3, columns), rand(3, lo=0.01, hi=0.2), None, low, high, torch.tensor([2, 0]), note=f"{columns} columns")
        for shape in ([], [0], [2, 3], [1, 2, 2]):
            o.ok(weight(9, 32), rand(9, lo=0.01, hi=0.2), None, low, high, ints(*shape, dt=i32, lo=0, hi=8).to(i64), note=f"indices {shape}")
        o.ok(weight(9, 36), rand(9, 4, lo=0.01, hi=0.2), None, low, high, torch.tensor([8, 1]), note="groups of 9")
        o.ok(weight(40, 256), rand(40, 8, lo=0.01, hi=0.2), None, low, high, ints(70, dt=i32, lo=0, hi=39).to(i64), note="many")
        if bits == 8:
            o.ok(weight(6, 16, u8), rand(6, lo=0.01, hi=0.2), torch.full([6], 128.0), 0, 255, torch.tensor([5, 0]), note="uint8")
        else:
            o.ok(weight(6, 16), rand(6, lo=0.01, hi=0.2), None, 0, high - low, torch.tensor([5, 0]), note="stored from 0 on")
        if extra:
            for s, out in itertools.product(FLOATS, (*FLOATS, f64)):
                o.ok(weight(6, 16), rand(6, dt=s, lo=0.01, hi=0.2), rand(6, dt=s), low, high, torch.tensor([5, 0]), dtype=out, note=f"{s} to {out}")
        w, s, one, out = weight(6, 16), rand(6, lo=0.01, hi=0.2), torch.tensor([1]), [(f32, [1, 16])]
        o.bad(w, s, None, low, high, torch.tensor([6]), out=out, note="index too large")
        o.bad(w, s, None, low, high, torch.tensor([-1]), out=out, note="negative index")
        o.bad(w, s, None, low, high, torch.tensor([1.0]), out=out, note="floating indices")
        o.bad(w, rand(5), None, low, high, one, out=out, note="number of scales")
        o.bad(w, s, rand(5), low, high, one, out=out, note="number of zero points")
        o.bad(w, rand(6, 3), None, low, high, one, out=out, note="groups do not divide the row")
        o.bad(w, s, None, low, high, one, out=[(i32, [1, 16])], note="integer out")
        o.bad(w.float(), s, None, low, high, one, out=out, note="floating weight")
        if bits != 8:
            o.bad(w, s, None, low, high + 1, one, out=out, note="range of more bits")


def sums():
    one = "Tensor {0}, float {0}_scale, int {0}_zero_point, int {0}_quant_min, int {0}_quant_max, "
    out = "float out_scale, int out_zero_point, int out_quant_min, int out_quant_max"

    def dequantize(x, scale, zp):
        return QD.dequantize_per_tensor(x, scale, zp, *FULL[x.dtype], x.dtype)

    def add(a, sa, za, _0, _1, b, sb, zb, _2, _3, so, zo, lo, hi, relu=False):
        s = dequantize(a, sa, za) + dequantize(b, sb, zb)
        return QD.quantize_per_tensor(s.relu() if relu else s, so, zo, lo, hi, a.dtype)

    for name in ("add", "add_relu"):
        schema = torch._C.parse_schema(f"q::{name}.out({one.format('a')}{one.format('b')}{out}) -> Tensor")
        o = Operator(f"quantized_decomposed::{name}.out", schema, compute=lambda *v, r=name == "add_relu": add(*v, relu=r))
        for dt in FULL:
            lim = dict(dt=dt) if dt is not i32 else dict(dt=dt, lo=-1000, hi=1000)
            for lo, hi in (FULL[dt], NARROW[dt]):
                o.ok(ints(3, 77, **lim), 0.05, 3, *FULL[dt], ints(3, 77, **lim), 0.07, 5, *FULL[dt], 0.113, 9, lo, hi, note=f"{dt} [{lo}, {hi}]")
        for a, b in (([3, 4], [1, 4]), ([3, 4], [4]), ([2, 1, 3], [5, 1]), ([], [3]), ([2, 3], []), ([0, 3], [1, 3]), ([2, 3, 4, 5], [1, 3, 1, 1])):
            o.ok(ints(*a), 0.05, 3, -128, 127, ints(*b), 0.5, 5, -128, 127, 0.125, 1, -128, 127, note=f"{a} and {b}: ties")
        x = ints(2, 3, 4, 5).contiguous(memory_format=torch.channels_last)
        o.ok(x, 0.05, 3, -128, 127, ints(2, 3, 4, 5).contiguous(memory_format=torch.channels_last), 0.5, 5, -128, 127, 0.2, 1, -128, 127, note="channels_last")
        o.ok(ints(LARGE, dt=u8), 0.05, 3, 0, 255, ints(LARGE, dt=u8), 0.03, 128, 0, 255, 0.061, 7, 0, 255, note="many elements")
        rest, o8 = (0.1, 0, -128, 127, 0.1, 0, -128, 127), [(i8, [3])]
        o.bad(ints(3), 0.1, 0, -128, 127, ints(4), *rest, out=o8, note="shapes differ")
        o.bad(ints(3), 0.1, 0, -128, 127, ints(3, dt=u8), *rest, out=o8, note="dtypes differ")
        o.bad(ints(3), 0.1, 0, -128, 127, ints(3), 0.1, 0, -128, 127, 0.0, 0, -128, 127, out=o8, note="scale 0")
        o.bad(ints(3), 0.1, 0, -128, 127, ints(3), 0.1, 0, -128, 127, 0.1, 0, -128, 128, out=o8, note="range")
        o.bad(rand(3), 0.1, 0, -128, 127, rand(3), *rest, out=o8, note="floating inputs")
    schema = torch._C.parse_schema(f"q::add.scalar_out({one.format('a')}ScalarType a_dtype, Scalar b, {out}, ScalarType out_dtype) -> Tensor")
    o = Operator("quantized_decomposed::add.scalar_out", schema, compute=lambda a, s, z, _0, _1, t, b, so, zo, lo, hi, to:
                 QD.quantize_per_tensor(dequantize(a, s, z) + b, so, zo, lo, hi, to))
    for dt, b in itertools.product((u8, i8), (2, 0.3, -1.75)):
        o.ok(ints(3, 19, dt=dt), 0.05, 3, *FULL[dt], dt, b, 0.113, 9, *FULL[dt], dt, note=f"{dt} and {b}")
    o.bad(ints(3), 0.05, 3, -128, 127, u8, 1, 0.1, 0, -128, 127, i8, out=[(i8, [3])], note="the input is not of the dtype named")


def products():
    base = "(Tensor input, Tensor weight, Tensor weight_scales, Tensor? weight_zero_points"

    def rows(w, s, z):  # dequantized in float64, one scale per group of a row
        groups = s.shape[1] if s.dim() == 2 else 1
        s = s.to(f64).reshape(w.shape[0], groups, 1)
        z = 0.0 if z is None else z.to(f64).reshape(w.shape[0], groups, 1)
        return ((w.to(f64).reshape(w.shape[0], groups, w.shape[1] // groups) - z) * s).reshape(w.shape)

    def close(t):
        return {f32: 2e-5, f16: 2e-3, bf16: 2e-2}[t]

    schema = torch._C.parse_schema(f"q::mixed_mm.out{base}) -> Tensor")
    o = Operator("quantized_decomposed::mixed_mm.out", schema, compute=lambda x, w, s, z: (x.to(f64) @ rows(w, s, z)).to(x.dtype))
    for t, (m, k, n), z in itertools.product(FLOATS, ((1, 8, 4), (3, 17, 9), (9, 64, 33), (2, 70, 257), (1, 0, 3), (0, 4, 3)), (False, True)):
        o.ok(rand(m, k, dt=t, lo=-1, hi=1), ints(k, n), rand(k, dt=t, lo=1e-4, hi=1e-3), rand(k, dt=t) if z else None, atol=close(t), note=f"{t} {m}x{k}x{n}")
    out = [(f32, [2, 3])]
    o.bad(rand(2, 4), ints(5, 3), rand(5), None, out=out, note="inner sizes differ")
    o.bad(rand(2, 4), ints(4, 3), rand(3), None, out=out, note="number of scales")
    o.bad(rand(2, 4), rand(4, 3), rand(4), None, out=out, note="floating weight")
    o.bad(rand(4), ints(4, 3), rand(4), None, out=out, note="not a matrix")
    schema = torch._C.parse_schema(f"q::mixed_linear.out{base}, ScalarType? dtype=None) -> Tensor")
    o = Operator("quantized_decomposed::mixed_linear.out", schema,
                 compute=lambda x, w, s, z, dtype: (x.to(f64) @ rows(w, s, z).t()).to(dtype or x.dtype))
    for t, (m, k, n), g in itertools.product(FLOATS, ((1, 8, 4), (3, 18, 9), (9, 64, 33), (2, 600, 17), (0, 4, 3)), (None, 1, 2)):
        shape = [n] if g is None else [n, g]
        zps = rand(*shape, dt=t) if g == 2 else None
        o.ok(rand(m, k, dt=t, lo=-1, hi=1), ints(n, k), rand(*shape, dt=t, lo=1e-4, hi=1e-3), zps, atol=close(t), note=f"{t} {m}x{k}x{n}, {g} groups")
    for a, b in itertools.product(FLOATS, repeat=2):
        o.ok(rand(2, 8, dt=a, lo=-1, hi=1), ints(3, 8), rand(3, dt=a, lo=1e-4, hi=1e-3), None, b, atol=max(close(a), close(b)), note=f"{a} to {b}")
    o.bad(rand(2, 4), ints(3, 5), rand(3), None, out=out, note="inner sizes differ")
    o.bad(rand(2, 4), ints(3, 4), rand(4), None, out=out, note="number of scales")
    o.bad(rand(2, 4), ints(3, 4), rand(3, 3), None, out=out, note="groups do not divide the row")
    o.bad(rand(2, 4), rand(3, 4), rand(3), None, out=out, note="floating weight")


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--out", required=True, help="directory to write to")
    args = ap.parse_args()
    for make in (quantize_per_tensor, quantize_per_tensor_by_tensors, quantize_per_channel, quantize_per_token, quantize_per_channel_group,
                 dequantize_per_tensor, dequantize_per_tensor_by_tensors, dequantize_per_channel, dequantize_per_token,
                 dequantize_per_channel_group, choose_qparams, choose_qparams_per_token, training, torchao, sums, products):
        make()
    for bits, name in ((8, "embedding_byte"), (4, "embedding_4bit"), (2, "embedding_2bit")):
        embedding(bits, name)
    os.makedirs(args.out, exist_ok=True)
    with open(os.path.join(args.out, "index.tsv"), "w") as index:
        index.write("# operator\tfile stem\trows\n")
        for name, o in sorted(Operator.all.items()):
            stem = name.replace("::", "__")
            index.write(f"{name}\t{stem}\t{len(o.lines)}\n")
            with open(os.path.join(args.out, stem + ".jsonl"), "w") as f:
                f.writelines(json.dumps(line, separators=(",", ":")) + "\n" for line in o.lines)
            with open(os.path.join(args.out, stem + ".raw"), "wb") as f:
                f.write(o.raw)
    print(sum(len(o.lines) for o in Operator.all.values()), "rows,", sum(len(o.raw) for o in Operator.all.values()), "bytes of tensors")


if __name__ == "__main__":
    main()
