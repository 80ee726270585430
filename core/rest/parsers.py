"""How the API reads a body: strict JSON within a limit, and nothing else."""

from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from rest_framework.exceptions import APIException, ParseError, UnsupportedMediaType
from rest_framework.parsers import BaseParser

from patclaimeval.text_io.strict_json import StrictJsonError, loads


class TooLarge(APIException):
    """The body is longer than the limit."""

    status_code = 413
    default_code = "too_large"


class StrictJSONParser(BaseParser):
    """Parses application/json by the one strict reader of the project."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        request = (parser_context or {}).get("request")
        packed = request.headers.get("Content-Encoding", "") if request else ""
        if packed.lower() not in {"", "identity"}:
            # A megabyte that unpacks to a gigabyte is not looked into.
            raise UnsupportedMediaType(f"{media_type} packed as {packed[:20]}")
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        data = stream.read(limit + 1)
        if len(data) > limit:
            raise TooLarge(f"The body is longer than the limit of {limit:,} bytes.")
        try:
            return loads(data, max_bytes=limit)
        except StrictJsonError as error:
            raise ParseError(f"This is not JSON that is accepted: {error}") from error
