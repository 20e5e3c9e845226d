"""The objects of the committed hone.yaml fit Kubernetes' schemas, and the commands of its pods work.

The pods' commands are run on this machine as the file has them. Arguments and environment are the same, and secrets
have the modes that a volume gives them. Only the folders, the tracker's name and the store are this machine's. helm_test.py
tests that the chart makes this file.
usage: chart_test.py SOURCES HONE HONE_RUNNER TOOLS. TOOLS is the folder of a virtual environment, which is made if this
Python has no kubernetes-validate. Exits 77 if pip's index cannot be reached.
"""
import contextlib
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

USER = 10001  # the user of every pod but the store's


def skip(why):
    print("SKIPPED:", why)
    sys.exit(77)


def with_validator(tools):
    """Continues in the environment in `tools`, which has kubernetes-validate, if this Python lacks it."""
    try:
        import kubernetes_validate
        import yaml

        return kubernetes_validate, yaml
    except ImportError:
        python = tools / "bin" / "python"
    if sys.prefix == str(tools):
        skip("kubernetes-validate cannot be imported")
    made = python.exists() or subprocess.run([sys.executable, "-m", "venv", tools]).returncode == 0
    if not made or subprocess.run([python, "-m", "pip", "install", "-q", "kubernetes-validate", "pyyaml"]).returncode != 0:
        skip("no kubernetes-validate, and pip's index cannot be reached")
    os.execv(python, [python, "-B", *sys.argv])


class Cluster:
    """The folders that stand for volumes, and the running programs."""

    def __init__(self, work, hone, runner, port):
        self.work, self.port, self.running = work, port, []
        self.programs = {"hone:latest": hone, "hone-runner:latest": runner}

    def secret(self, name, **files):
        """Writes a secret like its volume: links into a folder, readable by root and the pod's group."""
        data = self.work / name / "..data"
        data.mkdir(parents=True)
        for key, content in files.items():
            key = key.replace("_", "-")
            (data / key).write_text(content)
            (data / key).chmod(0o440)
            if os.getuid() == 0:
                os.chown(data / key, 0, USER)
            (self.work / name / key).symlink_to(pathlib.Path("..data") / key)

    def volume(self, name):
        path = self.work / name
        path.mkdir(exist_ok=True)
        if os.getuid() == 0:
            os.chown(path, USER, USER)
        return path

    def here(self, text, mounts):
        for inside, outside in mounts:
            text = text.replace(inside, str(outside))
        return text.replace("$(NODE)", "node-1").replace("hone-tracker:9190", f"127.0.0.1:{self.port}").replace(
            "0.0.0.0:9190", f"127.0.0.1:{self.port}")

    def start(self, pod, container, **more):
        spec = pod["spec"]
        places = {}
        for volume in spec["volumes"]:
            name = volume["name"]
            if "secret" in volume:
                places[name] = self.work / volume["secret"]["secretName"]
            elif "persistentVolumeClaim" in volume:
                places[name] = self.volume(volume["persistentVolumeClaim"]["claimName"])
            else:
                places[name] = self.volume(spec["containers"][0]["name"] + "." + name)
        mounts = [(m["mountPath"], places[m["name"]]) for m in container["volumeMounts"] if m["mountPath"] != "/tmp"]
        environment = {"PATH": os.environ["PATH"], **more}
        for variable in container.get("env", []):
            environment.setdefault(variable["name"], self.here(variable.get("value", ""), mounts))
        program = self.programs[container["image"]]
        words = container.get("command") or [program]
        words = [self.here(word, mounts) for word in words + container.get("args", [])]
        environment["PATH"] = os.path.dirname(program) + ":" + environment["PATH"]
        return subprocess.Popen(words, env=environment, cwd=self.work, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, **user_of_pods())

    def prepare(self, pod):
        for container in pod["spec"].get("initContainers", []):
            done = self.start(pod, container)
            output, _ = done.communicate(timeout=60)
            assert done.returncode == 0, output

    def serve(self, pod):
        self.prepare(pod)
        self.running.append(self.start(pod, pod["spec"]["containers"][0]))

    def end(self):
        for program in self.running:
            program.terminate()
        return [program.communicate(timeout=30)[0] for program in self.running]


def pod_of(objects, kind, name):
    for item in objects:
        if item["kind"] == kind and item["metadata"]["name"] == name:
            return item["spec"]["template"]
    raise AssertionError(f"no {kind} {name}")


def check_pods(objects):
    """Checks that no container runs as root, keeps a capability or writes to its image."""
    for item in objects:
        pod = item["spec"].get("template") if item["kind"] in ("Deployment", "DaemonSet", "StatefulSet", "Job") else None
        if pod is None:
            continue
        assert pod["spec"]["securityContext"]["runAsNonRoot"], item["metadata"]["name"]
        for container in pod["spec"]["containers"] + pod["spec"].get("initContainers", []):
            security = container["securityContext"]
            assert security["readOnlyRootFilesystem"] and not security["allowPrivilegeEscalation"]
            assert security["capabilities"] == {"drop": ["ALL"]}
    size = pod_of(objects, "DaemonSet", "hone-runner-genoa")["spec"]["containers"][0]["resources"]
    assert size["requests"] == size["limits"], "without equal ones no core is a pod's own"


def user_of_pods():
    return {"user": USER, "group": USER, "extra_groups": []} if os.getuid() == 0 else {}


def run(hone, *words, inside=False, **environment):
    """Runs hone, as a pod's user if `inside`."""
    return subprocess.run([hone, *words], capture_output=True, text=True, env={**os.environ, **environment},
                          **(user_of_pods() if inside else {}))


def play(objects, hone, runner):
    work = pathlib.Path(tempfile.mkdtemp(prefix="hone_chart_"))
    work.chmod(0o755)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    cluster = Cluster(work, hone, runner, port)
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, work)
        stack.callback(cluster.end)
        tracker = pod_of(objects, "Deployment", "hone-tracker")
        cluster.serve(tracker)
        # The manual steps of docs/howto/placement.md: keys made here, authorised at the tracker, brought as secrets.
        keys = work / "hone-tracker" / "keys"
        server_key = (keys / "secret.pub").read_text()
        for name, role in (("hone-runner", "runner"), ("hone-tuner", "tuner,viewer")):
            identity = work / (name + ".key")
            assert run(hone, "key", "new", "--identity", str(identity)).returncode == 0
            public = (work / (name + ".key.pub")).read_text().split()[0]
            added = run(hone, "key", "allow", public, "--name", name, "--role", role, inside=True, HONE_KEYS=str(keys))
            assert added.returncode == 0, added.stderr
            cluster.secret(name, identity=identity.read_text(), server_key=server_key)
        cluster.serve(pod_of(objects, "DaemonSet", "hone-runner-genoa"))
        models = cluster.volume("models")
        made = run(hone, "zoo", "mlp", "--image-shape", "1,14,14", "-o", str(models / "resnet50.onnx"))
        assert made.returncode == 0, made.stderr
        tune = pod_of(objects, "Job", "hone-tune-resnet-50")
        cluster.prepare(tune)
        store = cluster.volume("tune.home") / "records.db"
        container = tune["spec"]["containers"][0]
        container["args"] = [word if word != "1h" else "10s" for word in container["args"]]
        assert dict((v["name"], v.get("value")) for v in container["env"])["HONE_DB"] == "postgresql://hone@hone-store/hone"
        tuned = cluster.start(tune, container, HONE_DB=str(store))
        output, _ = tuned.communicate(timeout=120)
        assert tuned.returncode == 0, output
        assert "timing on genoa/node-1" in output, output
        # The init container finds the existing keys, and a second tracker uses them.
        cluster.prepare(tracker)
        assert (keys / "secret.pub").read_text() == server_key
        assert run(hone, "log", "export", "--all", "--db", str(store)).stdout.count("\n") > 3


def main():
    sources, tools = (pathlib.Path(sys.argv[i]).resolve() for i in (1, 4))
    hone, runner = os.path.realpath(sys.argv[2]), os.path.realpath(sys.argv[3])
    kubernetes_validate, yaml = with_validator(tools)
    committed = sources / "scripts" / "kubernetes" / "hone.yaml"
    objects = [item for item in yaml.safe_load_all(committed.read_text()) if item]
    for item in objects:
        kubernetes_validate.validate(item, kubernetes_validate.latest_version(), strict=True)
    check_pods(objects)
    play(objects, hone, runner)
    print(f"{len(objects)} objects as Kubernetes {kubernetes_validate.latest_version()} wants them: passed")


main()
