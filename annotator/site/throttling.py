"""How often one person may call the API."""

from typing import TYPE_CHECKING

from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from annotator.rate_limits import count_call

if TYPE_CHECKING:  # the framework imports this module while it makes the class
    from rest_framework.views import APIView


class CallsPerMinute(BaseThrottle):
    """One limit over all routes, processes and tokens of a person; 429 with Retry-After above."""

    def __init__(self) -> None:
        self._wait = 0

    def allow_request(self, request: Request, view: "APIView") -> bool:
        if not request.user.is_authenticated:
            return True  # refused before anything is done for them
        self._wait = count_call(str(request.user.pk))
        return not self._wait

    def wait(self) -> float:
        return self._wait
