#!/usr/bin/env python3
"""Writes programs in which calls follow each other that a kernel may run as one.

    python make_fused_models.py OUT_DIR

A folder per case, in the format of models/FORMAT.md; the expected outputs are
those of eager PyTorch (needs torch and the exporter of executorch).
"""
import pathlib
import sys

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge
from executorch.exir.passes import MemoryPlanningPass

torch.manual_seed(7)


def norm(kind, channels, **options):
    """A batch norm with statistics that are not those of a new one."""
    layer = kind(channels, **options)
    with torch.no_grad():
        layer.running_mean.uniform_(-1, 1)
        layer.running_var.uniform_(0.2, 2)
        if layer.affine:
            layer.weight.uniform_(-1.5, 1.5)
            layer.bias.uniform_(-1, 1)
    return layer


class Chains(nn.Module):
    """Each layer list runs on its own input; all results are outputs."""

    def __init__(self, *chains):
        super().__init__()
        self.chains = nn.ModuleList(nn.Sequential(*c) for c in chains)

    def forward(self, *inputs):
        return tuple(c(x) for c, x in zip(self.chains, inputs))


class Clamp(nn.Module):
    def __init__(self, low=None, high=None):
        super().__init__()
        self.low, self.high = low, high

    def forward(self, x):
        return torch.clamp(x, self.low, self.high)


def image(channels, size=9, batch=2):
    return torch.randn(batch, channels, size, size)


def activations():
    tails = [[nn.ReLU()], [nn.ReLU6()], [nn.Hardtanh(-0.5, 0.25)], [Clamp(low=-0.3)], [Clamp(high=0.4)],
             [Clamp(2, 1)], [nn.ReLU(), Clamp(high=1)], [nn.Hardswish()], [nn.ReLU(), nn.BatchNorm2d(6)], []]
    return Chains(*([nn.Conv2d(3, 6, 3, bias=i % 2 == 0), norm(nn.BatchNorm2d, 6)] + t for i, t in enumerate(tails))), \
        [image(3) for _ in tails]


def convolutions():
    return Chains(
        [nn.Conv2d(8, 5, 1), norm(nn.BatchNorm2d, 5), nn.ReLU6()],
        [nn.Conv2d(6, 6, 3, padding=1, groups=6), norm(nn.BatchNorm2d, 6), nn.ReLU6()],
        [nn.Conv2d(6, 12, 3, stride=2, groups=6, bias=False), norm(nn.BatchNorm2d, 12), nn.ReLU()],
        [nn.Conv2d(6, 8, 3, groups=2), norm(nn.BatchNorm2d, 8), nn.ReLU()],
        [nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1), norm(nn.BatchNorm2d, 6), nn.ReLU()],
        [nn.ConvTranspose2d(4, 3, 5, stride=5), norm(nn.BatchNorm2d, 3), nn.ReLU()],
        [nn.Conv1d(3, 7, 5, dilation=2), norm(nn.BatchNorm1d, 7, affine=False), nn.ReLU()],
        [nn.Conv3d(2, 4, 2), norm(nn.BatchNorm3d, 4, eps=0.1), nn.ReLU()],
        [nn.Conv2d(300, 20, 1), norm(nn.BatchNorm2d, 20), nn.ReLU()],
        [nn.Conv2d(4, 4, 3), nn.ReLU()],
    ), [image(8), image(6), image(6), image(6), image(4), image(4, 3), torch.randn(2, 3, 20), torch.randn(1, 2, 4, 5, 6),
        image(300, 5), image(4)]


class Kept(nn.Module):
    """Intermediate values that somebody else wants, and layers that only look alike."""

    def __init__(self):
        super().__init__()
        self.conv = nn.ModuleList(nn.Conv2d(4, 4, 3, padding=1) for _ in range(6))
        self.norm = nn.ModuleList(norm(nn.BatchNorm2d, 4) for _ in range(6))

    def forward(self, x, mean, image):
        twice = self.conv[0](x)
        as_output = self.conv[1](x)
        between = self.norm[2](self.conv[2](x))
        residual = torch.relu(self.norm[3](self.conv[3](x)) + x)
        given = F.batch_norm(self.conv[4](x), mean, mean.abs() + 1)
        no_batch = F.batch_norm(self.conv[5](image), torch.arange(5.0), torch.arange(5.0) + 1)
        return (self.norm[0](twice) * twice, as_output, torch.relu(self.norm[1](as_output)), torch.relu(between) + between,
                residual, given, no_batch)


def kept():
    return Kept(), [image(4), torch.randn(4), torch.randn(4, 5, 6)]


def no_numbers():
    """Infinities and NaNs keep their ways through limits and degenerate norms."""
    layers = [norm(nn.BatchNorm2d, 4, eps=0.0) for _ in range(3)]
    with torch.no_grad():
        layers[1].running_var[1] = 0
        layers[2].weight[2] = float("nan")
        layers[2].running_mean[0] = float("inf")
    x = image(2)
    x[0, 0, 4, 4], x[1, 1, 2, 3], x[1, 0, 8, 8] = float("inf"), float("nan"), -float("inf")
    return Chains(*([nn.Conv2d(2, 4, 3), n, nn.ReLU6()] for n in layers)), [x, image(2), image(2)]


def channels_last():
    model, inputs = convolutions()
    model.chains = model.chains[:4]
    return model.to(memory_format=torch.channels_last), [x.to(memory_format=torch.channels_last) for x in inputs[:4]]


def dynamic():
    size, batch = torch.export.Dim("size", min=5, max=17), torch.export.Dim("batch", min=1, max=4)
    model = Chains([nn.Conv2d(3, 4, 3, padding=1), norm(nn.BatchNorm2d, 4), nn.ReLU6(),
                    nn.Conv2d(4, 4, 3, groups=4), norm(nn.BatchNorm2d, 4), nn.ReLU()])
    runs = [[image(3, 17, 4)], [image(3, 5, 1)], [image(3, 11, 2)]]
    return model, runs, ({0: batch, 2: size, 3: size},)


class Weights(nn.Module):
    """Products with transposed constants, some of which others read too."""

    def __init__(self):
        super().__init__()
        self.one = nn.Linear(8, 6, bias=False)
        self.two = nn.Linear(6, 10)
        self.tied = nn.Parameter(torch.randn(10, 10))
        self.narrow = nn.Linear(8, 6, bias=False).half()

    def forward(self, x, row, half):
        y = self.two(torch.relu(self.one(x)))
        first, second = y.split(4, dim=-1)[:2]
        z = F.linear(y, self.tied) + first.sum() - second.sum()
        return (z, self.tied.t() * 2, self.one(row), torch.mm(z.reshape(-1, 10), self.tied.t().contiguous()),
                self.two(self.one(row)), self.narrow(half), torch.mm(self.one.weight.t(), self.two.weight.t()))


def weights():
    return Weights(), [torch.randn(2, 3, 8), torch.randn(1, 8), torch.randn(5, 8).half()]


def wide():
    """Convolutions whose input is the left operand of a product, with the points of a panel in one row and in two."""
    layers = [(nn.Conv2d(40, 64, 3, padding=1), image(40, 14, 1)), (nn.Conv2d(40, 64, 3, padding=1), image(40, 7, 1)),
              (nn.Conv2d(40, 48, 3, padding=1), image(40, 19, 1)), (nn.Conv2d(40, 64, 3, stride=2), image(40, 15)),
              (nn.Conv2d(80, 64, 3, dilation=2, groups=2), image(80, 11)), (nn.Conv2d(70, 96, 1), image(70, 14)),
              (nn.Conv2d(70, 96, 1), image(70, 17, 1)), (nn.Conv1d(60, 64, 5), torch.randn(3, 60, 32)),
              (nn.Conv3d(12, 64, 3), torch.randn(1, 12, 5, 6, 9)), (nn.ConvTranspose2d(64, 48, 3, stride=2), image(64, 7)),
              (nn.Conv2d(70, 64, (1, 9)), image(70, 16, 1).to(memory_format=torch.channels_last))]
    return Chains(*([layer] for layer, _ in layers)), [x for _, x in layers]


class AlikeConstants(nn.Module):
    """Computed constants that differ in the place of an index or the strides of an operand alone."""

    def __init__(self):
        super().__init__()
        self.register_buffer("cube", torch.randn(4, 4, 4))
        self.register_buffer("index", torch.tensor([3, 1, 0, 2]))
        self.square, self.other = nn.Parameter(torch.randn(4, 4)), nn.Parameter(torch.randn(4, 4))

    def forward(self, x):
        at, square = self.index, self.square
        return (x + self.cube[at], x + self.cube[:, at], x + self.cube[:, :, at], x + self.cube[at, :, at][:, None],
                x + self.cube[at, at][:, None], x + self.cube[:, at, at][:, None], x + torch.mm(square, self.other),
                x + torch.mm(square.t(), self.other), x + torch.mm(square, self.other.t()),
                x + torch.mm(square.t(), self.other.t()))


def alike_constants():
    return AlikeConstants(), [torch.randn(4, 4, 4)]


def gaps():
    """Transposed convolutions with results that no element of the kernel reaches."""
    return Chains(
        [nn.ConvTranspose1d(3, 5, 2, stride=4), nn.ReLU()],
        [nn.ConvTranspose2d(9, 21, (2, 1), (1, 3), (0, 2), (0, 1), groups=3, bias=False, dilation=(3, 1)), nn.ELU()],
        [nn.ConvTranspose2d(4, 4, 1, stride=3, groups=4), norm(nn.BatchNorm2d, 4)],
        [nn.ConvTranspose2d(4, 6, 3, stride=2, dilation=2, output_padding=1), nn.ReLU()],
        [nn.ConvTranspose3d(2, 3, (1, 2, 1), stride=(2, 3, 2)), norm(nn.BatchNorm3d, 3)],
    ), [torch.randn(1, 3, 20), torch.randn(1, 9, 13, 20).to(memory_format=torch.channels_last), image(4), image(4),
        torch.randn(1, 2, 4, 5, 6)]


UNPLANNED = MemoryPlanningPass(alloc_graph_input=False, alloc_graph_output=False)


class Returned(nn.Module):
    planning = UNPLANNED

    def forward(self, x, y):
        return x, x + y, y, x


def returned():
    """Outputs that are inputs, for which no memory is planned."""
    return Returned(), [torch.randn(2, 3), torch.randn(2, 3)]


class Viewed(nn.Module):
    planning = UNPLANNED

    def __init__(self):
        super().__init__()
        self.register_buffer("weight", torch.randint(-9, 9, (6, 8), dtype=torch.int8))
        self.register_buffer("kernel", torch.randint(-9, 9, (5, 2, 1, 1), dtype=torch.int8))

    def forward(self, x):
        return (F.linear(x.view(2, 8), self.weight.float() * 0.5), F.conv2d(x, self.kernel.float() * 0.25),
                torch.mm(x.view(8, 2).view(2, 8), (self.weight * 2).float().t()),
                F.conv2d(x.view(1, 2, 4, 2), self.kernel.float() * 0.125))


def viewed():
    """Views of an input without planned memory, with weights that are computed."""
    return Viewed(), [torch.randn(1, 2, 2, 4)]


class CopiedResults(nn.Module):
    """Copies of one result of a call that gives several, some of them in a list."""

    def forward(self, x):
        return (x.topk(3)[0].clone(), x.max(1)[0].clone(), x.split(2, 1)[0].clone(),
                x.unbind(0)[0].clone(), F.layer_norm(x, (8,)).clone(), torch.var_mean(x, 1)[0].clone(),
                F.group_norm(x, 2).clone(), F.max_pool2d(x.view(1, 4, 2, 4), 2).clone())


def copied_results():
    return CopiedResults(), [torch.randn(4, 8)]


class Copies(nn.Module):
    """Copies whose results may be shown where their arguments are."""

    def __init__(self):
        super().__init__()
        self.constant = nn.Parameter(torch.randn(2, 3, 4))
        self.mix = nn.Linear(12, 12)

    def forward(self, x, y):
        heads = (x + 1).view(2, 5, 3, 4).permute(0, 2, 1, 3).clone()
        twice = heads.clone().clone() * 2
        back = self.mix(heads.permute(0, 2, 1, 3).contiguous().view(2, 5, 12))
        scores = torch.matmul(heads, (twice * y).transpose(2, 3).contiguous())
        image = (heads - y).to(memory_format=torch.channels_last)
        squeezed = torch.exp(scores[:, :1]).clone().squeeze(1).unsqueeze(0).expand(1, 2, 5, 5)
        joined = torch.cat([(y + back.sum()).clone(), twice.clone(), (y * 2).clone()], 1)
        constant = self.constant.clone().unsqueeze(0) + y.mean()
        return (scores.clone(), back * 2, image.clone(memory_format=torch.preserve_format).sin(), squeezed * 2, joined, constant,
                image.mul(3).clone(memory_format=torch.preserve_format), torch.sin(y).permute(0, 1, 3, 2).contiguous())


def copies():
    return Copies(), [torch.randn(2, 5, 12), torch.randn(2, 3, 5, 4)]


class KeptCopies(nn.Module):
    """Copies that something would tell from their arguments."""

    def __init__(self):
        super().__init__()
        self.constant = nn.Parameter(torch.randn(4))
        self.register_buffer("state", torch.zeros(3, 4))
        self.register_buffer("count", torch.zeros(4))

    def forward(self, *inputs):
        x, y = inputs
        of_input, of_constant = x.clone(), self.constant.clone()
        before = self.state.clone()         # the state is written while this is an output
        self.state.mul_(0.5).add_(x)
        inner = self.state.clone()          # and while this is read
        self.state.add_(1)
        after = self.state.clone()
        counted = self.count.clone()
        self.count.add_(y.sum(0))
        output = torch.relu(x - y)          # an output by itself
        return of_input, of_constant, before, inner * y, after, output, output.clone(), counted + self.count.clone()


def kept_copies():
    return KeptCopies(), [[torch.randn(3, 4), torch.randn(3, 4)] for _ in range(3)], (None, None)


class Reordered(nn.Module):
    def forward(self, *inputs):
        (x,) = inputs
        y = (x * 2).permute(0, 2, 1).contiguous()
        z = torch.relu(y).clone() + y.clone()
        w = torch.cat([z.clone(), (z - 1).clone()], 1)
        return torch.tanh(w).permute(0, 2, 1).contiguous(), w.reshape(w.shape[0], -1).clone() * 3


def dynamic_copies():
    rows, batch = torch.export.Dim("rows", min=2, max=9), torch.export.Dim("batch", min=1, max=4)
    return Reordered(), [[torch.randn(4, 9, 3)], [torch.randn(1, 2, 3)], [torch.randn(3, 7, 3)]], ({0: batch, 1: rows},)


class Unplanned(nn.Module):
    """Results are in memory of the caller, which may be an input's."""

    planning = UNPLANNED

    def forward(self, x, y):
        early = (x + y).permute(1, 0).contiguous()
        late = torch.mm(x, y.t())
        return early, torch.relu(late + 1).permute(1, 0).contiguous(), torch.sigmoid(late).clone() * 2


def unplanned_copies():
    return Unplanned(), [torch.randn(4, 6), torch.randn(4, 6)]


class Branches(nn.Module):
    def forward(self, x):
        y = (x + 1).t().contiguous()
        z = torch.cond(x.sum() > 0, lambda t: t.t().contiguous() * 2, lambda t: t.t().contiguous() - 1, [y])
        return z.clone() * 3, y.clone() - 2


def copies_and_branches():
    return Branches(), [torch.randn(3, 4)]


class Written(nn.Module):
    """The exporter makes index_put write in place: to what was copied, and to a copy."""

    reinplace = True

    def forward(self, x, rows, v):
        one, two = torch.relu(x), torch.sigmoid(x)
        copied, copy = one.clone(), two.clone()
        return one.index_put((rows,), v) + 1, copied * 2, copy.index_put((rows,), v) - 1, two * 3, torch.exp(x).clone() - v.sum()


def written_copies():
    return Written(), [torch.randn(6, 4), torch.tensor([0, 3]), torch.randn(2, 4)]


class CopiesOfCopies(nn.Module):
    """Which the plan lets go in another order than that of the program."""

    def forward(self, *inputs):
        x, y = inputs
        a = torch.stack([x, y.clone()]).select(0, 1).clone()
        b = torch.stack([a, x.clone()]).select(0, 0).clone()
        c = b.clone()
        d = torch.relu(c.reshape(c.shape[0], 12, 4).clone().reshape(c.shape[0], 3, 4, 4))
        return b.clone(), d, c.unsqueeze(1).clone().squeeze(1), d.clone()


def copies_of_copies():
    batch = torch.export.Dim("batch", min=1, max=4)
    return CopiesOfCopies(), [[torch.randn(n, 3, 4, 4) for _ in range(2)] for n in (4, 1, 3)], ({0: batch}, {0: batch})


class Pools(nn.Module):
    """Maxima of which only some calls want the indices."""

    def forward(self, x, odd, last, half, whole, double):
        found, indices = F.max_pool2d(odd, 2, return_indices=True)
        return (F.max_pool2d(x, 3, 2, 1), F.max_pool2d(x, 2), F.max_pool2d(x, (1, 5), 1, (0, 2)), F.max_pool2d(odd, 3, 1, 1, 2),
                F.max_pool2d(odd, (4, 2), (3, 1), ceil_mode=True), F.max_pool2d(last, 3, 2), F.max_pool2d(half, 3, 2, 1),
                F.max_pool2d(whole, 2), F.max_pool2d(double, 3, 1, 1), found, indices)


def pools():
    x = torch.randn(1, 3, 24, 75)
    x[0, 0, :9, :9], x[0, 1, 5, 60], x[0, 2, 6:20, 3:60:7] = -float("inf"), float("inf"), float("nan")
    return Pools(), [x, image(3, 19), image(6, 17).to(memory_format=torch.channels_last), image(4, 11).half(),
                     torch.randint(-99, 99, (1, 2, 7, 8)), image(2).double()]


CASES = [activations, convolutions, kept, no_numbers, channels_last, dynamic, weights, wide, alike_constants, gaps, returned,
         copied_results, copies, kept_copies, dynamic_copies, unplanned_copies, copies_and_branches, written_copies,
         copies_of_copies, pools, viewed]


def write(out, make):
    model, runs, *shapes = make()
    runs = runs if shapes else [runs]
    model.eval()
    dynamic_shapes = {"inputs": shapes[0]} if shapes else None
    exported = torch.export.export(model, tuple(runs[0]), dynamic_shapes=dynamic_shapes, strict=False)
    folder = out / f"fused_{make.__name__}"
    folder.mkdir(parents=True, exist_ok=True)
    planning = getattr(model, "planning", MemoryPlanningPass())
    program = to_edge(exported, compile_config=EdgeCompileConfig(_check_ir_validity=False)).to_executorch(
        ExecutorchBackendConfig(memory_planning_pass=planning, run_reinplace_pass=hasattr(model, "reinplace")))
    (folder / "model.pte").write_bytes(program.buffer)
    lines = [f"case {folder.name}", "pte model.pte", "atol 1e-05", "rtol 1e-05"]
    for k, inputs in enumerate(runs):
        lines.append(f"run {k} forward")
        with torch.no_grad():
            outputs = model(*inputs)
        for kind, values in (("in", inputs), ("out", outputs)):
            for i, value in enumerate(values):
                name = f"{kind}_{k}_{i}.npy"
                dtype = str(value.dtype).removeprefix("torch.")
                np.save(folder / name, value.contiguous().numpy())
                order = f" dim_order {','.join(map(str, value.dim_order()))}" if not value.is_contiguous() else ""
                lines.append(f"{kind} tensor {dtype} {name}{order}")
    (folder / "case.txt").write_text("\n".join(lines) + "\n")


for case in CASES:
    write(pathlib.Path(sys.argv[1]), case)
