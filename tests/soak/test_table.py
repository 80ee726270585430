"""The soak's table shows what was lost, and does not call a promise kept that was not tried."""

from typing import Any

from tests.soak.table import rows_of, written


def line(**more: Any) -> dict[str, Any]:
    usual = {"promise": "P1", "planted": False, "test": "a::b", "when": "call"}
    return usual | {"outcome": "passed", "reason": "", "seconds": 1.0} | more


def test_counts_of_several_tests_are_summed_and_a_planted_fault_counts_no_loss() -> None:
    lines = [
        line(tried={"submits": 500}, found={"lost": 0}),
        line(tried={"submits": 1000}, found={"lost": 2}, when="call", outcome="failed"),
        line(planted=True, found={"lost": 94}),
    ]
    (row,) = rows_of(lines)
    assert row.cells() == ["P1", "1,500 submits", "2", "-", "-", "yes", "3", "FAILED"]


def test_a_promise_whose_tests_were_all_skipped_is_not_kept_and_says_why() -> None:
    rows = rows_of([line(promise="P2", when="setup", outcome="skipped", reason="no server")])
    assert rows[0].cells()[-1] == "not tried"
    assert "P2: not tried: no server" in written(rows)


def test_a_planted_fault_that_was_not_found_is_reported() -> None:
    (row,) = rows_of([line(planted=True, outcome="failed")])
    assert row.cells()[5:] == ["NO", "1", "FAILED"]


def test_a_fault_that_cannot_be_planted_on_one_pair_is_not_one_that_was_overlooked() -> None:
    (row,) = rows_of([line(), line(planted=True, outcome="skipped", reason="no SQLite")])
    assert row.cells()[5:] == ["-", "2", "kept"]


def test_promises_stand_in_the_order_of_their_numbers() -> None:
    rows = rows_of([line(promise=name) for name in ("P10", "P2", "P1")])
    assert [row.promise for row in rows] == ["P1", "P2", "P10"]
