"""One bar cut into shares: how labels, or anything else, are distributed."""

from collections.abc import Sequence

from core.plots.shapes import Bar, Plot

WIDTH, HEIGHT, GAP = 180, 12, 1


def share_bar(title: str, parts: Sequence[tuple[str, str, int]]) -> Plot:
    """Draw counts as parts of one bar, from left to right.

    Input: (kind, name, count), counts from 0. Output: a plot of WIDTH x HEIGHT whose parts are as
    wide as their share of the sum, with a gap of one pixel between two; a part of 0 is not drawn,
    and no bar at all when all are.
    """
    total = sum(count for _, _, count in parts)
    drawn = [(kind, name, count) for kind, name, count in parts if count]
    space = WIDTH - GAP * max(0, len(drawn) - 1)
    bars, x = [], 0.0
    for kind, name, count in drawn:
        width = space * count / total
        label = f"{name}: {count} of {total}, {format_share(count, total)}"
        bars.append(Bar(round(x, 2), 0, round(width, 2), HEIGHT, kind, label))
        x += width + GAP
    description = "; ".join(f"{name} {count}" for _, name, count in parts)
    return Plot(WIDTH, HEIGHT, title, description, tuple(bars))


def format_share(count: int, total: int) -> str:
    """Return a share in per cent with one digit: "30.5 %"; of nothing, "none"."""
    return f"{100 * count / total:.1f} %" if total else "none"
