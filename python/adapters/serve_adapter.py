"""The loop of an adapter: the protocol of docs/reference/adapter.md, version 1.

A runtime is a class with `name`, `version` and `settings`; its methods are load(model, threads, inputs, settings), which
returns the precision, run(), and outputs(), which returns pairs of a name and an array.
"""
import base64
import gc
import json
import os
import sys
import time


def array_of(tensor):
    import numpy

    data = bytearray(base64.b64decode(tensor["data"]))
    return numpy.frombuffer(data, numpy.dtype(tensor["dtype"])).reshape(tensor["shape"])


def tensor_of(name, value):
    data = base64.b64encode(value.tobytes()).decode()
    return {"name": name, "dtype": value.dtype.name, "shape": list(value.shape), "data": data}


def status_bytes(field):
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(field + ":"))


def forget_peak():
    """Resets VmHWM to the resident memory, and returns it."""
    gc.collect()
    with open("/proc/self/clear_refs", "w", encoding="ascii") as refs:
        refs.write("5")
    return status_bytes("VmRSS")


class Server:
    def __init__(self, make_runtime, package):
        self.make_runtime, self.package = make_runtime, package
        self.runtime = self.resident = None

    def hello(self, _):
        try:
            self.runtime = self.runtime or self.make_runtime()
        except ImportError as error:
            python = os.path.basename(sys.executable or "python3")
            return {"error": str(error), "install": f"{python} -m pip install {self.package}"}
        return {"hello": 1, "name": self.runtime.name, "version": self.runtime.version,
                "settings": self.runtime.settings}

    def load(self, request):
        if self.resident is None:
            self.resident = forget_peak()
        inputs = {each["name"]: array_of(each) for each in request["inputs"]}
        settings = {name: values[0] for name, values in self.runtime.settings.items()}
        settings.update(request["settings"])
        return {"precision": self.runtime.load(request["load"], request["threads"], inputs, settings)}

    def run(self, request):
        run, clock, times = self.runtime.run, time.perf_counter_ns, []
        for _ in range(request["run"]):
            begin = clock()
            run()
            times.append(clock() - begin)
        return {"ns": times}

    def outputs(self, _):
        return {"outputs": [tensor_of(name, value) for name, value in self.runtime.outputs()]}

    def memory(self, _):
        return {"bytes": max(0, status_bytes("VmHWM") - (self.resident or status_bytes("VmHWM")))}

    def bye(self, _):
        return {}

    def answer(self, request):
        for name in ("hello", "load", "run", "outputs", "memory", "bye"):
            if name in request:
                return getattr(self, name)(request)
        raise ValueError(f"no such request: {', '.join(request)}")


def serve(make_runtime, package):
    """Serves until bye or the end of stdin. `package` is what pip installs the runtime by."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print may not come among the answers
    server = Server(make_runtime, package)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            reply = server.answer(request)
        except Exception as error:  # of any kind: hone tells it in one line
            reply = {"error": " ".join(f"{type(error).__name__}: {error}".split())}
        print(json.dumps(reply), file=answers, flush=True)
        if "bye" in request:
            break
    answers.flush()
    os._exit(0)  # libraries with threads of their own may crash at a usual end
