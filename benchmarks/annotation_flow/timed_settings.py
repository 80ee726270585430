"""The application's settings, with the time that it takes in each answer."""

import time
from collections.abc import Callable
from typing import Any

from config.settings import *  # noqa: F403
from config.settings import MIDDLEWARE

Answer = Callable[[Any], Any]


def report_time(get_response: Answer) -> Answer:
    """Report in Server-Timing how long all middleware, the view and the database took together."""

    def answer(request: Any) -> Any:
        start = time.perf_counter()
        response = get_response(request)
        took = 1000 * (time.perf_counter() - start)
        response["Server-Timing"] = f"app;dur={took:.3f}"
        return response

    return answer


MIDDLEWARE.insert(0, "annotation_flow.timed_settings.report_time")
