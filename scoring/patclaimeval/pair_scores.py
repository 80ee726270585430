"""Scores many pairs with one model: from the cache, each distinct pair once, longest first."""

from __future__ import annotations

import hashlib
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Final, Generic, Protocol, TypeVar

from core.languages import RULE, has_unspaced
from scoring.patclaimeval.data import Pair

PairKey = tuple[bytes, bytes]
"""sha256 of the reference and of the candidate, 32 bytes each."""

FORMAT: Final = 1
ROWS_A_QUERY: Final = 400
BUSY_SECONDS: Final = 20.0
# TRUNCATE, not WAL: what is deleted is then one file, and any SQLite library is sound enough.
_SETUP: Final = "PRAGMA journal_mode=TRUNCATE; PRAGMA synchronous=NORMAL;"
# CROSS JOIN has SQLite look each pair up; for IN, 3.40 reads all rows of the model.
_FIND: Final = """WITH wanted (p, q) AS (VALUES {places})
    SELECT reference, candidate, value FROM wanted
    CROSS JOIN score ON model = ? AND reference = p AND candidate = q"""
_TABLE: Final = """CREATE TABLE IF NOT EXISTS score (
    model BLOB NOT NULL, reference BLOB NOT NULL, candidate BLOB NOT NULL, value {kind} NOT NULL,
    PRIMARY KEY (model, reference, candidate)) WITHOUT ROWID"""
Value = TypeVar("Value")


def pair_key(pair: Pair) -> PairKey:
    """Return the digests of a pair's two texts as UTF-8, sha256, 32 bytes each.

    A text in a script without blanks is known by the rule that cuts it, too: what was scored by
    another one is not used.
    """
    return _digest(pair[0]), _digest(pair[1])


def _digest(text: str) -> bytes:
    rule = f"{RULE}\0" if has_unspaced(text) else ""
    return hashlib.sha256(f"{rule}{text}".encode()).digest()


class PairCache(ABC, Generic[Value]):
    """Values by (model, reference, candidate); of texts only digests are stored.

    Several processes may use one file. It is only a cache: a file that is damaged is deleted
    and begun anew, one that cannot be used (a full disk, no permission) is done without, and
    ``log`` gets a sentence of either. Nothing here raises for the state of the file. A value that
    ``is_sound`` refuses is as one that is not there.
    """

    kind: ClassVar[str]
    """The column's type in SQLite."""

    def __init__(self, path: Path | None, log: Callable[[str], None] = lambda text: None) -> None:
        """Use the file at ``path``, made when first written; with None nothing is kept."""
        self._path = path
        self._log = log

    def get(self, model_sha256: str, keys: Sequence[PairKey]) -> dict[PairKey, Value]:
        """Return the values that are known of ``keys`` for the model (64 hex digits)."""
        found: dict[PairKey, Value] = {}
        if self._path is None or not self._path.is_file():
            return found
        model = bytes.fromhex(model_sha256)
        with self._guarded(), closing(self._open()) as connection:
            for part in _parts(keys):
                places = ",".join(["(?,?)"] * len(part))
                digests = [digest for key in part for digest in key]
                rows = connection.execute(_FIND.format(places=places), [*digests, model])
                found |= {(one, two): value for one, two, value in rows if self.is_sound(value)}
        return found

    def put(self, model_sha256: str, values: Mapping[PairKey, Value]) -> None:
        """Keep ``values`` of the model in one transaction; a value that is there stays."""
        if self._path is None or not values:
            return
        model = bytes.fromhex(model_sha256)
        with self._guarded(), closing(self._open()) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(
                "INSERT OR IGNORE INTO score VALUES (?, ?, ?, ?)",
                ((model, *key, value) for key, value in values.items()),
            )
            connection.execute("COMMIT")

    @staticmethod
    @abstractmethod
    def is_sound(value: object) -> bool:
        """Return whether a value that was read can be one that was put."""

    def _open(self) -> sqlite3.Connection:
        assert self._path is not None
        self._path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self._path, BUSY_SECONDS, isolation_level=None)
        try:
            _prepare(connection, self.kind)
        except BaseException:
            connection.close()
            raise
        return connection

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Let whatever is wrong with the file end the block and nothing else."""
        try:
            yield
        except (OSError, sqlite3.OperationalError) as error:
            self._path = None
            self._log(f"The score cache cannot be used ({error}); scoring goes on without it.")
        except sqlite3.DatabaseError:
            self._delete()

    def _delete(self) -> None:
        path = self._path
        assert path is not None
        try:
            path.unlink(missing_ok=True)
            # A journal left alone would be rolled into the new file.
            path.with_name(f"{path.name}-journal").unlink(missing_ok=True)
        except OSError as error:
            self._path = None
            self._log(f"The score cache is damaged and cannot be deleted ({error}).")
        else:
            self._log("The score cache was damaged; it is deleted, and a new one is begun.")


class ScoreCache(PairCache[float]):
    """Scores in (0, 1)."""

    kind = "REAL"

    @staticmethod
    def is_sound(value: object) -> bool:
        return isinstance(value, float) and 0.0 <= value <= 1.0


def _prepare(connection: sqlite3.Connection, kind: str) -> None:
    """Make the table in a new file; raise sqlite3.DatabaseError for a file of another kind."""
    connection.executescript(_SETUP)
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version == FORMAT:
        return
    if version:
        raise sqlite3.DatabaseError(f"format {version}")
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(_TABLE.format(kind=kind))
    connection.execute(f"PRAGMA user_version = {FORMAT}")
    connection.execute("COMMIT")


def _parts(keys: Iterable[PairKey]) -> Iterator[list[PairKey]]:
    rows = list(keys)
    for start in range(0, len(rows), ROWS_A_QUERY):
        yield rows[start : start + ROWS_A_QUERY]


SCORING_VERSION: Final = "2"
"""Raise it when the scores of unchanged models move: what was cached before is then not used."""

TOKEN_BUDGET: Final = 16_384
"""Tokens handed to the model at once, unless a single pair has more."""

PAIRS_A_WRITE: Final = 512
"""So many fresh scores go to the cache in one transaction."""


class PairModel(Protocol):
    """What a model must be able to do: :class:`scoring.patclaimeval.scorer.Scorer` does."""

    @property
    def limit(self) -> int:
        """The longest pair in tokens."""

    def token_counts(self, pairs: Sequence[Pair]) -> list[int]:
        """Return the length of each pair in tokens."""

    def unread(self, pairs: Sequence[Pair]) -> list[str]:
        """Return of each pair why the model cannot read its language; "" where it can."""

    def score(self, pairs: Sequence[Pair]) -> list[float]:
        """Return s(Q|P) in (0, 1) of each pair, in the given order."""


@dataclass(frozen=True, slots=True)
class PairScore:
    """s(Q|P) in (0, 1), or None with the ``reason`` why the pair is refused."""

    value: float | None
    reason: str = ""


def cache_key(model_sha256: str) -> str:
    """Return what the cache knows a model by, 64 hex digits: its manifest, and how it scores."""
    return hashlib.sha256(f"{SCORING_VERSION} {model_sha256}".encode()).hexdigest()


class CachedScorer:
    """One model with its cache; the model is loaded by the first pair that the cache lacks."""

    def __init__(
        self,
        load: Callable[[], PairModel],
        model_sha256: str,
        cache: ScoreCache,
        token_budget: int = TOKEN_BUDGET,
    ) -> None:
        """``model_sha256``: digest of the model's manifest (64 hex digits)."""
        self._load = load
        self._sha256 = cache_key(model_sha256)
        self._cache = cache
        self._budget = token_budget

    @cached_property
    def _model(self) -> PairModel:
        return self._load()

    def known(self, pairs: Sequence[Pair]) -> list[PairScore] | None:
        """Return the scores of all pairs if the cache has every one; None otherwise.

        The model is not loaded: a web process may ask.
        """
        keys = [pair_key(pair) for pair in pairs]
        found = self._cache.get(self._sha256, list(dict.fromkeys(keys)))
        return [PairScore(found[key]) for key in keys] if set(keys) <= set(found) else None

    def score(
        self, pairs: Sequence[Pair], on_scored: Callable[[int], None] = lambda count: None
    ) -> list[PairScore]:
        """Return a score, or the refusal, of each pair (reference, candidate), in their order.

        A pair over the model's limit, or in a language that it does not read, is refused by
        itself; nothing is cut. ``on_scored`` gets
        after each batch how many further of the given pairs are done, and may raise to stop:
        what was scored by then is in the cache. Raises what loading the model raises.
        """
        keys = [pair_key(pair) for pair in pairs]
        texts = dict(zip(keys, pairs, strict=True))
        found = {
            key: PairScore(value) for key, value in self._cache.get(self._sha256, [*texts]).items()
        }
        on_scored(sum(key in found for key in keys))
        times = {key: 0 for key in texts if key not in found}
        for key in keys:
            if key in times:
                times[key] += 1
        # Closed here, so that what was scored is written before anybody learns of an exception.
        with closing(self._fresh({key: texts[key] for key in times})) as batches:
            for fresh in batches:
                found |= fresh
                on_scored(sum(times[key] for key in fresh))
        return [found[key] for key in keys]

    def _fresh(self, texts: dict[PairKey, Pair]) -> Generator[dict[PairKey, PairScore]]:
        """Yield the scores of distinct pairs batch by batch, and write them to the cache."""
        if not texts:
            return
        limit = self._model.limit
        tokens = dict(zip(texts, self._model.token_counts([*texts.values()]), strict=True))
        refused = {
            key: reason or _too_long(tokens[key], limit)
            for key, reason in zip(texts, self._model.unread([*texts.values()]), strict=True)
            if reason or tokens[key] > limit
        }
        yield {key: PairScore(None, reason) for key, reason in refused.items()}
        waiting: dict[PairKey, float] = {}
        try:
            for batch in _batches({k: tokens[k] for k in texts if k not in refused}, self._budget):
                values = self._model.score([texts[key] for key in batch])
                scored = dict(zip(batch, values, strict=True))
                waiting |= scored
                if len(waiting) >= PAIRS_A_WRITE:
                    self._cache.put(self._sha256, waiting)
                    waiting = {}
                yield {key: PairScore(value) for key, value in scored.items()}
        finally:
            self._cache.put(self._sha256, waiting)


def _batches(tokens: dict[PairKey, int], budget: int) -> Iterator[list[PairKey]]:
    """Yield keys with at most ``budget`` tokens together, or one key; the longest come first.

    What does not fit into memory then shows at once, and not after hours.
    """
    batch: list[PairKey] = []
    size = 0
    for key in sorted(tokens, key=lambda key: -tokens[key]):
        if batch and size + tokens[key] > budget:
            yield batch
            batch, size = [], 0
        batch.append(key)
        size += tokens[key]
    if batch:
        yield batch


def _too_long(tokens: int, limit: int) -> str:
    return f"The pair has {tokens} tokens and the model takes {limit}; nothing is cut."
