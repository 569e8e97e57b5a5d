"""Makes the models of the speed tables, each as a .pte and as an .onnx twin.

    make_models.py FOLDER [NAME...]

Random weights with a fixed seed, nothing is downloaded. Needs torch, executorch
and onnx. tools/bench_peer.sh times what is made here. A new model is one row in
MODELS.
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


IMAGE = (1, 3, 224, 224)
MODELS = {
    "mobilenet_v2": (mobilenet_v2, IMAGE),
    "resnet18": (resnet18, IMAGE),
    "mlp_b1": (mlp, (1, 784)),
    "mlp_b32": (mlp, (32, 784)),
}


def make(folder, name):
    from executorch.exir import to_edge

    build, shape = MODELS[name]
    torch.manual_seed(0)
    net, example = build().eval(), (torch.randn(shape),)
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
