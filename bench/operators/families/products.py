"""Matrix products: dense layers, attention, decoding, batches, broadcasts, Einsum."""

# rows, depth, columns of a dense layer with stored weights
DENSE = [
    (1, 512, 1000), (1, 2048, 1000), (1, 4096, 4096), (1, 9216, 4096), (1, 768, 3072), (1, 3072, 768), (1, 64, 10), (1, 784, 128),
    (8, 512, 512), (16, 768, 768), (49, 768, 3072), (128, 768, 768), (128, 768, 3072), (128, 3072, 768), (197, 192, 576),
    (197, 768, 2304), (384, 1024, 1024), (512, 512, 512), (50, 64, 64), (1, 13, 7), (33, 65, 17), (1000, 256, 1), (3136, 96, 288),
    (3136, 96, 384), (196, 384, 1536), (8400, 64, 1), (1, 1, 4096), (256, 2, 64), (32, 4096, 32)]
# heads, queries, keys, depth
ATTENTION = [(12, 128, 128, 64), (12, 197, 197, 64), (8, 64, 64, 32), (16, 384, 384, 64), (3, 49, 49, 32), (12, 1, 128, 64),
             (12, 1, 1024, 64), (32, 1, 512, 128), (8, 100, 850, 32), (4, 1500, 1500, 16)]
# shape, shape
COMPUTED = [
    ((128, 64), (64, 128)), ((1, 512), (512, 1000)), ((512, 512), (512, 512)), ((512, 512), (512, 1)), ((1, 4096), (4096, 1)),
    ((16, 128, 64), (16, 64, 1)), ((64, 64, 64), (64, 64, 64)), ((8, 16, 32), (32, 64)), ((8, 128, 64), (1, 64, 128)),
    ((2, 8, 64, 64), (1, 1, 64, 64)), ((2, 8, 64, 64), (8, 64, 64)), ((64,), (64, 128)), ((128, 64), (64,)), ((3, 3), (3, 3)),
    ((1000, 3, 3), (1000, 3, 3)), ((1, 100, 256), (1, 256, 6400)), ((32, 1, 128), (32, 128, 256)), ((17, 33), (33, 65)),
    ((1, 19, 4096), (1, 4096, 256)), ((4, 1, 1), (4, 1, 512))]
EINSUM = [
    ("bhqd,bhkd->bhqk", (1, 12, 128, 64), (1, 12, 128, 64)), ("bqhd,bkhd->bhqk", (1, 128, 12, 64), (1, 128, 12, 64)),
    ("bhqk,bkhd->bqhd", (1, 12, 128, 128), (1, 128, 12, 64)), ("ij,jk->ik", (256, 256), (256, 256)), ("bij,bjk->bik", (8, 64, 64), (8, 64, 64)),
    ("i,j->ij", (512,), (512,)), ("bi,bi->b", (64, 512), (64, 512)), ("bct,cd->bdt", (1, 256, 400), (256, 128)),
    ("nchw,ck->nkhw", (1, 64, 56, 56), (64, 64)), ("bnd,bmd->bnm", (1, 300, 256), (1, 400, 256))]


def dense(m, k, n, transposed=False, bias=True, then=None):
    def write(net):
        weight = net.weight((n, k) if transposed else (k, n))
        value = net.op("Gemm", net.input((m, k)), weight, *([net.weight((n,))] if bias else []), transB=int(transposed))
        net.result(net.op(then, value) if then else value)
    return write


def product(a, b, stored=False):
    return lambda net: net.result(net.op("MatMul", net.input(a), net.weight(b) if stored else net.input(b)))


def scores(h, q, k, d):
    def write(net):
        queries, keys = net.input((1, q, h, d)), net.input((1, k, h, d))
        queries, keys = net.op("Transpose", queries, perm=[0, 2, 1, 3]), net.op("Transpose", keys, perm=[0, 2, 3, 1])
        net.result(net.op("Mul", net.op("MatMul", queries, keys), net.constant(d ** -0.5, "float32")))
    return write


def attention(h, q, k, d):
    def write(net):
        queries, keys, values = (net.input((1, h, length, d)) for length in (q, k, k))
        weights = net.op("MatMul", queries, net.op("Transpose", keys, perm=[0, 1, 3, 2]))
        weights = net.op("Softmax", net.op("Mul", weights, net.constant(d ** -0.5, "float32")), axis=-1)
        net.result(net.op("MatMul", weights, values))
    return write


def computed_gemm(m, k, n, a, b):
    def write(net):
        left, right = net.input((k, m) if a else (m, k)), net.input((n, k) if b else (k, n))
        net.result(net.op("Gemm", left, right, net.input((n,)), transA=a, transB=b))
    return write


def text(shape):
    return "x".join(map(str, shape))


def cases():
    for m, k, n in DENSE:
        yield f"gemm_{m}x{k}x{n}", dense(m, k, n)
        if k * n < 1 << 21:
            yield f"matmul_stored_{m}x{k}x{n}", product((1, m, k), (k, n), True)
    for m, k, n in DENSE[:8]:
        yield f"gemm_transposed_{m}x{k}x{n}", dense(m, k, n, transposed=True)
    for then in ("Relu", "Sigmoid", "Tanh"):
        yield f"gemm_then_{then.lower()}", dense(64, 256, 256, then=then)
    for shape in ATTENTION:
        yield f"scores_{text(shape)}", scores(*shape)
        yield f"attention_{text(shape)}", attention(*shape)
    for a, b in COMPUTED:
        yield f"matmul_{text(a)}_{text(b)}", product(a, b)
    for m, k, n in [(1, 512, 512), (16, 512, 512), (128, 256, 128)]:
        for a in (0, 1):
            for b in (0, 1):
                yield f"gemm_computed_{m}x{k}x{n}_{'t' if a else 'n'}{'t' if b else 'n'}", computed_gemm(m, k, n, a, b)
    for equation, a, b in EINSUM:
        name = equation.replace(",", "_").replace("->", "_")
        yield f"einsum_{name}", lambda net, e=equation, x=a, y=b: net.result(net.op("Einsum", net.input(x), net.input(y), equation=e))
