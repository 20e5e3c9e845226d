"""Packages that run in this process."""

import copy
import gc
import os
import pickle
import sys
import threading
import time
import weakref

import numpy as np
import pytest

import hone
from conftest import first_values
from hone_runtime import _calls, _session
from hone_runtime._arrays import as_input

BUILT = os.environ.get("HONE_HAS_EXTENSION", str(int(hasattr(_calls.Quick, "_arm")))) == "1"


@pytest.fixture(autouse=True, params=["extension", "ctypes"])
def way(request, monkeypatch):
    """Runs a test's sessions by the extension, and then by ctypes."""
    if request.param == "ctypes":
        monkeypatch.setattr(_session, "arm", lambda *given: False)
    elif not BUILT:
        pytest.skip("the extension was not built")
    return request.param


def ramp(info):
    count = int(np.prod(info.shape))
    return (np.arange(count, dtype=np.float32) / np.float32(count)).reshape(info.shape)


def test_says_what_goes_in_and_out(small_package):
    session = hone.load(small_package)
    assert [str(info) for info in session.inputs] == ["data: float32 1x1x14x14"]
    assert session.outputs[0].shape == (1, 10)
    assert session.outputs[0].dtype == np.float32
    assert session.inputs[0].size_bytes == 14 * 14 * 4
    assert repr(session) == f"Session(Package('{small_package}': {session.inputs[0]} -> {session.outputs[0]}))"


def test_runs_by_the_extension_where_it_is_there(small_package, way):
    session = hone.load(small_package)
    assert (session._by_ctypes is None) == (way == "extension")


def test_gives_what_the_program_gives(small_package, typed):
    session = hone.load(small_package)
    output = session(ramp(session.inputs[0]))
    np.testing.assert_array_equal(
        output.ravel(), np.float32(first_values(typed("run", small_package, "--fill", "ramp", "--json").stdout))
    )


def test_runs_each_shape_that_it_was_built_for(tmp_path, typed):
    model, package = tmp_path / "m.onnx", tmp_path / "m.hone"
    typed("zoo", "mlp", "--image-shape", "1,4,4", "--classes", "5", "-o", model)
    hone.build(model, package, shapes={"data": ("1..4", 1, 4, 4)}, no_records=True)
    session = hone.load(package)
    assert session.inputs[0].shape == (1, 1, 4, 4)
    images = np.random.default_rng(0).normal(size=(4, 1, 4, 4)).astype(np.float32)
    four = session(images)
    assert four.shape == (4, 5)
    for rows in (1, 2, 4, 2):
        np.testing.assert_allclose(session(images[:rows]), four[:rows], rtol=1e-5, atol=1e-6)
    assert session.run({"data": images})[session.outputs[0].name].shape == (4, 5)
    out = np.empty((2, 5), np.float32)
    assert session(images[:2], out=out) is out
    with pytest.raises(hone.UsageError, match="was built for data 1x1x4x4; data 2x1x4x4; data 4x1x4x4; not for data 3x1x4x4"):
        session(images[:3])
    assert hone.Package(package, shapes={"data": (2, 1, 4, 4)}).outputs[0].shape == (2, 5)


COUNTED = """def @main(%x: Tensor[(4), float32], counted=[0, 0, 1, 4]) -> (Tensor[(4, 1), int64], int64) {
  %0 = argwhere(%x);
  %1 = %0.0;
  %2 = %0.1;
  (%1, %2)
}
"""


def test_an_output_has_what_the_run_counted(tmp_path, way):
    model, package = tmp_path / "counted.relay", tmp_path / "counted.hone"
    model.write_text(COUNTED)
    hone.build(model, package, no_records=True)
    session = hone.load(package)
    assert (session._by_ctypes is None) == (way == "extension")
    assert [info.shape for info in session.outputs] == [(4, 1)]
    for x, places in (([0, 3, 0, 5], [[1], [3]]), ([0, 0, 0, 0], []), ([1, 1, 1, 1], [[0], [1], [2], [3]])):
        found = session(np.float32(x))
        assert found.shape == (len(places), 1)
        assert found.tolist() == places
    room = np.full((4, 1), -1, np.int64)
    found = session(np.float32([0, 0, 7, 0]), out=room)
    assert found.tolist() == [[2]]
    assert np.shares_memory(found, room)


RANGED = """def @main(%x: Tensor[(6, 8), float32], %b: Tensor[(6, 8), float32], %rows: int64, ranged=[0, 0, 2, 1, 1, 0, 2, 1], counted=[0, 0, 1, 6]) -> (Tensor[(6, 8), float32], int64) {
  %0 = add(%x, %b);
  %1 = nn.relu(%0);
  %2 = add(%rows, 0i64);
  (%1, %2)
}
"""


def test_one_package_serves_every_length(tmp_path, way):
    model, package = tmp_path / "ranged.relay", tmp_path / "ranged.hone"
    model.write_text(RANGED)
    hone.build(model, package, no_records=True)
    session = hone.load(package)
    assert (session._by_ctypes is None) == (way == "extension")
    assert str(session.inputs[0]) == "x: float32 (rows: 1..6)x8"
    assert session.inputs[0].ranges == (hone.Range(0, "rows", 1, 6),)
    assert session.inputs[0].shape == (6, 8)
    assert session.output_shapes({"x": (4, 8), "b": (4, 8)}) == {"output0": (4, 8)}
    assert session.output_shapes({}) == {"output0": (6, 8)}
    with pytest.raises(hone.BadDataError, match="the dimension rows is 4"):
        session.output_shapes({"x": (4, 8)})
    with pytest.raises(hone.UsageError, match="no input 'y'"):
        session.output_shapes({"y": (4, 8)})
    for rows in (1, 6, 3, 3, 2):
        x, b = (np.random.default_rng(rows).normal(size=(2, rows, 8)) - 0.5).astype(np.float32)
        y = session(x, b)
        assert y.shape == (rows, 8)
        np.testing.assert_array_equal(y, np.maximum(x + b, 0))
        np.testing.assert_array_equal(session.run({"b": b, "x": x})[session.outputs[0].name], y)
        room = np.empty((6, 8), np.float32)
        assert np.shares_memory(session(x, b, out=room), room)
    assert session._others == {}
    with pytest.raises(hone.BadDataError, match="input 'x': the dimension rows is 7; it may be 1 to 6"):
        session(np.zeros((7, 8), np.float32), np.zeros((6, 8), np.float32))
    with pytest.raises(hone.BadDataError, match="the dimension rows is 2 in axis 0 of 'x' and 3 in axis 0 of 'b'"):
        session(np.zeros((2, 8), np.float32), np.zeros((3, 8), np.float32))
    with pytest.raises(hone.UsageError, match=r"input 'x' is float32 2x9; float32 \(rows: 1..6\)x8 would be right"):
        session(np.zeros((2, 9), np.float32), np.zeros((2, 8), np.float32))
    np.testing.assert_array_equal(session(x, b), y)


def test_gives_as_many_outputs_as_there_are(tmp_path, way):
    model, package = tmp_path / "parts.relay", tmp_path / "parts.hone"
    parts = ", ".join(f"%{i + 1}" for i in range(40))
    items = "".join(f"  %{i + 1} = %0.{i};\n" for i in range(40))
    types = ", ".join(["Tensor[(2), float32]"] * 40)
    model.write_text(
        f"def @main(%x: Tensor[(80), float32]) -> ({types}) {{\n  %0 = split(%x, indices_or_sections=40, axis=0);\n{items}  ({parts})\n}}\n"
    )
    hone.build(model, package, no_records=True)
    session = hone.load(package)
    assert (session._by_ctypes is None) == (way == "extension")
    x = np.arange(80, dtype=np.float32)
    np.testing.assert_array_equal(np.concatenate(session(x)), x)
    room = [np.empty(2, np.float32) for _ in range(39)]
    with pytest.raises(hone.UsageError, match="overlaps"):
        session(x, out=[*room, room[7]])


def test_takes_and_gives_names(small_package):
    session = hone.load(small_package)
    x = ramp(session.inputs[0])
    named = session.run({"data": x})
    assert list(named) == [session.outputs[0].name]
    np.testing.assert_array_equal(named[session.outputs[0].name], session(x))


def test_writes_into_the_caller_s_array(small_package):
    session = hone.load(small_package)
    x, mine = ramp(session.inputs[0]), np.full((1, 10), np.nan, np.float32)
    assert session(x, out=mine) is mine
    np.testing.assert_array_equal(mine, session(x))
    again = np.full((1, 10), np.nan, np.float32)
    assert session.run({"data": x}, out={session.outputs[0].name: again})[session.outputs[0].name] is again
    np.testing.assert_array_equal(mine, again)


def test_results_of_earlier_runs_stay(small_package):
    session = hone.load(small_package)
    x = ramp(session.inputs[0])
    first = session(x)
    kept = first.copy()
    session(-x)
    np.testing.assert_array_equal(first, kept)


def test_an_output_that_somebody_has_is_not_written_again(small_package):
    session = hone.load(small_package)
    x = ramp(session.inputs[0])
    several = [session(x * np.float32(scale)) for scale in range(5)]
    view = memoryview(session(x))
    row = session(x)[0]
    for scale, result in enumerate(several):
        np.testing.assert_array_equal(result, session(x * np.float32(scale)))
    np.testing.assert_array_equal(row, session(x)[0])
    np.testing.assert_array_equal(view, [row])
    # An array that was changed is not handed out again.
    for change in ({"shape": (10, 1)}, {"dtype": np.int32}, {"flags.writeable": False}):
        for name, value in change.items():
            result = session(x)
            if name == "flags.writeable":
                result.flags.writeable = value
            else:
                setattr(result, name, value)
        del result
        again = [session(x), session(x), session(x)]
        assert all(each.shape == (1, 10) and each.dtype == np.float32 and each.flags.writeable for each in again)


TWO_OUTPUTS = """def @main(%x: Tensor[(2, 3), float32], %y: Tensor[(3), float32]) {
  %0 = add(%x, %y);
  %1 = nn.relu(%y);
  (%0, %1)
}
"""


def test_several_inputs_and_outputs_keep_their_order(tmp_path):
    model, package = tmp_path / "two.relay", tmp_path / "two.hone"
    model.write_text(TWO_OUTPUTS)
    hone.build(model, package, no_records=True)
    session = hone.load(package)
    x, y = np.float32([[1, 2, 3], [4, 5, 6]]), np.float32([-1, 0, 1])
    summed, positive = session(x, y)
    np.testing.assert_array_equal(summed, x + y)
    np.testing.assert_array_equal(positive, [0, 0, 1])
    room = np.empty((3,), np.float32)
    for out in ([None, room], (None, room)):
        room[:] = 7
        other, same = session(x, y, out=out)
        assert same is room
        np.testing.assert_array_equal(other, summed)
        np.testing.assert_array_equal(room, positive)
    # Subclasses, and equal types that are different objects, work too.
    np.testing.assert_array_equal(session(x.view(np.matrix), np.require(y, np.dtype("<f4").newbyteorder("=")))[0], summed)
    for wrong in ({"out": room}, {"out": [None]}):
        with pytest.raises(hone.UsageError, match="1 arrays are given for 2 outputs"):
            session(x, y, **wrong)
    with pytest.raises(TypeError):
        session(x, y, into=room)


@pytest.mark.parametrize("name", ["float16", "int16", "uint16", "uint32", "uint64", "bfloat16", "float8_e4m3fn", "int4"])
def test_takes_and_gives_arrays_of_the_types_that_are_declared(tmp_path, name):
    if name in ("bfloat16", "float8_e4m3fn", "int4"):
        pytest.importorskip("ml_dtypes")
    model, package = tmp_path / "declared.relay", tmp_path / "declared.hone"
    wide = {"uint32": "int64", "uint64": "int64"}.get(name, "int32" if "int" in name else "float32")
    model.write_text(
        f'def @main(%x: Tensor[(4), {name}]) -> Tensor[(4), {name}] {{\n  %0 = cast(%x, dtype="{wide}");\n'
        f'  %1 = add(%0, %0);\n  cast(%1, dtype="{name}")\n}}\n'
    )
    hone.build(model, package, no_records=True)
    session = hone.load(package)
    x = np.array([0, 1, 2, 3], session.inputs[0].dtype)
    assert str(x.dtype) == name
    y = session(x)
    assert y.dtype == x.dtype
    np.testing.assert_array_equal(y.astype(np.float32), (x + x).astype(np.float32))
    with pytest.raises(hone.UsageError, match=f"{name} 4 would be right, as x.astype"):
        session(np.zeros(4, np.int8))


def test_inputs_stay_as_they_are_and_may_be_read_only_and_of_any_alignment(small_package):
    session = hone.load(small_package)
    x = ramp(session.inputs[0])
    odd = np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(np.float32).reshape(x.shape)
    assert not odd.flags.writeable and odd.ctypes.data % 4 != 0
    np.testing.assert_array_equal(session(odd), session(x))
    np.testing.assert_array_equal(odd, x)


class OnlyDlpack:
    """A tensor of another library, which only supports DLPack."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **given):
        return self.array.__dlpack__(**given)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class OfAnotherDevice(OnlyDlpack):
    def __dlpack__(self, **given):
        raise BufferError("it lies on a GPU")


def test_other_libraries_tensors_are_read_where_they_lie(small_package):
    session = hone.load(small_package)
    x = ramp(session.inputs[0])
    assert np.shares_memory(as_input(OnlyDlpack(x), session.inputs[0]), x)
    assert as_input(x, session.inputs[0]) is x
    np.testing.assert_array_equal(session(OnlyDlpack(x)), session(x))
    with pytest.raises(ValueError) as error:
        session(OfAnotherDevice(x))
    assert str(error.value) == "input 'data' is a OfAnotherDevice that numpy cannot look into: it lies on a GPU"


def test_torch_tensors_are_read_where_they_lie(small_package):
    torch = pytest.importorskip("torch")
    session = hone.load(small_package)
    x = ramp(session.inputs[0])
    tensor = torch.from_numpy(x)
    assert np.shares_memory(as_input(tensor, session.inputs[0]), x)
    np.testing.assert_array_equal(session(tensor), session(x))
    with pytest.raises(hone.UsageError, match="input 'data' is a Tensor that numpy cannot look into: .*grad"):
        session(tensor.clone().requires_grad_())


WRONG_INPUTS = [
    (np.zeros((1, 1, 14, 14)), "is float64 1x1x14x14; float32 1x1x14x14 would be right, as x.astype(numpy.float32)"),
    (np.zeros((1, 1, 14, 14), ">f4"), "is >f4 1x1x14x14; float32 1x1x14x14 would be right, as x.astype(numpy.float32)"),
    (np.zeros((14, 14), "f4"), "is float32 14x14; float32 1x1x14x14 would be right"),
    (np.float32(1), "is float32 scalar; float32 1x1x14x14 would be right"),
    (
        np.zeros((1, 1, 14, 28), "f4")[..., ::2],
        "is float32 1x1x14x14 with strides of 1568x1568x112x8 bytes; dense and row-major would be right, "
        "as numpy.ascontiguousarray(x)",
    ),
    ("text", "is <U4 scalar; float32 1x1x14x14 would be right"),
    (None, "is object scalar; float32 1x1x14x14 would be right"),
    (np.zeros((0, 1, 14, 14), "f4"), "is float32 0x1x14x14; float32 1x1x14x14 would be right"),
    (np.zeros((1, 1, 14, 14), "c8"), "is complex64 1x1x14x14; float32 1x1x14x14 would be right"),
    (
        np.broadcast_to(np.float32(1), (1, 1, 14, 14)),
        "is float32 1x1x14x14 with strides of 0x0x0x0 bytes; dense and row-major would be right, as numpy.ascontiguousarray(x)",
    ),
]


@pytest.mark.parametrize("value, text", WRONG_INPUTS)
def test_says_what_is_wrong_with_an_input(small_package, value, text):
    session = hone.load(small_package)
    with pytest.raises(ValueError) as error:
        session(value)
    assert str(error.value) == f"input 'data' {text}"


def test_says_that_a_list_is_ragged(small_package):
    with pytest.raises(hone.UsageError, match="^input 'data' is "):
        hone.load(small_package)([[1.0, 2.0], [3.0]])


def test_each_exit_code_is_its_class():
    from hone_runtime._errors import error_of

    classes = [getattr(hone, name) for name in hone.__all__ if name.endswith("Error") and name != "Error"]
    assert len({each.exit_code for each in classes}) == len(classes) == 10
    assert [type(error_of(each.exit_code, "text")) for each in classes] == classes
    assert type(error_of(3, "text")) is hone.BugError and str(error_of(66, "text")) == "text"


def test_says_what_is_wrong_with_names_and_counts(small_package):
    session = hone.load(small_package)
    x = ramp(session.inputs[0])
    read_only = np.zeros((1, 10), "f4")
    read_only.flags.writeable = False
    name = session.outputs[0].name
    for call, text in [
        (lambda: session.run({"image": x}), "no input 'image'; the inputs are: data"),
        (lambda: session.run({}), "no array for input 'data'; run takes one for each"),
        (lambda: session.run({"data": x}, out={"y": x}), f"no output 'y'; the outputs are: {name}"),
        (lambda: session.run([x]), "what run takes for inputs is a list; a dict of arrays by name would be right"),
        (lambda: session.run({"data": x}, out=x), "what run takes for outputs is a ndarray; a dict of arrays by name would be right"),
        (lambda: session.run({0: x}), "what run takes for inputs has the name 0; text would be right"),
        (lambda: session(), "0 inputs are given; the 1 of data would be right"),
        (lambda: session(x, x), "2 inputs are given; the 1 of data would be right"),
        (lambda: session(x, out=[1, 2]), "2 arrays are given for 1 outputs"),
        (lambda: session(x, out=[[0.0]]), f"the array for output '{name}' is a list; a numpy.ndarray would be right"),
        (lambda: session(x, out=x), f"the array for output '{name}' is float32 1x1x14x14; float32 1x10 would be right"),
        (lambda: session(x, out=read_only), f"the array for output '{name}' is read-only; one that may be written would be right"),
        (lambda: hone.load(small_package, threads=-1), "threads is -1; 0 to 1024 would be right"),
        (lambda: hone.load(small_package, threads="2"), "threads is '2'; 0 to 1024 would be right"),
        (lambda: hone.load(small_package, threads=10**9), "threads is 1000000000; 0 to 1024 would be right"),
        (lambda: hone.load(small_package, params=[x]), "params is a list; a dict of arrays by name would be right"),
        (lambda: hone.load(small_package, params={5: x}), "params has the name 5; text would be right"),
        (lambda: hone.Package(small_package, shapes=[1]), "shapes is a list; a dict of shapes by name would be right"),
        (
            lambda: hone.Package(small_package, shapes={"data": (1, 2.5)}),
            "the shape of 'data' is (1, 2.5); integers, as (1, 3, 224, 224), would be right",
        ),
        (lambda: hone.load(""), "the path of a package is an empty text; that of a file would be right"),
        (lambda: hone.load(None), "the path of a package is a NoneType; text or a path would be right"),
        (lambda: hone.Session(small_package), "a session is made of a PosixPath; a Package would be right"),
        (lambda: hone.load("a\0b"), "the path of a package holds a byte 0; a path without would be right"),
    ]:
        with pytest.raises(hone.UsageError) as error:
            call()
        assert str(error.value) == text


def test_an_output_may_not_lie_where_an_input_does(tmp_path):
    model, package = tmp_path / "same.relay", tmp_path / "same.hone"
    model.write_text("def @main(%x: Tensor[(2, 3), int32]) {\n  %0 = add(%x, %x);\n  %0\n}\n")
    hone.build(model, package, no_records=True)
    session = hone.load(package)
    x = np.ones((2, 3), np.int32)
    with pytest.raises(hone.UsageError, match="overlaps that of 'x'"):
        session(x, out=x)
    with pytest.raises(hone.UsageError, match="'x' is int64 2x3; int32 2x3 would be right, as x.astype.numpy.int32"):
        session(x.astype(np.int64))
    np.testing.assert_array_equal(session(x), x + x)


def test_packages_that_cannot_be_loaded_say_what_the_program_says(small_package, typed, own_folder):
    whole = small_package.read_bytes()
    (own_folder / "cut.hone").write_bytes(whole[: len(whole) // 2])
    (own_folder / "text.hone").write_text("hello")
    (own_folder / "empty.hone").touch()
    hone.build("zoo:mlp", "arm.hone", target="aarch64-linux-gnu", no_records=True, image_shape="1,4,4")
    for path, error_class in [
        ("cut.hone", hone.BadDataError),
        ("text.hone", hone.BadDataError),
        ("no.hone", hone.NoInputError),
        (".", hone.NoInputError),
        ("empty.hone", hone.BadDataError),
        ("arm.hone", hone.BadConfigError),
    ]:
        said = typed("run", path)
        with pytest.raises(error_class) as error:
            hone.load(path)
        assert error.value.exit_code == said.returncode
        if error_class is not hone.NoInputError:  # the program also names the way on
            assert said.stderr == f"hone: {error.value}\n"
    with pytest.raises(FileNotFoundError):
        hone.load("no.hone")
    with pytest.raises(ValueError):
        hone.load("text.hone")


def test_sessions_share_a_package_and_outlive_its_name(small_package):
    package = hone.Package(small_package)
    x = ramp(package.inputs[0])
    sessions = [hone.Session(package, threads=1) for _ in range(3)]
    del package
    for session in sessions[1:]:
        np.testing.assert_array_equal(session(x), sessions[0](x))


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_copies_outlive_what_they_are_of(small_package, copied):
    package = hone.Package(small_package)
    x = ramp(package.inputs[0])
    right = hone.Session(package, threads=np.int64(1))(x)
    package = copied(package)
    session = hone.Session(package, threads=1)
    del package
    session = copied(session)
    gc.collect()
    np.testing.assert_array_equal(session(x), right)


def test_a_session_goes_with_its_last_name(small_package):
    session = hone.load(small_package)
    result = session(ramp(session.inputs[0]))
    there = weakref.ref(session)
    gc.disable()
    try:
        del session
        assert there() is None
    finally:
        gc.enable()
    assert result.shape == (1, 10)


def test_threads_take_turns_in_one_session(slow_package):
    session = hone.load(slow_package, threads=1)
    inputs = [ramp(session.inputs[0]) * np.float32(scale) for scale in range(4)]
    right = [session(x) for x in inputs]
    wrong = []

    def work(which):
        for _ in range(20):
            if not np.array_equal(session(inputs[which]), right[which]):
                wrong.append(which)

    workers = [threading.Thread(target=work, args=(which,)) for which in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert wrong == []


def test_other_threads_go_on_during_a_run(slow_package):
    session = hone.load(slow_package, threads=1)
    x, count, done = ramp(session.inputs[0]), [0], threading.Event()

    def work():
        while not done.is_set():
            count[0] += 1
            time.sleep(0)  # lets go of the GIL

    interval = sys.getswitchinterval()
    # With this interval a thread only gets its turn when another releases the GIL.
    sys.setswitchinterval(1000)
    try:
        worker = threading.Thread(target=work, daemon=True)
        worker.start()
        for _ in range(200):
            before = count[0]
            session(x)
            if count[0] > before:
                return
        pytest.fail("no other thread ran during 200 runs")
    finally:
        done.set()
        sys.setswitchinterval(interval)


def test_a_forked_child_is_told_to_load_its_own(small_package):
    session = hone.load(small_package, threads=2)
    x = ramp(session.inputs[0])
    session(x)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            session(x)
        except hone.UsageError as error:
            ours = hone.load(small_package, threads=2)
            code = 0 if "before a fork" in str(error) and ours(x).shape == (1, 10) else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_library_that_is_not_hone_s_is_named(monkeypatch, own_folder):
    import hone_runtime._library as library

    (own_folder / "other.so").write_text("no ELF")
    for name, error_class in [("other.so", hone.BadConfigError), ("none.so", hone.NoInputError)]:
        library.library.cache_clear()
        monkeypatch.setenv("HONE_LIBRARY", name)
        with pytest.raises(error_class, match=name):
            hone.load("any.hone")
    library.library.cache_clear()
