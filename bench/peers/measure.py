"""Times systems against each other: every system in a process of its own, in short bursts that take turns."""
import array
import os
import subprocess
import sys

# Slow spells of the machine last longer than this, so they affect all systems.
BURST_NS = 0.15e9
# A run may take longer than a burst. A system stops taking turns once it has used so many times its share of time.
MOST_SHARES = 4


class Worker:
    def __init__(self, system, model, threads, feed, shape):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "worker.py")
        self.process = subprocess.Popen(
            [sys.executable, script, system, model, str(threads), feed, ",".join(map(str, shape))],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, "TVM_NUM_THREADS": str(threads)})
        self.times = []
        if self.process.stdout.readline().strip() != "ready":
            raise RuntimeError(f"{system} cannot run {model}")

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        reply = self.process.stdout.readline()
        if not reply:
            raise RuntimeError(f"a worker ended at '{command}'")
        return reply.split()

    def run(self, count):
        self.times += [int(t) for t in self.ask(f"run {count}")]

    def output(self, path):
        self.ask(f"output {path}")
        values = array.array("f")
        with open(path, "rb") as file:
            values.frombytes(file.read())
        os.remove(path)
        return values

    def memory(self):
        peak, held = self.ask("memory")
        return {"peak_bytes": int(peak), "held_bytes": int(held)}

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def interleave(workers, seconds):
    """Lets the workers take turns until each has run for about `seconds` in total."""
    for worker in workers:
        worker.run(2)
        worker.times.clear()
        worker.run(1)
    for _ in range(max(2, int(seconds * 1e9 / BURST_NS))):
        for worker in workers:
            if sum(worker.times) < MOST_SHARES * seconds * 1e9:
                worker.run(max(1, int(BURST_NS / min(worker.times))))


def percentile(times, p):
    return sorted(times)[int(p * (len(times) - 1))]


def summary(worker):
    return {"runs": len(worker.times), "min_ns": min(worker.times), "p10_ns": percentile(worker.times, 0.1),
            "median_ns": percentile(worker.times, 0.5)}


def worst_error(values, reference):
    """max |values - reference| over max |reference|; infinite if a value is NaN or the sizes differ."""
    if len(values) != len(reference) or any(v != v for v in values):
        return float("inf")
    largest = max(map(abs, reference))
    return max(abs(a - b) for a, b in zip(values, reference)) / max(largest, 1e-30)
