"""Networks of Keras with random weights, written by tf2onnx."""


def tanh_gelu(x):
    """The form that tf2onnx has: its Erfc is no operator of ONNX."""
    from tensorflow import keras
    return keras.activations.gelu(x, approximate=True)


def network(name):
    from tensorflow import keras
    layers = keras.layers
    words = keras.Input((24,), dtype="int32")
    if name == "dense":
        return keras.Sequential([keras.Input((64,)), layers.Dense(128, activation="relu"), layers.BatchNormalization(), layers.Dense(10, activation="softmax")])
    if name == "convolutions":
        return keras.Sequential([keras.Input((64, 64, 3)), layers.Conv2D(32, 3, padding="same", activation="relu"), layers.MaxPooling2D(),
                                 layers.Conv2D(64, 3, strides=2, padding="same", activation="swish"), layers.GlobalAveragePooling2D(), layers.Dense(10)])
    if name == "separable":
        return keras.applications.MobileNetV2((96, 96, 3), alpha=0.35, weights=None, classes=10)
    table = layers.Embedding(1000, 64)(words)
    if name == "lstm":
        return keras.Model(words, layers.Dense(5)(layers.LSTM(64)(table)))
    if name == "bidirectional gru":
        return keras.Model(words, layers.Dense(5)(layers.Bidirectional(layers.GRU(32, return_sequences=True))(table)))
    mixed = layers.LayerNormalization()(table + layers.MultiHeadAttention(4, 16)(table, table))
    return keras.Model(words, layers.LayerNormalization()(mixed + layers.Dense(64)(layers.Dense(256, activation=tanh_gelu)(mixed))))


def write(path, name):
    import tensorflow
    import tf2onnx
    tensorflow.random.set_seed(0)
    model = network(name)
    kinds = [tensorflow.TensorSpec([None, *each.shape[1:]], each.dtype, name=f"x{i}") for i, each in enumerate(model.inputs)]
    call = tensorflow.function(lambda *values: model(values[0] if len(values) == 1 else values), input_signature=kinds)
    tf2onnx.convert.from_function(call, input_signature=kinds, opset=17, output_path=path)
