"""Errors that services raise, each with a user message and an HTTP status."""

from typing import Self


class Refused(Exception):
    """A request that cannot be carried out as asked; nothing was stored.

    `status` is the HTTP code of the answer; `fields` names what is wrong where.
    """

    status = 422

    def __init__(self, sentence: str, fields: dict[str, list[str]] | None = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.fields = fields or {}

    @classmethod
    def at(cls, field: str, why: str) -> Self:
        """Return the refusal of one field."""
        return cls(why, {field: [why]})


class OutOfDate(Refused):
    """The row has moved on since the person saw it."""

    status = 409


class Forbidden(Refused):
    """Not for this person, whatever they send."""

    status = 403


class DiskFull(Refused):
    """The server has no space for a file; later it may have."""

    status = 507


class TooOften(Refused):
    """Tried too many times; `retry_after` seconds later it may be tried again."""

    status = 429

    def __init__(
        self,
        sentence: str,
        fields: dict[str, list[str]] | None = None,
        *,
        retry_after: int = 60,
    ) -> None:
        super().__init__(sentence, fields)
        self.retry_after = retry_after


class Unreachable(Refused):
    """Something that is needed cannot be reached now; later it may be."""

    status = 503
