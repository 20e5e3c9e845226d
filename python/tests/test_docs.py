"""Runs the sessions in docs/howto/python.md."""

import doctest
import runpy
from pathlib import Path

import pytest

import hone
from conftest import SMALL

PAGE = Path(__file__).resolve().parents[2] / "docs" / "howto" / "python.md"


def test_the_page_s_session_works_as_it_is_written(own_folder, typed):
    made = typed("zoo", "mlp", "--image-shape", SMALL["image_shape"], "--classes", SMALL["classes"], "-o", "model.onnx")
    assert made.returncode == 0
    text = PAGE.read_text()
    assert text.count('budget="10m", progress') == 1
    session = doctest.DocTestParser().get_doctest(text.replace('"10m", p', '"4s", p').replace("\n```", "\n\n"), {}, PAGE.name, None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(session)
    assert runner.tries >= 12 and runner.failures == 0


def test_the_page_has_every_error():
    rows = [line.split("|")[1:-1] for line in PAGE.read_text().splitlines() if line.startswith("| `") and "Error` |" in line]
    told = {cells[0].strip(" `"): (int(cells[1]), cells[2].strip(" `")) for cells in rows}
    ours = {name: getattr(hone, name) for name in hone.__all__ if name.endswith("Error") and name != "Error"}
    assert told == {name: (each.exit_code, each.__mro__[2].__name__ if len(each.__bases__) > 1 else "") for name, each in ours.items()}


def test_the_example_of_torch_works(own_folder, capsys):
    pytest.importorskip("torch")
    example = PAGE.parents[2] / "python" / "examples" / "from_torch.py"
    runpy.run_path(str(example))["main"](budget="2s")
    assert "largest difference from torch" in capsys.readouterr().out
