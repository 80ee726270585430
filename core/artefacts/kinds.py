"""Which files of each kind the rows name: what else the store has is deleted, what it lacks named.

Each package registers its kinds at start.
"""

import time
from collections.abc import Callable, Collection, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from core.artefacts import bucket
from core.artefacts.bucket import store
from core.artefacts.store import delete, listed
from core.database import alone

# A row comes after its file, but never as late as this.
YOUNG: Final = timedelta(minutes=15)
# Longer than the largest file takes.
LONGEST_UPLOAD: Final = timedelta(days=1)
SECONDS_BETWEEN_SWEEPS: Final = 3600


@dataclass(frozen=True, slots=True)
class Kind:
    """Files of one kind: by owner and digest all that rows name, and which of owners rows name.

    What no row names is deleted once it is older than `keep`, alone under `lock` where whoever
    stores a row holds that, too. `folders` of the data directory hold copies by their owners, which
    may be deleted and fetched again.
    """

    name: str
    named: Callable[[], Iterator[tuple[str, str]]]
    needed: Callable[[Collection[str]], Collection[str]]
    keep: timedelta = YOUNG
    lock: int | None = None
    folders: tuple[str, ...] = ()


_kinds: Final[list[Kind]] = []


def register_kind(kind: Kind) -> None:
    _kinds.append(kind)


def kinds() -> tuple[Kind, ...]:
    """Return what is registered."""
    return tuple(_kinds)


def missing_files() -> Iterator[tuple[str, str, str]]:
    """Yield kind, owner and digest of what rows name and the store lacks."""
    for kind in _kinds:
        there = {(one.owner, one.sha256) for one in listed(kind.name)}
        for owner, sha256 in kind.named():
            if (owner, sha256) not in there:
                yield kind.name, owner, sha256


_swept_at: Final[dict[str, float]] = {}


def sweep_store() -> int:
    """Delete what no row names any more, at most once an hour; return how many objects.

    Parts of uploads that broke off are deleted after a day.
    """
    of = store()
    if of is None:
        return 0
    # The clock may have started a moment ago, so a number cannot mean "never".
    swept_at = _swept_at.get(of.address)
    if swept_at is not None and time.monotonic() < swept_at + SECONDS_BETWEEN_SWEEPS:
        return 0
    _swept_at[of.address] = time.monotonic()
    prefix = f"{of.prefix}/" if of.prefix else ""
    count = bucket.remove_parts(of, prefix, datetime.now(UTC) - LONGEST_UPLOAD)
    return count + sum(map(_sweep, _kinds))


def sweep_unnamed(name: str) -> int:
    """Delete what no row names of one kind, whenever that was done last."""
    return sum(_sweep(kind) for kind in _kinds if kind.name == name) if store() else 0


def _sweep(kind: Kind) -> int:
    if not _unnamed(kind):
        return 0
    with nullcontext() if kind.lock is None else alone(kind.lock):
        return sum(delete(kind.name, owner) for owner in _unnamed(kind))


def _unnamed(kind: Kind) -> set[str]:
    """Return the owners of which no row is left, and that have nothing young."""
    before = datetime.now(UTC) - kind.keep
    changed: dict[str, datetime] = {}
    for one in listed(kind.name):
        changed[one.owner] = max(one.changed_at, changed.get(one.owner, one.changed_at))
    old = {owner for owner, at in changed.items() if at < before}
    return old - set(kind.needed(old))
