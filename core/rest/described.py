"""How the OpenAPI document describes refusals: every call lists the codes it can answer."""

from typing import Any, Final

from drf_spectacular.openapi import AutoSchema

ALWAYS: Final = {
    "400": "What was sent is wrong: the reasons by field or parameter.",
    "401": "Nobody is signed in, or the token is unknown or has expired.",
    "403": "Not for this person, or not with this token.",
    "404": "There is no such thing, or it is not the caller's.",
    "406": "No answer can be given in a form that is wished for; JSON can.",
    "429": "Too many calls; Retry-After says when to try again.",
}
WITH_BODY: Final = {
    "409": "The world has moved on; one sentence says how.",
    "413": "The body is longer than the limit.",
    "415": "The body is no plain JSON.",
}
OF_REVISIONS: Final = {
    "412": "The version in If-Match is not the one that is stored.",
    "428": "If-Match is missing.",
}
REFUSAL: Final = {"application/json": {"schema": {"type": "object", "additionalProperties": {}}}}


class Described(AutoSchema):
    """Adds the refusals of the API to the description of each call."""

    def _get_response_bodies(self, direction: Any = "response") -> Any:
        answers = super()._get_response_bodies(direction)
        texts = ALWAYS | (WITH_BODY if self.method != "GET" else {})
        texts |= OF_REVISIONS if self.method == "PATCH" else {}
        refusals = {code: {"description": text, "content": REFUSAL} for code, text in texts.items()}
        return refusals | answers
