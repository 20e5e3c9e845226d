"""Networks of Paddle with random weights, written by paddle2onnx."""


def network(name):
    import paddle
    from paddle import nn
    if name == "convolutions":
        return paddle.vision.models.mobilenet_v3_small(num_classes=10), [None, 3, 96, 96]
    if name == "detection":
        return nn.Sequential(nn.Conv2D(3, 16, 3, 2, 1), nn.BatchNorm2D(16), nn.Hardswish(), nn.Conv2D(16, 24, 3, 2, 1), nn.Hardswish(),
                             nn.Upsample(scale_factor=2, mode="nearest"), nn.Conv2D(24, 8, 1), nn.Conv2DTranspose(8, 1, 2, 2), nn.Sigmoid()), [None, 3, None, None]
    if name == "gru":

        class Reader(nn.Layer):
            def __init__(self):
                super().__init__()
                self.layer, self.head = nn.GRU(48, 32, direction="bidirect"), nn.Linear(64, 10)

            def forward(self, x):
                return nn.functional.softmax(self.head(self.layer(x)[0]))

        return Reader(), [None, 24, 48]
    return nn.TransformerEncoder(nn.TransformerEncoderLayer(64, 4, 256), 2), [None, 24, 64]


def write(path, name):
    import paddle
    paddle.seed(0)
    model, shape = network(name)
    model.eval()
    stem = path[:-len(".onnx")]
    paddle.onnx.export(model, stem, input_spec=[paddle.static.InputSpec(shape, "float32", "x")], opset_version=13)
