"""Draws products, also quantised ones, and einsum."""
from drawing import FLOAT, numpy


def matmul(m):
    dtype = m.one_of([FLOAT, FLOAT, FLOAT, numpy.int32, numpy.int64])
    depth, rows, columns = (m.between(1, 6) for _ in range(3))
    batch = m.shape(0, 2)
    a = ([1 if m.chance(30) else d for d in batch] + [rows, depth]) if m.chance(85) else [depth]
    b = (batch[m.between(0, len(batch)):] + [depth, columns]) if m.chance(85) else [depth]
    m.node("MatMul", [m.given(m.values(a, dtype)), m.given(m.values(b, dtype), 50)])


def gemm(m):
    depth, rows, columns = (m.between(1, 6) for _ in range(3))
    turn_a, turn_b = m.between(0, 1), m.between(0, 1)
    a = m.values([depth, rows] if turn_a else [rows, depth])
    b = m.values([columns, depth] if turn_b else [depth, columns])
    inputs = [m.given(a, 5), m.given(b, 60)]
    if m.chance(60):
        inputs.append(m.given(m.values(m.one_of([[columns], [rows, 1], [rows, columns], [1], [], [1, columns]])), 60))
    m.node("Gemm", inputs, transA=turn_a, transB=turn_b, alpha=m.one_of([None, 0.5]), beta=m.one_of([None, 2.0, 0.0]))


EQUATIONS = ("ij,jk->ik", "bij,bjk->bik", "ij->ji", "ij->", "ij->j", "i,j->ij", "bhid,bhjd->bhij", "ij,ij->i", "bij,kj->bik",
             "abc,cd->abd", "...ij,...jk->...ik", "ij,jk", "i,i", "abc->cb", "ii->i", "iij->j",
             "...ii->...i", "ii,ij->j", "ab,ab->ab", "a,b,c->abc", "bhwc,hkc->bhwk")


def einsum(m):
    equation = m.one_of(EQUATIONS)
    sizes = {}
    terms = equation.split("->")[0].replace("...", "Z").split(",")
    shapes = [[sizes.setdefault(letter, m.between(1, 5)) for letter in term] for term in terms]
    m.node("Einsum", [m.given(m.values(shape), 15) for shape in shapes], equation=equation)


def quantise(m):
    shape, byte = m.shape(1), m.one_of([numpy.int8, numpy.uint8])
    axis = m.between(0, len(shape) - 1)
    per_axis = m.chance(50)
    count = [shape[axis]] if per_axis else []
    # Scales are powers of two, so that no quotient is close to a midpoint by rounding.
    scale = m.known((2.0 ** -m.numpy.integers(0, 4, count)).astype(FLOAT), FLOAT)
    zero = m.known(m.values(count, byte), byte)
    if m.chance(50):
        m.node("QuantizeLinear", [m.given(m.values(shape, scale=5)), scale, zero], axis=axis if per_axis else None)
    else:
        m.node("DequantizeLinear", [m.given(m.values(shape, byte)), scale, zero], axis=axis if per_axis else None)


def integers(m):
    depth, rows, columns = (m.between(1, 6) for _ in range(3))
    a, b = (m.one_of([numpy.int8, numpy.uint8]) for _ in range(2))
    if m.chance(50):
        inputs = [m.given(m.values([rows, depth], a), 5), m.given(m.values([depth, columns], b), 60)]
        m.node("MatMulInteger", inputs + [m.known(m.values([], a), a), m.known(m.values([], b), b)][:m.between(0, 2)])
    else:
        a = numpy.uint8
        data, weight = m.values([1, 2, 5, 5], a), m.values([3, 2, 3, 3], m.one_of([numpy.int8, numpy.uint8]))
        inputs = [m.given(data, 5), m.given(weight, 80)] + ([m.known(m.values([], a), a)] if m.chance(50) else [])
        m.node("ConvInteger", inputs, pads=m.one_of([None, [1, 1, 1, 1]]))


ALL = [matmul, matmul, gemm, gemm, einsum, quantise, quantise, integers]
