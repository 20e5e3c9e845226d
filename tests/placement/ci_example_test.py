"""The steps of scripts/ci/model_speed.yml, run as GitHub's runners run them. A slower model fails, the same one does
not.

usage: ci_example_test.py SOURCES HONE. Exits 77 if PyYAML is missing.
"""
import os
import pathlib
import subprocess
import sys
import tempfile


def steps_of(workflow):
    (job,) = workflow["jobs"].values()
    return job["env"], [step for step in job["steps"] if "run" in step]


def play(workflow, hone, head, base, fail_above):
    """The name of the step that failed, or None, and the summary."""
    environment, steps = steps_of(workflow)
    with tempfile.TemporaryDirectory(prefix="hone_ci_") as work:
        work = pathlib.Path(work)
        environment = {**os.environ, **environment, "GITHUB_STEP_SUMMARY": str(work / "summary.md"),
                       "FAIL_ABOVE": fail_above or environment["FAIL_ABOVE"],
                       "PATH": os.path.dirname(hone) + ":" + os.environ["PATH"]}
        for side, shape in (("head", head), ("base", base)):
            (work / side).mkdir()
            subprocess.run([hone, "zoo", "squeezenet_v1.1", "--image-shape", shape, "-o", str(work / side / "model.onnx")],
                           check=True, stdout=subprocess.DEVNULL)
        failed = None
        for step in steps:
            done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], cwd=work,
                                  env=environment, capture_output=True, text=True)
            if done.returncode != 0:
                failed = step["name"]
                print(done.stdout, done.stderr)
                break
        summary = work / "summary.md"
        return failed, summary.read_text() if summary.exists() else ""


def main():
    sources, hone = pathlib.Path(sys.argv[1]), os.path.realpath(sys.argv[2])
    try:
        import yaml
    except ImportError:
        print("SKIPPED: no yaml (python3-yaml)")
        sys.exit(77)
    workflow = yaml.safe_load((sources / "scripts" / "ci" / "model_speed.yml").read_text())
    # The bound is wide, because the machine may be busy.
    failed, summary = play(workflow, hone, head="3,64,64", base="3,64,64", fail_above="90%")
    assert failed is None, failed
    assert "head" in summary, summary
    failed, summary = play(workflow, hone, head="3,224,224", base="3,64,64", fail_above=None)
    assert failed == "Compare", failed
    assert "head" in summary, summary
    print("the same model passes, one of twelve times the work does not: passed")


main()
