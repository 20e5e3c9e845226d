"""Reads the bounds on a documentation page, which excuse missed rows."""


def cells_of(line):
    return [cell.strip().strip("`") for cell in line.strip().strip("|").split("|")]


def read_bounds(path):
    """{row: {"reached": number, "what": text}} of the table under the heading "Bounds"; {} if the page has none.

    The table's columns are row, reached, and what bounds it. Raises ValueError on an unreadable row, so that a
    typing error neither loses nor invents an excuse.
    """
    bounds, inside = {}, False
    with open(path, encoding="utf-8") as page:
        for number, line in enumerate(page, 1):
            if line.startswith("#"):
                inside = line.strip("# \n") == "Bounds"
            if not inside or not line.startswith("|"):
                continue
            cells = cells_of(line)
            if cells[0] == "row" or set(cells[0]) <= set("-: "):
                continue
            try:
                row, reached, what = cells
                bounds[row] = {"reached": float(reached), "what": what}
            except ValueError:
                raise ValueError(f"{path}:{number}: a row of the bounds is | row | number | what bounds it |") from None
            if not what:
                raise ValueError(f"{path}:{number}: no bound is named for '{row}'")
    return bounds
