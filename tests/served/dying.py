"""Has a server process kill itself at the worst moment, where a request of a test asks for it."""

import os
import signal
import time
from collections.abc import Callable
from typing import Any, Final

from django.db import connection
from django.http import HttpRequest, HttpResponse

# What a request has in this header: the moment at which its server process is to die.
DIE_AT: Final = "X-Die-At"
# After the transaction, before the answer: the client cannot know that its request was carried out.
UNANSWERED: Final = "after everything"
# Within the transaction: at the first statement that holds the text, before it is carried out.
HALFWAY: Final = "INSERT INTO annotator_auditevent"
# Granian takes a worker that dies within 5.5 seconds of its start for a crash loop, and gives up.
OLD_ENOUGH_SECONDS: Final = 6
STARTED: Final = time.monotonic()

Answer = Callable[[HttpRequest], HttpResponse]


def die_where_asked(get_response: Answer) -> Answer:
    """Kill -9 this process where the request asks for it; middleware of tests/served/settings."""

    def answer(request: HttpRequest) -> HttpResponse:
        moment = request.headers.get(DIE_AT)
        if moment is None:
            return get_response(request)
        time.sleep(max(0, STARTED + OLD_ENOUGH_SECONDS - time.monotonic()))

        def execute(run: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
            if moment in sql.replace('"', ""):
                _die()
            return run(sql, params, many, context)

        with connection.execute_wrapper(execute):
            response = get_response(request)
        if moment == UNANSWERED:
            _die()
        return response

    return answer


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
