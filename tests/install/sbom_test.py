#!/usr/bin/env python3
"""sbom_test.py BUILD NINJA: the documents of scripts/make_sbom.py name everything that the programs contain.

The test finds the contents by other means than the script: from the link lines and from the system's loader. Exits 77,
which skips the test, if the build made no documents."""

import hashlib
import importlib.util
import json
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD, NINJA = Path(sys.argv[1]).resolve(), sys.argv[2]
SOURCES = Path(__file__).resolve().parents[2]
OF = {"hone": ["bin/hone", "bin/hone-compiler"], "hone-runner": ["bin/hone-runner"]}
LIBRARIES = {"libhone-runtime0": "lib/libhone.so.0.1.0", "libhone-dev": "lib/libhone.a"}


def said(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout


def document(package):
    return json.loads((BUILD / "sbom" / f"{package}.cdx.json").read_text())


def files_in(package):
    return {file["name"] for each in document(package)["components"] for file in each["components"]}


def names_in(package):
    return {each["name"] for each in document(package)["components"]}


class Sbom(unittest.TestCase):
    def test_names_every_file_that_the_loader_brings(self):
        for package, binaries in OF.items():
            for binary in binaries:
                loaded = re.findall(r"(/\S+) \(0x", said("ldd", BUILD / binary))
                self.assertGreater(len(loaded), 3)
                for path in loaded:
                    self.assertIn(str(Path(path).resolve()), files_in(package), binary)

    def test_names_every_archive_and_library_of_the_link_line(self):
        for package, binaries in OF.items():
            line = said(NINJA, "-C", BUILD, "-n", "-t", "commands", "-s", binaries[0])
            linked = re.findall(r"(/usr/lib/\S+\.(?:a|so)[.0-9]*)(?= |$)", line)
            self.assertGreater(len(linked), 2, line)
            for path in linked:
                self.assertIn(str(Path(path).resolve()), files_in(package))

    def test_names_libraries_of_headers_alone(self):
        for package, wanted in {"hone": {"nlohmann-json3-dev", "libcli11-dev", "llvm-19-dev"}, "libhone-runtime0": {"nlohmann-json3-dev", "libfmt-dev"}}.items():
            self.assertLessEqual(wanted, names_in(package))
        for package in LIBRARIES:
            self.assertLessEqual({"libstdc++-12-dev", "libgcc-12-dev"}, names_in(package))
            self.assertNotIn("llvm-19-dev", names_in(package))

    def test_names_what_lies_in_the_tree_of_others(self):
        chart = next(each for each in document("hone")["components"] if each["name"] == "chart.js")
        library = SOURCES / "third_party" / "chartjs" / "chart.umd.min.js"
        self.assertIn(f"Chart.js v{chart['version']}", library.read_text()[:200])
        self.assertIn(f"Chart.js {chart['version']} ", (SOURCES / "THIRD_PARTY_NOTICES.md").read_text())
        self.assertEqual([file["name"] for file in chart["components"]], ["third_party/chartjs/chart.umd.min.js"])
        self.assertNotIn("chart.js", names_in("hone-runner"))

    def test_tells_version_licence_and_hash_of_each(self):
        for package in (*OF, *LIBRARIES):
            for each in document(package)["components"]:
                self.assertTrue(each["version"] and each["licenses"] and each["purl"].startswith(("pkg:deb/debian/", "pkg:npm/")), each)
                headers = any(given["name"] == "hone:headers" for given in each["properties"])
                self.assertTrue(each["components"] or headers, each)
                for file in each["components"]:
                    digest = hashlib.sha256((SOURCES / file["name"]).read_bytes()).hexdigest()
                    self.assertEqual(file["hashes"], [{"alg": "SHA-256", "content": digest}])

    def test_is_the_same_when_it_is_made_again(self):
        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder, "again.json")
            subprocess.run(
                [sys.executable, "-B", SOURCES / "scripts" / "make_sbom.py", "--build", BUILD, "--ninja", NINJA, "--name", "libhone-dev"]
                + ["--version", document("libhone-dev")["metadata"]["component"]["version"], "--output", made, LIBRARIES["libhone-dev"]],
                check=True,
            )
            self.assertEqual(made.read_bytes(), (BUILD / "sbom" / "libhone-dev.cdx.json").read_bytes())

    def test_is_valid(self):
        if not importlib.util.find_spec("cyclonedx"):
            self.skipTest("there is no validator (pip install 'cyclonedx-python-lib[json-validation]')")
        from cyclonedx.schema import SchemaVersion
        from cyclonedx.validation.json import JsonStrictValidator

        for package in (*OF, *LIBRARIES):
            self.assertIsNone(JsonStrictValidator(SchemaVersion.V1_5).validate_str(json.dumps(document(package))))


if __name__ == "__main__":
    if not (BUILD / "sbom" / "hone.cdx.json").exists():
        print("the build made no documents")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
