"""Tunes a model of PyTorch's, builds it, and runs it on torch tensors.

    from_torch.py [BUDGET]

Needs torch; its dynamo exporter (torch 2.5 or newer) needs onnxscript."""

import sys

import torch

import hone


def exported(model, example):
    """The model in a form that hone accepts: the program from the dynamo exporter, or the older exporter's file."""
    if hasattr(torch.onnx, "ONNXProgram"):
        return torch.onnx.export(model, (example,), dynamo=True)
    torch.onnx.export(model, (example,), "model.onnx", input_names=["image"])
    return "model.onnx"


def main(budget="30s"):
    torch.manual_seed(0)
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 32, 3, padding=1),
        torch.nn.BatchNorm2d(32),
        torch.nn.ReLU(),
        torch.nn.AdaptiveAvgPool2d(1),
        torch.nn.Flatten(),
        torch.nn.Linear(32, 10),
    ).eval()
    example = torch.rand(1, 3, 64, 64)
    onnx = exported(model, example)
    hone.tune(onnx, budget=budget)
    hone.build(onnx, "model.hone")
    net = hone.load("model.hone")
    with torch.no_grad():
        expected = model(example)
    # hone reads the tensor's memory directly, and the result is in numpy's memory.
    scores = torch.from_numpy(net(example))
    print(f"largest difference from torch: {(scores - expected).abs().max():.1e}")
    assert torch.allclose(scores, expected, atol=1e-5)


if __name__ == "__main__":
    main(*sys.argv[1:])
