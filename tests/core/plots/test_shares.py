import pytest

from core.plots.shares import GAP, WIDTH, format_share, share_bar


def test_parts_are_as_wide_as_their_share() -> None:
    plot = share_bar("Labels", [("b", "B better", 6), ("tie", "equal", 3), ("c", "C better", 3)])
    one, two, three = plot.bars
    scene = WIDTH - 2 * GAP
    assert [bar.width for bar in plot.bars] == pytest.approx([scene / 2, scene / 4, scene / 4])
    assert (one.x, two.x, three.x) == pytest.approx(
        (0, scene / 2 + GAP, scene / 2 + scene / 4 + 2 * GAP)
    )
    assert three.x + three.width == pytest.approx(WIDTH)
    assert [bar.kind for bar in plot.bars] == ["b", "tie", "c"]


def test_a_part_of_nothing_is_named_and_not_drawn() -> None:
    plot = share_bar("Labels", [("b", "B better", 5), ("tie", "equal", 0)])
    assert [(bar.kind, bar.width) for bar in plot.bars] == [("b", WIDTH)]
    assert plot.description == "B better 5; equal 0"
    assert share_bar("Labels", [("b", "B better", 0)]).bars == ()


def test_shares_are_written_in_per_cent() -> None:
    assert format_share(375, 1228) == "30.5 %"
    assert format_share(0, 0) == "none"
