"""The tables of a run, as Markdown."""
import os
import platform


def machine():
    with open("/proc/cpuinfo", encoding="ascii") as info:
        model = next((line.split(":")[1].strip() for line in info if line.startswith("model name")), platform.machine())
    return f"{model}, {os.cpu_count()} cores, Linux {platform.release()}"


def table(heads, lines):
    rows = ["| " + " | ".join(heads) + " |", "|" + " --- |" * len(heads)]
    return "\n".join(rows + ["| " + " | ".join(line) + " |" for line in lines])


def milliseconds(values):
    if "p10_ns" not in values:
        return "not timed"
    return f"{values['p10_ns'] / 1e6:.2f} ({values['median_ns'] / 1e6:.2f})"


def number(value, digits=2):
    return "-" if value is None else f"{value:.{digits}f}"


def speed_table(rows, peers):
    heads = ["row", "hone p10 (median) ms"]
    for peer in peers:
        heads += [f"{peer} p10 (median) ms", "ratio"]
    lines = []
    for row in rows:
        cells = [row["row"], milliseconds(row["systems"]["hone"])]
        for peer in peers:
            cells += [milliseconds(row["systems"][peer]), number(row["ratios"].get(peer))]
        lines.append(cells + [number(row["goal"]), f"{row['worst_error']:.1e}", row["verdict"]])
    return table(heads + ["goal", "worst error", "verdict"], lines)


def speed_up_table(rows):
    heads = ["row", "1 thread p10 (median) ms", "2 threads p10 (median) ms", "speed-up", "goal", "verdict"]
    return table(heads, [[row["row"], milliseconds(row["one"]), milliseconds(row["two"]), number(row["reached"]),
                          number(row["goal"]), row["verdict"]] for row in rows])


def memory_table(rows, peers):
    systems = ("hone", *peers)
    heads = ["row", *(f"{system} MB" for system in systems), "hone / onnxruntime", "goal", "verdict"]
    lines = []
    for row in rows:
        megabytes = [row["systems"][system].get("memory_bytes", 0) / 1e6 for system in systems]
        lines.append([row["row"], *(f"{each:.0f}" for each in megabytes), number(row["reached"]), number(row["goal"]),
                      row["verdict"]])
    return table(heads, lines)


def text(rows, peers):
    parts = [machine()]
    if rows["speed"]:
        parts.append(speed_table(rows["speed"], peers))
    if rows["speed_up"]:
        parts.append(speed_up_table(rows["speed_up"]))
    if rows["memory"]:
        parts.append(memory_table(rows["memory"], peers))
    return "\n\n".join(parts) + "\n"
