#!/usr/bin/env python3
"""Writes a list of what is linked into programs and libraries, as a CycloneDX 1.5 document (docs/howto/installing.md,
"What is in them").

    make_sbom.py --build DIR --ninja NINJA --name PACKAGE --version VERSION --output FILE BINARY...

BINARY is a file that DIR's build makes, by ninja's name for it. The linker's list of its inputs (--dependency-file) is
at DIR/sbom/NAME.d. Names, versions and licences are those of the Debian packages that own the files, or of
third_party/NAME/component.json. The same inputs give the same bytes."""

import argparse
import hashlib
import json
import os
import re
import subprocess
from collections import defaultdict
from pathlib import Path

SOURCES = Path(__file__).resolve().parent / "build_runner.sh"
# The ways in which a file comes into a binary. A package may come in several ways.
STATIC, HEADER, SHARED, LOADED = "static", "header", "shared", "loaded"
# Licences by source package. Its copyright file has no field for it, or only one for the whole source that does not fit
# the library.
EXPRESSIONS = {
    "gcc-12": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "gcc-12-cross": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "glibc": "LGPL-2.1-or-later",
    "cross-toolchain-base": "LGPL-2.1-or-later",
    "linux": "GPL-2.0-only WITH Linux-syscall-note",
    "llvm-toolchain-19": "Apache-2.0 WITH LLVM-exception",
    "curl": "curl",
    "e2fsprogs": "MIT",
    "fmtlib": "MIT",
    "gnutls28": "LGPL-2.1-or-later",
    "krb5": "MIT",
    "libidn2": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libsodium": "ISC",
    "libtasn1-6": "LGPL-2.1-or-later",
    "protobuf": "BSD-3-Clause",
    "rtmpdump": "LGPL-2.1-or-later",
    "sqlite3": "blessing",
    "zeromq3": "LGPL-3.0-or-later",
    "zlib": "Zlib",
}
# Debian's short names of licences that have another name in SPDX.
SPDX = {"Expat": "MIT", "BSD-3-clause": "BSD-3-Clause", "BSD3": "BSD-3-Clause", "BSD-4-clause": "BSD-4-Clause", "OpenLDAP-2.8": "OLDAP-2.8"}
SPDX_SAME = {"MIT", "ISC", "Apache-2.0", "BSD-3-Clause", "PostgreSQL", "curl"}
GNU = re.compile(r"(L?GPL)-(\d)(?:\.(\d))?(\+?)$")
# The source packages of the files that build_runner.sh builds into build/sysroot.
OF_SYSROOT = {"libzmq.a": "zeromq3", "libsodium.a": "libsodium", "libfmt.a": "fmtlib", "fmt": "fmtlib", "sodium": "libsodium", "sodium.h": "libsodium"}


def said(*command):
    """A command's output, whatever its exit code, because dpkg-query and ldd fail if a single file of many does."""
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout


def sha256(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def outside(file):
    """Whether a file belongs neither to the project nor to its build."""
    return not file.startswith(f"{SOURCES.parents[1]}/") or "/build/sysroot/" in file


def linker_inputs(build, binary):
    """Archives and objects from outside that the linker read, as it listed them. Shared libraries come from
    `loaded`."""
    text = (build / "sbom" / f"{Path(binary).name}.d").read_text().replace("\\\n", " ")
    files = {os.path.realpath(build / name) for name in text.split("\n", 1)[0].split(": ", 1)[1].split()}
    return {file for file in files if outside(file) and not file.startswith(f"{build}/") and file.endswith((".a", ".o"))}


def headers(build, ninja, binary):
    """Files from outside that were read to compile its objects."""
    objects = [line for line in said(ninja, "-C", build, "-n", "-t", "inputs", binary).split("\n") if line.endswith((".o", ".gch"))]
    found = set()
    for begin in range(0, len(objects), 200):
        # -n: reads the log of a running build without rewriting it.
        lines = said(ninja, "-C", build, "-n", "-t", "deps", *objects[begin : begin + 200]).split("\n")
        found.update(os.path.realpath(build / line.strip()) for line in lines if line.startswith("    "))
    return {file for file in found if outside(file)}


def vendored(build, ninja, binary):
    """Files below third_party that the build puts into the binary."""
    inputs = said(ninja, "-C", build, "-n", "-t", "inputs", binary).split("\n")
    return {file for name in inputs if "/third_party/" in (file := os.path.realpath(build / name.strip()))}


def loaded(build, binary):
    """Libraries that the system's loader loads: {path: whether the binary itself asks for it}."""
    asked = set(re.findall(r"NEEDED.*\[(.*)\]", said("readelf", "-d", build / binary)))
    if not asked:
        return {}
    lines = re.findall(r"(?:(\S+) => )?(/\S+) \(", said("ldd", build / binary))
    return {os.path.realpath(path): (name or Path(path).name) in asked for name, path in lines}


def owners(files):
    """{path: Debian package}, for files that have one. Packages may list files by their paths from before /usr was
    merged."""
    names = {name: file for file in files for name in (file, file.removeprefix("/usr"))}
    found, ordered = {}, sorted(names)
    for begin in range(0, len(ordered), 500):
        for line in said("dpkg-query", "--search", *ordered[begin : begin + 500]).split("\n"):
            packages, _, name = line.rpartition(": ")
            if name in names and not packages.startswith("diversion"):
                found[names[name]] = packages.split(", ")[0]
    return found


def spdx(name):
    match = GNU.match(name)
    if match:
        family, major, minor, later = match.groups()
        return f"{family}-{major}.{minor or 0}-{'or-later' if later else 'only'}"
    return SPDX.get(name) or (name if name in SPDX_SAME else None)


def licence(package, source):
    if package.startswith("linux-libc-dev"):
        source = "linux"  # also for other architectures
    if source in EXPRESSIONS:
        return [{"expression": EXPRESSIONS[source]}]
    file = Path("/usr/share/doc", package.split(":")[0], "copyright")
    text = file.read_text(errors="replace") if file.is_file() else ""
    whole = re.search(r"^Files:\s*\*[^\n]*\n(?:(?!\n\n)[\s\S])*?^License:[ \t]*(\S[^\n]*)$", text, re.MULTILINE)
    if not whole:
        return [{"license": {"name": f"see {file}"}}]
    name = whole.group(1).strip()
    known = [spdx(each) for each in name.split(" or ")]
    return [{"expression": " OR ".join(known)} if all(known) else {"license": {"name": name}}]


def debian_components(packages):
    """{package: its component, without files}, from dpkg's data."""
    form = "${Version}\t${source:Package}\t${Architecture}\n"
    ordered = sorted(packages)
    lines = said("dpkg-query", "--show", f"--showformat={form}", *ordered).split("\n")
    found = {}
    for package, (version, source, architecture) in zip(ordered, (line.split("\t") for line in lines)):
        name = package.split(":")[0]
        found[package] = {
            "type": "library",
            "bom-ref": package,
            "name": name,
            "version": version,
            "licenses": licence(package, source),
            "purl": f"pkg:deb/debian/{name}@{version.replace('+', '%2B')}?arch={architecture}",
        }
    return found


def source_component(name):
    """The component of a library that build_runner.sh builds: its sources, with the hashes in that script."""
    files = re.findall(rf"([0-9a-f]{{64}}) \S+/({name}_\S+)$", SOURCES.read_text().replace('"', "\n"), re.MULTILINE)
    version = re.sub(r"\.(orig|debian)\.tar\.\w+$", "", files[-1][1].split("_", 1)[1])
    return {
        "type": "library",
        "bom-ref": f"{name}:source",
        "name": name,
        "version": version,
        "licenses": [{"expression": EXPRESSIONS[name]}],
        "purl": f"pkg:deb/debian/{name}@{version.replace('+', '%2B')}?arch=source",
        "components": [{"type": "file", "name": file, "hashes": [{"alg": "SHA-256", "content": digest}]} for digest, file in files],
    }


def of_sysroot(file):
    """The source package of a file in build/sysroot, or None. cppzmq and nlohmann/json are copies of Debian's
    headers."""
    if "/build/sysroot/" not in file:
        return None
    path = Path(file)
    return next((OF_SYSROOT[part] for part in (path.name, path.parent.name) if part in OF_SYSROOT), "zeromq3" if "zmq" in path.name else None)


def of_vendor(file):
    """The folder of a file below third_party, or None. It has the library's component."""
    folder = Path(file).parent
    return folder.name if folder.parent == SOURCES.parents[1] / "third_party" else None


def vendor_component(folder):
    return json.loads((SOURCES.parents[1] / "third_party" / folder / "component.json").read_text())


def told(file):
    """A file's name in a document, without the folder of the project."""
    return re.sub(r"^.*/build/sysroot/", "sysroot/", file).removeprefix(f"{SOURCES.parents[1]}/")


def with_files(component, files):
    """The component with the hashes of `files`, which are pairs of a path and the way that it came in."""
    whole = sorted(file for file, way in files if way != HEADER)
    component.setdefault("components", []).extend(
        {"type": "file", "bom-ref": told(file), "name": told(file), "hashes": [{"alg": "SHA-256", "content": sha256(file)}]} for file in whole
    )
    properties = [{"name": "hone:linkage", "value": way} for way in sorted({way for _, way in files})]
    used = sorted(file for file, way in files if way == HEADER)
    if used:
        digest = hashlib.sha256("".join(f"{sha256(file)}  {told(file)}\n" for file in used).encode()).hexdigest()
        properties.append({"name": "hone:headers", "value": f"{len(used)} files; of their sha256sum lines: {digest}"})
    return {**component, "properties": properties}


def ways_of(build, ninja, binaries):
    """{path: ways in which it comes into the binaries}."""
    ways = defaultdict(set)
    for binary in binaries:
        for file in linker_inputs(build, binary):
            ways[file].add(STATIC)
        for file, direct in loaded(build, binary).items():
            ways[file].add(SHARED if direct else LOADED)
        for file in headers(build, ninja, binary):
            ways[file].add(HEADER)
        for file in vendored(build, ninja, binary):
            ways[file].add(STATIC)
    return ways


def original(file):
    """Debian's original of a file that build_runner.sh copied into a sysroot, such as nlohmann/json's headers."""
    return re.sub(r"^.*/build/sysroot/[^/]+/include/", "/usr/include/", file)


def document(build, ninja, name, version, binaries):
    ways = ways_of(build, ninja, binaries)
    vendors = defaultdict(list)
    for file in [file for file in ways if of_vendor(file)]:
        vendors[of_vendor(file)].extend((file, way) for way in ways.pop(file))
    owner = owners([original(file) for file in ways if not of_sysroot(file)])
    files, sources = defaultdict(list), defaultdict(list)
    for file, of_file in ways.items():
        source, package = of_sysroot(file), owner.get(original(file))
        if not source and not package:
            raise SystemExit(f"make_sbom.py: {file} is in {name}, and belongs to no Debian package")
        (sources[source] if source else files[package]).extend((file, way) for way in of_file)
    components = [with_files(component, files[package]) for package, component in debian_components(files).items()]
    components += [with_files(source_component(source), sources[source]) for source in sources]
    components += [with_files(vendor_component(folder), vendors[folder]) for folder in vendors]
    components.sort(key=lambda each: each["bom-ref"])
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": name,
                "name": name,
                "version": version,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
            }
        },
        "components": components,
        "dependencies": [{"ref": name, "dependsOn": [each["bom-ref"] for each in components]}],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("build", "ninja", "name", "version", "output"):
        parser.add_argument(f"--{option}", required=True)
    parser.add_argument("binaries", nargs="+")
    given = parser.parse_args()
    made = document(Path(os.path.realpath(given.build)), given.ninja, given.name, given.version, given.binaries)
    Path(given.output).write_text(json.dumps(made, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
