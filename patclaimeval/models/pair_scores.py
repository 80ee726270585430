"""Scores many pairs with one model: from the cache, each distinct pair once, longest first."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Protocol, cast

from patclaimeval.claims.languages import RULE, has_unspaced
from patclaimeval.models.data import Pair
from patclaimeval.models.explanation import Parts

PairKey = tuple[bytes, bytes]
"""sha256 of the reference and of the candidate, 32 bytes each."""

FORMAT: Final = 2
ROWS_A_QUERY: Final = 400
BUSY_SECONDS: Final = 20.0
# TRUNCATE, not WAL: what is deleted is then one file, and any SQLite library is sound enough.
_SETUP: Final = "PRAGMA journal_mode=TRUNCATE; PRAGMA synchronous=NORMAL;"
# CROSS JOIN has SQLite look each pair up; for IN, 3.40 reads all rows of the model.
_FIND: Final = """WITH wanted (p, q) AS (VALUES {places})
    SELECT reference, candidate, value, parts FROM wanted
    CROSS JOIN score ON model = ? AND reference = p AND candidate = q"""
_TABLE: Final = """CREATE TABLE IF NOT EXISTS score (
    model BLOB NOT NULL, reference BLOB NOT NULL, candidate BLOB NOT NULL, value REAL NOT NULL,
    parts TEXT, PRIMARY KEY (model, reference, candidate)) WITHOUT ROWID"""


@dataclass(frozen=True, slots=True)
class PairScore:
    """s(Q|P) in (0, 1), or None with the ``reason`` why the pair is refused.

    ``parts`` explain the score, where a model has such and they were asked for.
    """

    value: float | None
    reason: str = ""
    parts: Parts | None = None


def pair_key(pair: Pair) -> PairKey:
    """Return the digests of a pair's two texts as UTF-8, sha256, 32 bytes each.

    A text in a script without blanks is known by the rule that cuts it, too: what was scored by
    another one is not used.
    """
    return _digest(pair[0]), _digest(pair[1])


def _digest(text: str) -> bytes:
    rule = f"{RULE}\0" if has_unspaced(text) else ""
    return hashlib.sha256(f"{rule}{text}".encode()).digest()


class ScoreCache:
    """Scores by (model, reference, candidate); of texts only digests are stored.

    Several processes may use one file. It is only a cache: a file that is damaged is deleted
    and begun anew, one that cannot be used (a full disk, no permission) is done without, and
    ``log`` gets a sentence of either. Nothing here raises for the state of the file. A value that
    cannot be a score is as one that is not there.
    """

    def __init__(self, path: Path | None, log: Callable[[str], None] = lambda text: None) -> None:
        """Use the file at ``path``, made when first written; with None nothing is kept."""
        self._path = path
        self._log = log

    def get(
        self, model_sha256: str, keys: Sequence[PairKey], *, with_parts: bool = False
    ) -> dict[PairKey, PairScore]:
        """Return the scores that are known of ``keys`` for the model (64 hex digits).

        ``with_parts``: only those that are known with what explains them.
        """
        found: dict[PairKey, PairScore] = {}
        if self._path is None or not self._path.is_file():
            return found
        model = bytes.fromhex(model_sha256)
        with self._guarded(), closing(self._open()) as connection:
            for part in _parts(keys):
                places = ",".join(["(?,?)"] * len(part))
                digests = [digest for key in part for digest in key]
                for one, two, *values in connection.execute(
                    _FIND.format(places=places), [*digests, model]
                ):
                    score = _read(*values, with_parts=with_parts)
                    if score is not None:
                        found[one, two] = score
        return found

    def put(self, model_sha256: str, scores: Mapping[PairKey, PairScore]) -> None:
        """Keep ``scores`` of the model in one transaction, in the place of those of before."""
        if self._path is None or not scores:
            return
        model = bytes.fromhex(model_sha256)
        with self._guarded(), closing(self._open()) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(
                "INSERT OR REPLACE INTO score VALUES (?, ?, ?, ?, ?)",
                (
                    (model, *key, one.value, None if one.parts is None else json.dumps(one.parts))
                    for key, one in scores.items()
                ),
            )
            connection.execute("COMMIT")

    def _open(self) -> sqlite3.Connection:
        assert self._path is not None
        self._path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self._path, BUSY_SECONDS, isolation_level=None)
        try:
            _prepare(connection)
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


def _read(value: object, parts: object, *, with_parts: bool) -> PairScore | None:
    """Return what was stored; None where it is no score, or has no parts and needs them."""
    if not isinstance(value, float) or not 0.0 <= value <= 1.0:
        return None
    if not with_parts:
        return PairScore(value)
    try:
        found: Any = json.loads(parts) if isinstance(parts, str) else None
    except ValueError:
        return None
    return PairScore(value, parts=found) if isinstance(found, dict) else None


def _prepare(connection: sqlite3.Connection) -> None:
    """Make the table in a new file; raise sqlite3.DatabaseError for a file of another kind."""
    connection.executescript(_SETUP)
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version == FORMAT:
        return
    if version:
        raise sqlite3.DatabaseError(f"format {version}")
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(_TABLE)
    connection.execute(f"PRAGMA user_version = {FORMAT}")
    connection.execute("COMMIT")


def _parts(keys: Iterable[PairKey]) -> Iterator[list[PairKey]]:
    rows = list(keys)
    for start in range(0, len(rows), ROWS_A_QUERY):
        yield rows[start : start + ROWS_A_QUERY]


SCORING_VERSION: Final = "2"
"""Raise it when scores or parts of unchanged models move: what was cached is then not used."""

TOKEN_BUDGET: Final = 16_384
"""Tokens handed to the model at once, unless a single pair has more."""

PAIRS_A_WRITE: Final = 512
"""So many fresh scores go to the cache in one transaction."""


class PairModel(Protocol):
    """What a model must be able to do: :class:`patclaimeval.models.scorer.Scorer` does."""

    @property
    def limit(self) -> int:
        """The longest pair in tokens."""

    def token_counts(self, pairs: Sequence[Pair]) -> list[int]:
        """Return the length of each pair in tokens."""

    def unread(self, pairs: Sequence[Pair]) -> list[str]:
        """Return of each pair why the model cannot read its language; "" where it can."""

    def score(self, pairs: Sequence[Pair]) -> list[float]:
        """Return s(Q|P) in (0, 1) of each pair, in the given order."""


class ExplainedModel(PairModel, Protocol):
    """A model whose scores are sums: :class:`patclaimeval.models.scorer.LinearScorer` is one."""

    def parts(self, pairs: Sequence[Pair]) -> Sequence[Parts]:
        """Return what explains the score of each pair, in the given order."""


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

    def known(self, pairs: Sequence[Pair], *, with_parts: bool = False) -> list[PairScore] | None:
        """Return the scores of all pairs if the cache has every one; None otherwise.

        The model is not loaded: a web process may ask.
        """
        keys = [pair_key(pair) for pair in pairs]
        found = self._cache.get(self._sha256, list(dict.fromkeys(keys)), with_parts=with_parts)
        return [found[key] for key in keys] if set(keys) <= set(found) else None

    def score(
        self,
        pairs: Sequence[Pair],
        on_scored: Callable[[int], None] = lambda count: None,
        *,
        with_parts: bool = False,
    ) -> list[PairScore]:
        """Return a score, or the refusal, of each pair (reference, candidate), in their order.

        A pair over the model's limit, or in a language that it does not read, is refused by
        itself; nothing is cut. ``on_scored`` gets
        after each batch how many further of the given pairs are done, and may raise to stop:
        what was scored by then is in the cache. ``with_parts`` is for an ``ExplainedModel``.
        Raises what loading the model raises.
        """
        keys = [pair_key(pair) for pair in pairs]
        texts = dict(zip(keys, pairs, strict=True))
        found = self._cache.get(self._sha256, [*texts], with_parts=with_parts)
        on_scored(sum(key in found for key in keys))
        times = {key: 0 for key in texts if key not in found}
        for key in keys:
            if key in times:
                times[key] += 1
        # Closed here, so that what was scored is written before anybody learns of an exception.
        with closing(self._fresh({key: texts[key] for key in times}, with_parts)) as batches:
            for fresh in batches:
                found |= fresh
                on_scored(sum(times[key] for key in fresh))
        return [found[key] for key in keys]

    def _fresh(
        self, texts: dict[PairKey, Pair], with_parts: bool
    ) -> Generator[dict[PairKey, PairScore]]:
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
        waiting: dict[PairKey, PairScore] = {}
        try:
            for batch in _batches({k: tokens[k] for k in texts if k not in refused}, self._budget):
                scored = dict(
                    zip(batch, self._scored([texts[key] for key in batch], with_parts), strict=True)
                )
                waiting |= scored
                if len(waiting) >= PAIRS_A_WRITE:
                    self._cache.put(self._sha256, waiting)
                    waiting = {}
                yield scored
        finally:
            self._cache.put(self._sha256, waiting)

    def _scored(self, pairs: Sequence[Pair], with_parts: bool) -> Iterator[PairScore]:
        values = self._model.score(pairs)
        if not with_parts:
            return map(PairScore, values)
        parts = cast("ExplainedModel", self._model).parts(pairs)
        return (PairScore(v, parts=p) for v, p in zip(values, parts, strict=True))


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
