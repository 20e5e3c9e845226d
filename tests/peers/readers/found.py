"""Finds other programs that read hone's files, and makes a folder to work in."""
import argparse
import importlib.util
import os
import shutil
import subprocess
import sys

SKIPPED = 77


def arguments(doc):
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hone", required=True, help="the build folder")
    parser.add_argument("--readers", required=True, help="where requirements.txt was installed with pip --target, if it was")
    parser.add_argument("--work", required=True, help="written anew")
    asked = parser.parse_args()
    asked.hone, asked.readers, asked.work = map(os.path.abspath, (asked.hone, asked.readers, asked.work))
    shutil.rmtree(asked.work, ignore_errors=True)
    os.makedirs(asked.work)
    return asked


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def package_folder(name, readers):
    """The folder of a Python package, in this Python or in `readers`; None if neither has it. Imports nothing."""
    sys.path.append(readers)
    found = importlib.util.find_spec(name)
    return found.submodule_search_locations[0] if found and found.submodule_search_locations else None


def python_with(module, readers):
    """A Python that can import the module, and its environment. It is this one or the system's, with
    `readers` in its path."""
    environment = {**os.environ, "PYTHONPATH": readers}
    for python in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(python) and subprocess.run([python, "-c", f"import {module}"], env=environment, stderr=subprocess.DEVNULL).returncode == 0:
            return python, environment
    return skip(f"no Python with {module}; pip install --target build/readers -r tests/peers/readers/requirements.txt")


class Hone:
    """The program, run in a folder."""

    def __init__(self, asked):
        self.program, self.work = f"{asked.hone}/bin/hone", asked.work

    def __call__(self, *words):
        done = subprocess.run([self.program, *words], cwd=self.work, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"hone {' '.join(words)} ended with {done.returncode}: {done.stderr}")
        return done.stdout

    def path(self, name):
        return os.path.join(self.work, name)


def same(what, got, expected):
    """Ends the test if the two values differ."""
    if got != expected:
        raise SystemExit(f"{what}: {got}, and expected are {expected}")
