"""Which labels of a plot have room beside each other, and names on one or two lines."""

from collections.abc import Sequence
from itertools import pairwise

from core.plots.shapes import Label

# Of the widest font that a page may use, at the size of labels.
SIGN, LINE = 6.6, 11
APART = 4


def box(label: Label) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of a label, at the widest."""
    width = SIGN * len(label.text)
    left = label.x - {"start": 0.0, "middle": width / 2, "end": width}[label.anchor]
    return left, label.y - LINE + 2, left + width, label.y + 2


def with_room(labels: Sequence[Label], width: float) -> list[Label]:
    """Return of labels on one line, from left to right, every k-th, so that none touches another.

    The first is always among them, and the last, for which one before it gives way. Those at the
    edge of a drawing of the width are moved into it.
    """
    labels = [within(label, 0, width) for label in labels]
    for every in range(1, len(labels) + 1):
        chosen = list(labels[::every])
        if chosen[-1] is not labels[-1]:
            chosen = [*(chosen[:-1] if len(chosen) > 1 else chosen), labels[-1]]
        pairs = pairwise(chosen)
        if all(box(one)[2] + APART <= box(other)[0] for one, other in pairs):
            return chosen
    return list(labels[:1])


def within(label: Label, left: float, right: float) -> Label:
    """Return a label moved no farther than it must, so that it stands between two places."""
    start, _, end, _ = box(label)
    move = min(0.0, right - end) or max(0.0, left - start)
    return Label(round(label.x + move, 2), label.y, label.text, label.anchor)


def name_labels(name: str, x: float, middle: float, width: float) -> list[Label]:
    """Return a name that ends at x beside the middle of a row, on two lines where it is long.

    Of one that is longer still the middle is left out: names of one kind differ at their ends.
    """
    signs = int(width // SIGN)
    if len(name) <= signs:
        return [Label(x, middle + 4, name, "end")]
    first, second = _lines(name, signs)
    return [Label(x, middle - 2, first, "end"), Label(x, middle + LINE - 1, second, "end")]


def _lines(name: str, signs: int) -> tuple[str, str]:
    if len(name) > 2 * signs:
        return name[:signs].rstrip(), f"…{name[1 - signs :].lstrip()}"
    at = name.rfind(" ", 0, signs + 1)
    if at < 0 or len(name) - at - 1 > signs:
        return name[:signs], name[signs:]
    return name[:at], name[at + 1 :]
