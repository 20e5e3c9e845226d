"""All cases of the sweep by name."""
import collections
import importlib
import zlib

from net import Net

FAMILIES = ("convolutions", "transposed_convolutions", "pools", "products", "reductions", "elementwise", "moves", "choosing", "quantised", "recurrent")
Case = collections.namedtuple("Case", "name family write")


def all_cases():
    """All cases, ordered by a hash of their names, so that the first hundred include all families. Names are unique."""
    cases = {}
    for family in FAMILIES:
        for name, write in importlib.import_module(f"families.{family}").cases():
            if name in cases:
                raise ValueError(f"two cases are called {name}")
            cases[name] = Case(name, family, write)
    return sorted(cases.values(), key=lambda case: zlib.crc32(case.name.encode()))


def written(case):
    net = Net(case.name)
    case.write(net)
    return net
