"""The goals of the rows, and their verdicts. A row is {"row": name, "reached": number, "goal": number,
"more_is_better": bool, "floor": number or None}."""

# The wanted ratio of another system's time to hone's: (1 thread, 2 threads). These goals are for ONNX Runtime's time.
SPEED = {
    "resnet-50": (1.25, 1.25), "resnet-18": (1.6, 1.6), "vgg-16": (2.2, 2.2), "mobilenet": (1.15, 1.15),
    "mobilenet_v2": (1.30, 1.30), "squeezenet": (1.3, 1.5), "googlenet": (2.2, 2.2), "alexnet": (1.6, 1.6),
    "densenet-121": (1.4, 1.4), "shufflenet": (1.4, 1.4),
}
# A ratio below this is a miss that nothing excuses.
SPEED_FLOOR = 1.0
# hone's time on one thread over that on two.
SPEED_UP = {"resnet-50": 1.95, "mobilenet_v2": 1.92}
# hone's peak memory over ONNX Runtime's, without and with weights that Winograd enlarges.
MEMORY, MEMORY_WINOGRAD = 1.0, 1.35
# max |y - r| / max |r|
WORST_ERROR = 1e-4
# A bound excuses a figure within this share of the one it names: times vary, but a larger loss is a regression.
BOUND_SLACK = 0.05


def better(row, value, than):
    return value >= than if row["more_is_better"] else value <= than


def judge(row, bounds):
    """The row's verdict: "reached", "no goal", "missed, bound: TEXT", "missed" or "behind". The last
    two fail the run."""
    reached = row["reached"]
    if row["floor"] is not None and reached < row["floor"]:
        return "behind"
    if row["goal"] is None:
        return "no goal"
    if better(row, reached, row["goal"]):
        return "reached"
    bound = bounds.get(row["row"])
    if bound is None:
        return "missed"
    slack = 1 - BOUND_SLACK if row["more_is_better"] else 1 + BOUND_SLACK
    return f"missed, bound: {bound['what']}" if better(row, reached, bound["reached"] * slack) else "missed"


def fails(verdict):
    return verdict in ("missed", "behind", "not timed", "outputs differ")
