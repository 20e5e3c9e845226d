"""Recurrent layers, and control flow."""

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
# steps, rows, inputs, units, directions
LAYERS = [(20, 1, 64, 64, 1), (100, 1, 128, 128, 1), (50, 1, 80, 256, 2), (26, 1, 512, 256, 2), (50, 8, 128, 128, 1), (30, 16, 256, 256, 1), (1, 1, 512, 512, 1),
          (200, 1, 40, 64, 2)]


def recurrent(kind, steps, rows, inputs, units, directions):
    def write(net):
        gates = GATES[kind] * units
        weights = [net.weight((directions, gates, inputs), low=-0.1, high=0.1), net.weight((directions, gates, units), low=-0.1, high=0.1),
                   net.weight((directions, 2 * gates), low=-0.1, high=0.1)]
        more = {"linear_before_reset": 1} if kind == "GRU" else {}
        values = net.op(kind, net.input((steps, rows, inputs)), *weights, results=3 if kind == "LSTM" else 2, hidden_size=units,
                        direction="bidirectional" if directions == 2 else "forward", **more)
        for each in values:
            net.result(each)
    return write


def cases():
    for kind in GATES:
        for layer in LAYERS:
            yield f"{kind.lower()}_{'x'.join(map(str, layer))}", recurrent(kind, *layer)
