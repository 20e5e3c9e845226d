"""Sessions that keep states from run to run."""

import copy
import pickle

import numpy as np
import pytest

import hone
from hone_runtime import _calls, _session

# y is the sum of all rows that came; up to 8 are kept.
ROWS = """def @main(%x: Tensor[(2, 4), float32], %past: Tensor[(8, 4), float32], %seq: int64, %length: int64,
    ranged=[0, 0, 2, 1, 1, 0, 3, 0], counted=[1, 0, 2, 8, -1, 0, 2, 8], states=[1, 1])
    -> (Tensor[(4), float32], Tensor[(8, 4), float32], int64) {
  %0 = append_rows(%past, %x, %length, %seq, axis=0);
  %1 = sum(%0, axis=[0]);
  %2 = add(%length, %seq);
  (%1, %0, %2)
}
"""


@pytest.fixture(autouse=True, params=["extension", "ctypes"])
def way(request, monkeypatch):
    if request.param == "ctypes":
        monkeypatch.setattr(_session, "arm", lambda *given: False)
    elif not hasattr(_calls.Quick, "_arm"):
        pytest.skip("the extension was not built")


@pytest.fixture
def net(tmp_path):
    (tmp_path / "rows.relay").write_text(ROWS)
    hone.build("rows.relay", "rows.hone", no_records=True, threads=1)
    return hone.load("rows.hone")


def rows(*firsts):
    return np.stack([np.arange(4, dtype=np.float32) + first for first in firsts])


def test_continue_from_the_last_run(net):
    assert [str(state) for state in net.states] == ["past: float32 8x4"]
    assert [info.name for info in net.inputs] == ["x"] and len(net.outputs) == 1
    np.testing.assert_array_equal(net(rows(1, 2)), rows(1, 2).sum(0))
    np.testing.assert_array_equal(net(rows(5)), rows(1, 2, 5).sum(0))
    assert (net.state_length, net.state_capacity) == (3, 8)
    net.truncate(1)
    np.testing.assert_array_equal(net(rows(7)), rows(1, 7).sum(0))
    net.reset()
    np.testing.assert_array_equal(net(rows(3)), rows(3).sum(0))


def test_are_full_and_stay_usable(net):
    for _ in range(4):
        net(rows(1, 1))
    with pytest.raises(hone.BadDataError, match="'past' holds 8 positions, and the run adds 1: it has room for 8"):
        net(rows(1))
    with pytest.raises(hone.UsageError, match="cannot be truncated to 9"):
        net.truncate(9)
    with pytest.raises(hone.UsageError, match="an integer would be right"):
        net.truncate(1.5)
    net.truncate(7)
    np.testing.assert_array_equal(net(rows(2)), rows(1, 1, 1, 1, 1, 1, 1, 2).sum(0))


def test_are_saved_forked_and_copied(net):
    net(rows(1, 2))
    saved, forked, pickled, copied = net.save_state(), net.fork(), pickle.loads(pickle.dumps(net)), copy.copy(net)
    want = net(rows(3))
    for other in (forked, pickled, copied):
        assert other.state_length == 2
        np.testing.assert_array_equal(other(rows(3)), want)
    net.load_state(saved)
    np.testing.assert_array_equal(net(rows(3)), want)
    with pytest.raises(hone.BadDataError, match="is damaged"):
        net.load_state(saved[:-1] + bytes([saved[-1] ^ 1]))
    with pytest.raises(hone.UsageError, match="the bytes of save_state would be right"):
        net.load_state("state")
    assert net.state_length == 3


def test_generate_needs_a_language_model(net):
    with pytest.raises(hone.UsageError, match="generates no text: the meaning of its input x is not known"):
        net.generate([1])
    with pytest.raises(hone.UsageError, match="a token id is 1.5; an integer would be right"):
        net.generate([1.5])
    with pytest.raises(hone.UsageError, match="a prompt of text needs tokenizer="):
        net.generate("text")
    np.testing.assert_array_equal(net(rows(3)), rows(3).sum(0))
