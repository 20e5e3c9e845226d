"""Fixtures: a store and a folder of the test's own, and packages that are built once."""

import json
import os
import subprocess
from pathlib import Path

import pytest

import hone
from hone._parts import program_path

SMALL = {"image_shape": "1,14,14", "classes": 10}


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """The test works in its own folder, and reads and writes no file of the user."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("HONE_") and name not in ("HONE_LIBRARY", "HONE_PROGRAM")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HONE_DB", str(tmp_path / "records.db"))
    return tmp_path


@pytest.fixture(scope="session")
def small_package(tmp_path_factory):
    """zoo:mlp on images of 1x14x14."""
    path = tmp_path_factory.mktemp("packages") / "small.hone"
    hone.build("zoo:mlp", path, no_records=True, threads=2, **SMALL)
    return path


@pytest.fixture(scope="session")
def slow_package(tmp_path_factory):
    """A package whose run takes milliseconds."""
    path = tmp_path_factory.mktemp("packages") / "slow.hone"
    hone.build("zoo:mlp", path, no_records=True, threads=1, image_shape="3,224,224", classes=1000)
    return path


@pytest.fixture
def typed():
    """Runs the program as typed: its exit code, stdout and stderr."""

    def run(*arguments):
        done = subprocess.run([program_path(), *map(str, arguments)], capture_output=True, text=True, check=False)
        return done

    return run


def first_values(text):
    """The values that `hone run --json` prints for the first output."""
    return json.loads(text)["outputs"][0]["first"]


def leftovers(folder: Path):
    return sorted(each.name for each in folder.iterdir())
