"""The wheel hone_runtime, in a virtual environment with nothing else.

Skipped if pip's index cannot be reached, which has the build tools and numpy.
"""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from conftest import SMALL

SOURCES = Path(__file__).resolve().parents[2]
WHEELS = SOURCES / "build" / "wheels"
# The session of docs/howto/python.md: four lines.
SESSION = """\
import numpy, hone_runtime
net = hone_runtime.load("small.hone")
scores = net(numpy.load("image.npy"))
numpy.testing.assert_allclose(scores, numpy.load("expected.npy"), rtol=1e-4)
"""


def run(*command, **given):
    return subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, **given)


def build():
    """The wheel's bytes from a new build."""
    done = run(SOURCES / "scripts" / "build_wheel.sh", "hone_runtime", env={**os.environ, "HONE_PYTHON": sys.executable})
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = WHEELS.glob("hone_runtime-*.whl")
    return wheel


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """The folder of a virtual environment with numpy."""
    folder = tmp_path_factory.mktemp("clean")
    if run(sys.executable, "-m", "venv", folder).returncode != 0:
        pytest.skip("this Python makes no virtual environments (apt-get install python3-venv)")
    if run(folder / "bin" / "pip", "install", "-q", "numpy").returncode != 0:
        pytest.skip("pip's index cannot be reached")
    return folder


@pytest.fixture(scope="module")
def wheel(environment):
    return build()


def in_numpy(model, image):
    """zoo:mlp computed with numpy."""
    from onnx import load, numpy_helper

    values = {each.name: numpy_helper.to_array(each) for each in load(model).graph.initializer}
    x = image.reshape(len(image), -1)
    for layer in (1, 2, 3):
        x = x @ values[f"fc{layer}_weight"].T + values[f"fc{layer}_bias"]
        x = np.maximum(x, 0) if layer < 3 else np.exp(x - x.max())
    return x / x.sum()


def test_four_lines_run_a_package_where_only_numpy_is(environment, wheel, small_package, own_folder, typed):
    pytest.importorskip("onnx")
    assert run(environment / "bin" / "pip", "install", "--no-index", wheel).returncode == 0
    listed = run(environment / "bin" / "pip", "list", "--format=freeze").stdout.split()
    names = {each.split("==")[0] for each in listed}
    assert names - {"pip", "setuptools", "wheel"} == {"hone-runtime", "numpy"}

    assert typed("zoo", "mlp", "--image-shape", SMALL["image_shape"], "--classes", SMALL["classes"], "-o", "model.onnx").returncode == 0
    image = np.random.default_rng(0).normal(size=(1, 1, 14, 14)).astype(np.float32)
    np.save("image.npy", image)
    np.save("expected.npy", in_numpy("model.onnx", image))
    os.symlink(small_package, "small.hone")
    Path("session.py").write_text(SESSION)
    # Nothing in this test's environment names a library.
    quick = "import hone_runtime as h; print(h.load('small.hone')._by_ctypes)"
    assert run(environment / "bin" / "python", "-I", "-c", quick, env={}).stdout == "None\n"
    done = run(environment / "bin" / "python", "-I", "session.py", env={"PATH": "/usr/bin"})
    assert done.returncode == 0, done.stderr
    np.save("expected.npy", in_numpy("model.onnx", -image))
    assert "Mismatched elements" in run(environment / "bin" / "python", "-I", "session.py", env={}).stderr


def test_the_wheel_is_small_and_holds_the_library_and_the_extension(wheel):
    assert wheel.stat().st_size < 1_000_000
    with zipfile.ZipFile(wheel) as files:
        compiled = [name for name in files.namelist() if files.read(name).startswith(b"\x7fELF")]
        assert any(name.endswith(".dist-info/sboms/libhone-runtime0.cdx.json") for name in files.namelist())
    # One wheel serves every Python, since the extension only uses Python's stable API.
    assert sorted(compiled) == ["hone_runtime/_call.abi3.so", "hone_runtime/lib/libhone.so"]
    assert "manylinux" in wheel.name  # auditwheel found that it only needs libc


def test_the_same_sources_give_the_same_wheel(wheel):
    first = wheel.read_bytes()
    wheel.unlink()
    assert build().read_bytes() == first
