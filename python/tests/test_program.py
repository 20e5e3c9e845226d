"""The program's functions, called from Python: tuning, building, timing, checking."""

import datetime
import json
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import hone
from conftest import SMALL, leftovers
from hone._parts import program_path

QUICK = {**SMALL, "finals": "kernels", "progress": False}


def test_tunes_builds_runs_checks_and_times(own_folder):
    events = []
    report = hone.tune("zoo:mlp", trials=6, **{**QUICK, "progress": events.append})
    assert report["event"] == "done" and report["trials"] == 6 and events[-1] == report
    assert sum(event["event"] == "trial" for event in events) == 6
    assert {event["task"] for event in events[:-1]} == {task["task"] for task in report["tasks"]}
    built = hone.build("zoo:mlp", "small.hone", **SMALL)
    assert built["package"] == "small.hone"
    assert "record" in {each["source"] for each in built["dispatch"]}
    assert hone.load("small.hone")(np.zeros((1, 1, 14, 14), np.float32)).shape == (1, 10)
    checked = hone.verify("zoo:mlp", "small.hone", **SMALL)
    assert checked["agrees"] is True and len(checked["outputs"]) == 1
    timed = hone.bench("small.hone", min_time=0.05, rounds=2)
    assert timed["format"] == "hone-bench" and timed["packages"][0]["min_ns"] > 0


def test_goes_on_where_it_stopped(own_folder):
    assert hone.tune("zoo:mlp", trials=4, **QUICK)["trials"] == 4
    report = hone.tune("zoo:mlp", trials=6, **QUICK)
    assert (report["trials"], report["resumed"]) == (2, 4)


def test_an_answer_that_is_no_is_an_answer(own_folder, small_package):
    other = hone.build("zoo:mlp", "other.hone", seed=1, no_records=True, **SMALL)["package"]
    assert hone.verify("zoo:mlp", other, **SMALL)["agrees"] is False


def test_replaces_parameters(own_folder, small_package):
    other = hone.build("zoo:mlp", "other.hone", seed=1, no_records=True, **SMALL)["package"]
    first = hone.build("zoo:mlp", "first.hone", no_records=True, **SMALL)["package"]
    told = hone.replace_params(first, "replaced.hone", model="zoo:mlp", seed=1, **SMALL)
    assert told["of"] == first and told["size_bytes"] == os.path.getsize("replaced.hone")
    with open(other, "rb") as built, open("replaced.hone", "rb") as replaced:
        assert built.read() == replaced.read()
    with pytest.raises(hone.BadDataError, match="computed otherwise than first.hone computes it"):
        hone.replace_params(first, "none.hone", model="zoo:mlp")
    assert not os.path.exists("none.hone")


def _tensors_of(safetensors):
    """The float32 tensors in a file, by name."""
    with open(safetensors, "rb") as file:
        head = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        data = file.read()
    head.pop("__metadata__", None)
    return {
        name: np.frombuffer(data[slice(*told["data_offsets"])], np.float32).reshape(told["shape"])
        for name, told in head.items()
    }


def test_replaces_parameters_of_a_package_when_it_is_loaded(own_folder):
    hone.build("zoo:mlp", "first.hone", no_records=True, threads=1, **SMALL)
    hone.build("zoo:mlp", "second.hone", no_records=True, threads=1, seed=1, **SMALL)
    save = ["zoo:mlp", "--image-shape=1,14,14", "--classes=10", "--seed=1", "--text", "--save-params=p.safetensors"]
    subprocess.run([program_path(), "inspect", *save], check=True, capture_output=True)
    opened = ["first.hone", "--model=zoo:mlp", "--image-shape=1,14,14", "--classes=10", "-o", "open.hone", "--json"]
    told = subprocess.run([program_path(), "package", "open-params", *opened], check=True, capture_output=True)
    values = _tensors_of("p.safetensors")
    assert json.loads(told.stdout)["open"] == sorted(values) and json.loads(told.stdout)["closed"] == []
    image = np.linspace(0, 1, 196, dtype=np.float32).reshape(1, 1, 14, 14)
    assert (hone.load("open.hone", 1, params=values)(image) == hone.load("second.hone", 1)(image)).all()
    assert (hone.load("open.hone", 1)(image) == hone.load("first.hone", 1)(image)).all()
    some = hone.load("open.hone", 1, params={"fc3_bias": values["fc3_bias"]})(image)
    assert not (some == hone.load("open.hone", 1)(image)).all()
    with pytest.raises(hone.UsageError, match="fc3_bais.*did you mean fc3_bias"):
        hone.load("open.hone", params={"fc3_bais": values["fc3_bias"]})
    bias = values["fc3_bias"]
    for wrong, text in (
        (bias.astype(np.float64), "float64 10"),
        (bias.astype(np.int32), "int32 10"),
        (bias.reshape(2, 5), "float32 2x5"),
        ("text", "<U4 scalar"),
    ):
        with pytest.raises(hone.UsageError, match=f"^parameter 'fc3_bias' is {text}; float32 10 would be right$"):
            hone.load("open.hone", params={"fc3_bias": wrong})
    with pytest.raises(hone.BadConfigError, match="hone package open-params"):
        hone.load("first.hone", params={})


def test_records_come_row_by_row_and_flat(own_folder):
    hone.tune("zoo:mlp", trials=6, **QUICK)
    rows = list(hone.records())
    assert len(rows) >= 6 and not any(isinstance(value, dict) for row in rows for value in row.values())
    assert all(row["min_ns"] == min(row["measurement.samples_ns"]) for row in rows if row["measurement.fate"] == "Ok")
    best = list(hone.records(best=True))
    assert 0 < len(best) <= len({row["workload"] for row in rows})
    one = hone.records()
    assert next(one) == rows[0]
    one.close()
    assert list(hone.records(workload="nn.dense data=1x1 weight=1x1")) == []


def test_compares_devices(own_folder):
    hone.tune("zoo:mlp", trials=6, **QUICK)
    assert len(hone.compare("zoo:mlp", **SMALL)["devices"]) == 1


@pytest.mark.parametrize(
    "call, arguments, error_class",
    [
        (lambda: hone.tune("no.onnx"), ["tune", "no.onnx"], FileNotFoundError),
        (lambda: hone.tune("zoo:mlq"), ["tune", "zoo:mlq"], hone.NoInputError),
        (lambda: hone.tune("zoo:mlp", bugdet="1m"), ["tune", "zoo:mlp", "--bugdet=1m"], hone.UsageError),
        (lambda: hone.tune("zoo:mlp", budget="soon"), ["tune", "zoo:mlp", "--budget=soon"], ValueError),
        (lambda: hone.tune("zoo:mlp", device="pi4"), ["tune", "zoo:mlp", "--key=pi4"], hone.UsageError),
        (
            lambda: hone.tune("zoo:mlp", device="pi4", tracker="tcp://127.0.0.1:1"),
            ["tune", "zoo:mlp", "--key=pi4", "--tracker=tcp://127.0.0.1:1"],
            ConnectionError,
        ),
        (lambda: hone.build("zoo:mlp", "no/a.hone"), ["build", "zoo:mlp", "-o", "no/a.hone"], hone.CannotCreateError),
        (lambda: hone.build("text.onnx", "a.hone"), ["build", "text.onnx", "-o", "a.hone"], hone.BadDataError),
        (
            lambda: hone.build("zoo:mlp", "a.hone", target="host", threads=0),
            ["build", "zoo:mlp", "-o", "a.hone", "--threads=0"],
            hone.UsageError,
        ),
        (lambda: hone.bench("no.hone"), ["bench", "no.hone"], hone.NoInputError),
        (lambda: hone.bench(), ["bench"], hone.UsageError),
        (lambda: hone.verify("zoo:mlp", "no.hone"), ["verify", "zoo:mlp", "no.hone"], hone.NoInputError),
        (lambda: hone.compare("zoo:mlp", db="no.db"), ["compare", "zoo:mlp", "--db=no.db"], hone.NoInputError),
        (
            lambda: hone.compare("zoo:mlp", measure=True, keys=["a", "b"], tracker="tcp://127.0.0.1:1"),
            ["compare", "zoo:mlp", "--measure", "--keys=a,b", "--tracker=tcp://127.0.0.1:1"],
            hone.NoRunnerError,
        ),
        (lambda: list(hone.records(db="no.db")), ["log", "export", "--all", "--db=no.db"], hone.NoInputError),
    ],
)
def test_fails_with_the_program_s_words(own_folder, typed, call, arguments, error_class):
    (own_folder / "text.onnx").write_text("no model at all")
    with pytest.raises(error_class) as error:
        call()
    said = typed(*arguments)
    assert isinstance(error.value, hone.Error) and said.returncode == error.value.exit_code
    assert said.stderr.splitlines()[-1] == f"hone: {error.value}"
    assert leftovers(own_folder) in (["text.onnx"], ["records.db", "text.onnx"])


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda: hone.tune(3), "the model is a int; a path, 'zoo:NAME' or an onnx.ModelProto would be right"),
        (
            lambda: hone.tune("zoo:mlp", budget=-1),
            "-1 is no time; '90s', '10m' or a number of seconds would be right",
        ),
        (
            lambda: hone.tune("zoo:mlp", tasks=object()),
            "tasks is a object; text, a number, a list or a mapping would be right",
        ),
        (lambda: hone.tune("zoo:mlp", budget=""), "budget is an empty text; None leaves it out"),
        (lambda: hone.build("zoo:mlp", "a.hone", help=True), "help is no option here; Python's help() tells of a function"),
        (lambda: hone.build("a\0b", "a.hone"), "an argument of hone build holds a byte 0; one without would be right"),
        (lambda: hone.bench(3), "a package is a int; a path would be right"),
        (lambda: hone.verify("zoo:mlp", 3), "the package is a int; a path would be right"),
    ],
)
def test_says_what_is_wrong_with_an_argument(call, text):
    with pytest.raises(hone.UsageError) as error:
        call()
    assert str(error.value) == text


def test_durations_are_text_seconds_or_timedeltas():
    from hone._options import duration

    assert [duration(value) for value in ("10m", 90, 0.25, datetime.timedelta(minutes=2))] == [
        "10m",
        "90000ms",
        "250ms",
        "120000ms",
    ]


def test_options_are_the_program_s():
    from hone._options import to_arguments

    assert to_arguments(
        {"until_gain": "1%", "per_op": True, "json": False, "db": None, "shape": {"x": (1, 3)}, "tasks": ["a", "-b"]}
    ) == ["--until-gain=1%", "--per-op", "--shape=x=1,3", "--tasks=a", "--tasks=-b"]


def test_takes_models_of_the_onnx_package(own_folder):
    onnx = pytest.importorskip("onnx")
    from onnx import TensorProto, helper

    graph = helper.make_graph(
        [helper.make_node("Relu", ["x"], ["y"]), helper.make_node("Neg", ["y"], ["z"])],
        "two_outputs",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3])],
        [
            helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 3]),
            helper.make_tensor_value_info("z", TensorProto.FLOAT, ["n", 3]),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    onnx.save(model, "model.onnx")
    hone.build("model.onnx", "of_path.hone", shapes={"x": (2, 3)})

    class Program:
        """A stand-in for the result of torch.onnx.export."""

        model_proto = model

    for given, dims in [(model, {"n": 2}), (Program(), {"n": 2})]:
        hone.build(given, "of_object.hone", dims=dims)
        x = np.array([[-1, 0, 1], [2, -2, 3]], np.float32)
        y, z = hone.load("of_object.hone")(x)
        np.testing.assert_array_equal(y, np.maximum(x, 0))
        np.testing.assert_array_equal(z, -np.maximum(x, 0))
    net, y, z = hone.load("of_path.hone"), np.zeros((2, 3), "f4"), np.zeros((2, 3), "f4")
    net(x, out=(y, z))
    np.testing.assert_array_equal(z, -np.maximum(x, 0))
    named = net.run({"x": x}, out={"z": z, "y": y})
    assert named["y"] is y and named["z"] is z
    np.testing.assert_array_equal(y, np.maximum(x, 0))
    # One output's memory may serve another output in the next run, but never two outputs of one run.
    net(x, out=(z, y))
    np.testing.assert_array_equal(y, -np.maximum(x, 0))
    with pytest.raises(hone.UsageError, match="overlaps"):
        net(x, out=(x, y))
    with pytest.raises(hone.UsageError, match="overlaps"):
        net(x, out=(y, y))
    net(x, out=(y, z))
    np.testing.assert_array_equal(z, -np.maximum(x, 0))


def test_a_reader_of_events_that_fails_ends_the_search(own_folder):
    seen = []

    def read(event):
        seen.append(event)
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        hone.tune("zoo:mlp", budget="5m", **{**QUICK, "progress": read})
    assert len(seen) == 1
    assert len(list(hone.records())) >= 1


def test_ctrl_c_ends_the_search_in_order(own_folder):
    main = threading.main_thread().ident

    def read(event):
        if len(seen) == 2:
            threading.Timer(0.05, signal.pthread_kill, (main, signal.SIGINT)).start()
        seen.append(event)

    seen = []
    with pytest.raises(KeyboardInterrupt):
        hone.tune("zoo:mlp", budget="5m", **{**QUICK, "progress": read})
    assert len(list(hone.records())) >= 3


def test_the_program_is_told_once_to_end_and_may_finish(own_folder, monkeypatch):
    script = """trap 'echo ended >> ended; exit 130' INT
    while :; do echo "{\\"event\\": \\"trial\\", \\"session\\": $(cut -d" " -f6 /proc/$$/stat)}"; sleep 0.05; done"""
    fake_program(own_folder, script, monkeypatch)

    def read(event):
        assert event["session"] != os.getsid(0), "Ctrl-C at a terminal would come to it twice"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        hone.tune("zoo:mlp", progress=read)
    assert (own_folder / "ended").read_text() == "ended\n"


def fake_program(folder, text, monkeypatch):
    path = folder / "fake"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    monkeypatch.setenv("HONE_PROGRAM", str(path))


@pytest.mark.parametrize(
    "script, text",
    [
        ("kill -SEGV $$", "hone build was ended by SIGSEGV"),
        ("exit 3", "hone build ended with exit code 3 and without a word"),
        ("echo '{\"package\": '", "hone build printed '{\"package\": \\n' in place of a JSON object"),
        ("echo 'hone: it is full' >&2; exit 70", "it is full"),
    ],
)
def test_a_program_that_breaks_is_an_exception(own_folder, monkeypatch, script, text):
    fake_program(own_folder, script, monkeypatch)
    with pytest.raises(hone.BugError) as error:
        hone.build("zoo:mlp", "a.hone")
    assert str(error.value) == text


def test_a_program_that_is_not_there_is_named(own_folder, monkeypatch):
    monkeypatch.setenv("HONE_PROGRAM", "nowhere/hone")
    with pytest.raises(hone.NoInputError, match="HONE_PROGRAM names nowhere/hone"):
        hone.build("zoo:mlp", "a.hone")
    (own_folder / "data").write_text("no program")
    monkeypatch.setenv("HONE_PROGRAM", str(own_folder / "data"))
    with pytest.raises(hone.IoError, match="cannot be started"):
        hone.build("zoo:mlp", "a.hone")


def test_notes_go_to_the_logger(own_folder, monkeypatch, caplog):
    fake_program(own_folder, "echo 'note: a slow disk' >&2; echo 'next: hone run' >&2; echo '{}'", monkeypatch)
    assert hone.build("zoo:mlp", "a.hone") == {}
    assert [record.getMessage() for record in caplog.records if record.name == "hone"] == ["note: a slow disk"]


def trial(task, elapsed_s, fate="Ok"):
    return {"event": "trial", "task": task, "fate": fate, "elapsed_ns": int(elapsed_s * 1e9)}


def test_plain_progress_is_a_line_every_ten_seconds(capsys):
    from hone._progress import reader_of

    show = reader_of(True, None)
    for second in range(1, 23):
        show(trial("a" if second < 15 else "b", second, "Crashed" if second == 3 else "Ok"))
    show({"event": "done"})
    assert capsys.readouterr().err.splitlines() == [
        "10 trials, 1 failed, 1.0 trials/s, 1 task seen",
        "20 trials, 1 failed, 1.0 trials/s, 2 tasks seen",
    ]
    reader_of(False, None)(trial("a", 99))
    assert capsys.readouterr().err == ""


def test_a_wait_for_runners_is_told_at_once(capsys):
    from hone._progress import reader_of

    show = reader_of(True, None)
    show({"event": "waiting", "why": 'no runner left for the key "pi4"', "task": "", "elapsed_ns": 1})
    show({"event": "waiting", "why": "", "task": "", "elapsed_ns": 2})
    said = ['no runner left for the key "pi4", waiting', "a runner is there again"]
    assert capsys.readouterr().err.splitlines() == said


def test_a_terminal_gets_tqdm_s_bar():
    from hone._progress import Bar

    class Tqdm:
        def __init__(self, **given):
            self.given, self.count, self.closed, self.postfix = given, 0, False, {}
            made.append(self)

        def set_postfix(self, refresh, **postfix):
            self.postfix = postfix

        def update(self, count):
            self.count += count

        def close(self):
            self.closed = True

    made = []
    bar = Bar(Tqdm, sys.stderr, 3)
    for event in (trial("a", 1), trial("b", 2, "Crashed"), {**trial("a", 3), "event": "finals"}, {"event": "done"}):
        bar(event)
    assert (made[0].count, made[0].postfix, made[0].closed) == (2, {"failed": 1, "tasks": 2}, True)
    assert made[0].given["total"] == 3


def test_other_runtimes_are_those_of_this_python(own_folder, monkeypatch):
    fake_program(own_folder, 'echo "{\\"python\\": \\"$HONE_PYTHON\\"}"', monkeypatch)
    bench = [sys.executable, "-m", "hone", "bench", "m.onnx", "--against", "onnxruntime"]
    done = subprocess.run(bench, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == {"python": sys.executable}
    assert hone.bench("m.onnx", against="onnxruntime") == {"python": sys.executable}
    monkeypatch.setenv("HONE_PYTHON", "mine")
    assert hone.bench("m.onnx", against="onnxruntime") == {"python": "mine"}


def test_python_m_hone_is_the_program(typed):
    import subprocess

    done = subprocess.run([sys.executable, "-m", "hone", "--version", "--json"], capture_output=True, text=True, check=True)
    assert done.stdout == typed("--version", "--json").stdout
