"""Makes the models of the speed tables, each as a .pte and as an .onnx twin.

    make_models.py FOLDER [NAME...]

Random weights with a fixed seed, nothing is downloaded. Needs torch, executorch
and onnx. tools/bench_peer.sh times what is made here. A new model is one row in
MODELS: how it is built, and its inputs.
"""
import pathlib
import sys

import torch
from torch import nn


def conv(inputs, outputs, kernel, stride=1, groups=1, act=None):
    layers = [
        nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
        nn.BatchNorm2d(outputs),
    ]
    return nn.Sequential(*layers, *([act()] if act else []))


class Residual(nn.Module):
    """act(body(x) + shortcut(x)); without a shortcut the body alone."""

    def __init__(self, body, shortcut, act):
        super().__init__()
        self.body, self.shortcut, self.act = body, shortcut, act

    def forward(self, x):
        y = self.body(x)
        return self.act(y if self.shortcut is None else y + self.shortcut(x))


class Pooled(nn.Module):
    """Features, their mean over the image, and a classifier."""

    def __init__(self, features, channels):
        super().__init__()
        self.features, self.head = features, nn.Linear(channels, 1000)

    def forward(self, x):
        return self.head(self.features(x).mean((2, 3)))


def mobilenet_v2():
    stages = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]
    layers, channels = [conv(3, 32, 3, 2, act=nn.ReLU6)], 32
    for expansion, outputs, count, first_stride in stages:
        for i in range(count):
            stride, wide = (first_stride if i == 0 else 1), channels * expansion
            body = [conv(channels, wide, 1, act=nn.ReLU6)] if expansion > 1 else []
            body += [conv(wide, wide, 3, stride, wide, nn.ReLU6), conv(wide, outputs, 1)]
            same = stride == 1 and channels == outputs
            layers.append(Residual(nn.Sequential(*body), nn.Identity() if same else None, nn.Identity()))
            channels = outputs
    return Pooled(nn.Sequential(*layers, conv(channels, 1280, 1, act=nn.ReLU6)), 1280)


def resnet18():
    layers, channels = [conv(3, 64, 7, 2, act=nn.ReLU), nn.MaxPool2d(3, 2, 1)], 64
    for outputs, first_stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
        for stride in (first_stride, 1):
            body = nn.Sequential(conv(channels, outputs, 3, stride, act=nn.ReLU), conv(outputs, outputs, 3))
            same = stride == 1 and channels == outputs
            shortcut = nn.Identity() if same else conv(channels, outputs, 1, stride)
            layers.append(Residual(body, shortcut, nn.ReLU()))
            channels = outputs
    return Pooled(nn.Sequential(*layers), 512)


def mlp():
    return nn.Sequential(nn.Linear(784, 2048), nn.ReLU(), nn.Linear(2048, 1024), nn.ReLU(), nn.Linear(1024, 10))


class Block(nn.Module):
    """A layer of a transformer decoder: attention with a cache, and SwiGLU."""

    def __init__(self, width=768, heads=12, hidden=2048):
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.qkv, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)
        self.gate, self.up, self.down = (nn.Linear(*sizes, bias=False) for sizes in [(width, hidden)] * 2 + [(hidden, width)])

    def forward(self, x, past, mask):
        split = lambda t: t.unflatten(-1, (self.heads, -1)).transpose(1, 2)
        q, k, v = (split(t) for t in self.qkv(self.norms[0](x)).chunk(3, -1))
        k, v = torch.cat((past[0], k), 2), torch.cat((past[1], v), 2)
        scores = q @ k.transpose(2, 3) * (q.shape[-1] ** -0.5) + mask
        x = x + self.out((scores.softmax(-1) @ v).transpose(1, 2).flatten(2))
        y = self.norms[1](x)
        return x + self.down(nn.functional.silu(self.gate(y)) * self.up(y))


class Decoder(nn.Module):
    """The scores of the token behind `ids`, with what came before in `past`."""

    def __init__(self, layers=4, width=768, words=8192):
        super().__init__()
        self.embed, self.norm, self.head = nn.Embedding(words, width), nn.LayerNorm(width), nn.Linear(width, words, bias=False)
        self.blocks = nn.ModuleList(Block(width) for _ in range(layers))

    def forward(self, ids, past, mask):
        x = self.embed(ids)
        for i, block in enumerate(self.blocks):
            x = block(x, past[i], mask)
        return self.head(self.norm(x[:, -1:]))


def decoder_inputs(new, old):
    mask = torch.full((new, old + new), float("-inf")).triu(old + 1)
    return torch.zeros(1, new, dtype=torch.int64), torch.randn(4, 2, 1, 12, old, 64), mask


class Function(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


def normal(*shapes):
    return lambda: tuple(torch.randn(shape) for shape in shapes)


def function(f, *shapes):
    return lambda: Function(f), normal(*shapes)


MILLION = (1024, 1024)
IMAGE = (1, 3, 224, 224)
MODELS = {
    "mobilenet_v2": (mobilenet_v2, normal(IMAGE)),
    "resnet18": (resnet18, normal(IMAGE)),
    "decoder_decode": (Decoder, lambda: decoder_inputs(1, 127)),
    "decoder_prefill": (Decoder, lambda: decoder_inputs(64, 0)),
    "mlp_b1": (mlp, normal((1, 784))),
    "mlp_b32": (mlp, normal((32, 784))),
    # Single operators. To run only some: make_models.py FOLDER op_add op_mul
    "op_add": function(torch.add, MILLION, MILLION),
    "op_add_row": function(torch.add, MILLION, (1024,)),
    "op_add_column": function(torch.add, MILLION, (1024, 1)),
    "op_mul": function(torch.mul, MILLION, MILLION),
    "op_mul_scalar": function(lambda x: x * 0.125, MILLION),
    "op_relu": function(torch.relu, MILLION),
    "op_hardtanh": function(nn.functional.relu6, MILLION),
    "op_exp": function(torch.exp, MILLION),
    "op_sigmoid": function(torch.sigmoid, MILLION),
    "op_gelu": function(nn.functional.gelu, MILLION),
    "op_softmax": function(lambda x: x.softmax(-1), MILLION),
    "op_layer_norm": (lambda: nn.LayerNorm(1024), normal(MILLION)),
    "op_batch_norm": (lambda: nn.BatchNorm2d(64), normal((1, 64, 128, 128))),
    "op_mean_last": function(lambda x: x.mean(-1), MILLION),
    "op_mean_hw": function(lambda x: x.mean((2, 3)), (1, 1024, 32, 32)),
    "op_permute_2d": function(lambda x: x.permute(1, 0).contiguous(), MILLION),
    "op_permute_heads": function(lambda x: x.permute(0, 2, 1, 3).contiguous(), (1, 1024, 16, 64)),
    "op_permute_nhwc": function(lambda x: x.permute(0, 2, 3, 1).contiguous(), (1, 64, 128, 128)),
    "op_cat": function(lambda x, y: torch.cat((x, y), -1), (1024, 512), (1024, 512)),
    "op_mm_256": function(torch.mm, (256, 256), (256, 256)),
    "op_bmm_12x64x64x128": function(torch.bmm, (12, 64, 64), (12, 64, 128)),
    "op_linear_1x1024x1024": (lambda: nn.Linear(1024, 1024), normal((1, 1024))),
    "op_linear_32x1024x1024": (lambda: nn.Linear(1024, 1024), normal((32, 1024))),
    "op_linear_256x1024x1024": (lambda: nn.Linear(1024, 1024), normal((256, 1024))),
    "op_conv1x1_24_144_56": (lambda: nn.Conv2d(24, 144, 1), normal((1, 24, 56, 56))),
    "op_conv1x1_320_1280_7": (lambda: nn.Conv2d(320, 1280, 1), normal((1, 320, 7, 7))),
    "op_conv3x3_64_64_56": (lambda: nn.Conv2d(64, 64, 3, 1, 1), normal((1, 64, 56, 56))),
    "op_conv3x3_256_256_14": (lambda: nn.Conv2d(256, 256, 3, 1, 1), normal((1, 256, 14, 14))),
    "op_conv7x7s2_3_64_224": (lambda: nn.Conv2d(3, 64, 7, 2, 3), normal(IMAGE)),
    "op_conv3x3dw_144_56": (lambda: nn.Conv2d(144, 144, 3, 1, 1, groups=144), normal((1, 144, 56, 56))),
    "op_max_pool_64_112": (lambda: nn.MaxPool2d(3, 2, 1), normal((1, 64, 112, 112))),
    "op_avg_pool_64_112": (lambda: nn.AvgPool2d(3, 2, 1), normal((1, 64, 112, 112))),
    "op_embedding_256x768": (
        lambda: nn.Embedding(8192, 768),
        lambda: (torch.randint(0, 8192, (256,)),),
    ),
}


def make(folder, name):
    from executorch.exir import to_edge

    build, inputs = MODELS[name]
    torch.manual_seed(0)
    net, example = build().eval(), inputs()
    program = to_edge(torch.export.export(net, example)).to_executorch()
    (folder / f"{name}.pte").write_bytes(program.buffer)
    torch.onnx.export(net, example, folder / f"{name}.onnx", dynamo=False, opset_version=17)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[2:] or MODELS:
        if name not in MODELS:
            sys.exit(f"there is no model {name}; models: {', '.join(MODELS)}")
        make(folder, name)


if __name__ == "__main__":
    main()
