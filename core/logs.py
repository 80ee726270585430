"""What a log line may hold: ids, codes and places in the code; never the text of an exception.

The text of an exception quotes what it was about: PostgreSQL prints the whole row that a constraint
refuses, claims included. Its kind and the lines that led to it stay, which is what mends a fault.
"""

import json
import logging
import traceback
from contextvars import ContextVar
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Final

request_id: ContextVar[str] = ContextVar("request_id", default="")

ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None]
# One event is one line, and no sign of it moves the cursor of whoever reads it.
CONTROLS: Final = {
    code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if code != ord("\n")
} | {ord("\n"): "\\n", 0x2028: "\\u2028", 0x2029: "\\u2029"}
# What a record may hold besides its message, given by whoever logged it.
FACTS: Final = ("method", "route", "status", "milliseconds", "user", "job")
CELERY_ENDS: Final = "celery.app.trace"
JOBS: Final = "annotator.jobs"
# Loggers that write nothing but the messages of this project.
OURS: Final = ("annotator", "patclaimeval", "scoring")
# Addresses that no route knows may hold anything, so they are logged as this.
NO_ROUTE: Final = "none"
METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def places(exc_info: Any) -> list[str]:
    """Return the kinds of an exception and of its causes, each with where it passed."""
    lines: list[str] = []
    error = exc_info[1] if exc_info else None
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        lines.append(f"{type(error).__module__}.{type(error).__qualname__}")
        lines += [
            f"  {frame.filename}:{frame.lineno} in {frame.name}"
            for frame in traceback.extract_tb(error.__traceback__)
        ]
        error = error.__cause__ or error.__context__
    return lines


class RedactingFilter(logging.Filter):
    """Takes out of the lines of other libraries whatever somebody may have typed or sent.

    They quote it: Django the address of each request that it refuses, with the token of an
    invitation in it, Celery the text of exceptions, kombu messages, the web server tracebacks. Of
    a request its method, route and status stay; of other lines the template, with its numbers.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name.split(".")[0] in OURS:
            return True
        if record.name == CELERY_ENDS and isinstance(record.args, dict):
            kind = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else ""
            facts = {name: record.args.get(name, "") for name in ("name", "id", "description")}
            record.args = (
                facts | {"exc": kind, "traceback": "", "args": "", "kwargs": ""} | _numbers(record)
            )
        elif hasattr(record, "status_code"):
            # Its own message is that of an exception, or holds the address.
            record.msg, record.args = _refused_request(record), ()
        elif record.args:
            record.args = _without_texts(record.args)
        elif record.name.split(".")[0] != "django":
            # What has no arguments may have been put together by whoever logged it.
            record.msg = f"in words of its own, at {record.filename}:{record.lineno}"
        return True


def route_of(request: Any) -> str:
    """Return the name of a request's route: its address may hold what somebody typed."""
    match = getattr(request, "resolver_match", None)
    return str(match.view_name) if match else NO_ROUTE


def method_of(request: Any) -> str:
    """Return the method of a request; one that is none of HTTP is a text of the sender."""
    method = getattr(request, "method", None)
    return str(method) if method in METHODS else "other"


def _refused_request(record: logging.LogRecord) -> str:
    request = getattr(record, "request", None)
    status = str(getattr(record, "status_code", ""))
    return f"{method_of(request)} {route_of(request)} {status if status.isdigit() else ''}"


def _without_texts(args: Any) -> Any:
    if isinstance(args, dict):
        return {name: _number_or_dots(value) for name, value in args.items()}
    return tuple(map(_number_or_dots, args))


def _number_or_dots(value: Any) -> Any:
    return value if isinstance(value, int | float) else "…"


def _numbers(record: logging.LogRecord) -> dict[str, Any]:
    given = record.args if isinstance(record.args, dict) else {}
    return {name: value for name, value in given.items() if isinstance(value, int | float)}


class LineFormatter(logging.Formatter):
    """One line for a person: time, level, logger, message, request; then where it failed."""

    def format(self, record: logging.LogRecord) -> str:
        request = request_id.get()
        message = record.getMessage().translate(CONTROLS)
        line = f"{_at(record)} {record.levelname} {record.name} {message}"
        line += f" request={request}" if request else ""
        return "\n".join([line, *places(record.exc_info)])


class JsonFormatter(logging.Formatter):
    """One JSON object a line, for programs."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": _at(record),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "process": record.process,
        }
        if request := request_id.get():
            line["request"] = request
        line |= {name: getattr(record, name) for name in FACTS if hasattr(record, name)}
        if record.exc_info and record.exc_info[1]:
            line["exception"] = places(record.exc_info)
        return json.dumps(line, ensure_ascii=True)


def _at(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, tz=UTC).isoformat(timespec="milliseconds")


class _WithoutHandlers(logging.Logger):
    """A logger that hands all on to the root, whose handler has the filters."""

    propagate: Any = property(lambda self: True, lambda self, value: None)

    def addHandler(self, hdlr: logging.Handler) -> None:  # noqa: N802 - the library's name
        """Do nothing: torch, transformers and others bring handlers that print all as it comes."""


def take_over() -> None:
    """Have no library print by itself what it logs, those that are imported later included."""
    logging.setLoggerClass(_WithoutHandlers)


def configuration(log_format: str, *, logs_requests: bool) -> dict[str, Any]:
    """Return Django's LOGGING for `line` or `json`; requests are logged or not."""
    formatter = JsonFormatter if log_format == "json" else LineFormatter
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"chosen": {"()": formatter}},
        "filters": {"redacting": {"()": RedactingFilter}},
        "handlers": {
            "stderr": {
                "class": "logging.StreamHandler",
                "formatter": "chosen",
                "filters": ["redacting"],
            }
        },
        "root": {"handlers": ["stderr"], "level": "INFO"},
        "loggers": {
            "annotator.requests": {"level": "INFO" if logs_requests else "WARNING"},
            # A request or a command that does a job at once reports it in its own way.
            JOBS: {"level": "WARNING"},
            # Each task would be logged three times.
            "celery": {"level": "WARNING"},
            "kombu": {"level": "WARNING"},
            # It would print its own copy, with the text.
            "django": {"handlers": [], "level": "INFO", "propagate": True},
            "django.server": {"handlers": [], "level": "INFO", "propagate": True},
            # The web server's, which prints whole tracebacks, and addresses if it is asked to.
            "_granian": {"handlers": [], "level": "WARNING", "propagate": True},
            "granian.access": {"handlers": [], "level": "INFO", "propagate": True},
        },
    }


def configure_worker(**_: object) -> None:
    """Give a worker the project's logging in the place of Celery's own; it logs its jobs."""
    from logging.config import dictConfig

    from django.conf import settings

    dictConfig(settings.LOGGING)
    logging.getLogger(JOBS).setLevel(logging.INFO)
