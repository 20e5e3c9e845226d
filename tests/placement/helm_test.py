"""Helm's chart renders to the committed hone.yaml, which chart_test.py tests, and reports wrong values.

usage: helm_test.py SOURCES. Exits 77 if helm or python3-yaml is missing.
"""
import pathlib
import shutil
import subprocess
import sys


def skip(why):
    print("SKIPPED:", why)
    sys.exit(77)


def render(helm, chart, *values):
    return subprocess.run([helm, "template", "hone", str(chart), *values], capture_output=True, text=True)


def check_refusals(helm, chart):
    """Checks that one line says what is wrong with values."""
    for values, told in ((["--set", "runners[0].cpus=0"], "cpus"), (["--set", "images.hone="], "hone"),
                         (["--set", "db=postgresql://hone:secret@store/hone"], "db"),
                         (["--set", "trackers.port=1"], "trackers"),
                         (["-f", str(chart.parent / "one_tuning.yaml"), "--set", "postgresql.enabled=false"], "no store")):
        refused = render(helm, chart, *values)
        assert refused.returncode != 0 and told in refused.stderr, (values, refused.stderr)


def main():
    helm = shutil.which("helm")
    if helm is None:
        skip("no helm")
    try:
        import yaml
    except ImportError:
        skip("no python3-yaml")
    chart = pathlib.Path(sys.argv[1]) / "scripts" / "kubernetes" / "chart"
    assert subprocess.run([helm, "lint", "--quiet", str(chart)]).returncode == 0
    check_refusals(helm, chart)
    rendered = render(helm, chart, "-f", str(chart.parent / "one_tuning.yaml"))
    assert rendered.returncode == 0, rendered.stderr
    objects = [item for item in yaml.safe_load_all(rendered.stdout) if item]
    committed = [item for item in yaml.safe_load_all((chart.parent / "hone.yaml").read_text()) if item]
    assert objects == committed, "scripts/kubernetes/hone.yaml is not what the chart makes: helm template again"
    print(f"{len(objects)} objects, as they are committed: passed")


main()
