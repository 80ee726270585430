"""Calls made up from the API's own description: none breaks, none answers what it does not say."""

import json
import os
import re
from typing import Any, Final

import pytest
import schemathesis
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.core.result import Ok

from tests.bad_input.rooms import Room, counts, undone
from tests.house.blindness.addresses import addresses
from tests.soak.tally import Tally, tally

__all__ = ["tally"]
pytestmark = [pytest.mark.slow, pytest.mark.promise("P28")]
# 100 of each call and person in the full tier, as `make soak` asks for it.
# With those on the other pair of services, a hundred.
EXAMPLES: Final = 50 if int(os.environ.get("PROMISES_SCALE", "1")) > 1 else 4
PRINCIPALS: Final = ("one", "adjudicator", "researcher", "admin", "reader")
MODES: Final = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)


def operations() -> list[Any]:
    document = SchemaGenerator().get_schema(public=True)  # type: ignore[no-untyped-call]
    found = schemathesis.openapi.from_dict(document).get_all_operations()
    return [result.ok() for result in found if isinstance(result, Ok)]


def real_paths(room: Room, operation: Any) -> list[str]:
    """Return addresses of the campaign that a call's path stands for."""
    pattern = re.compile(re.sub(r"\{\w+\}", "[^/]+", operation.path))
    return sorted({one.path for one in addresses(room.house) if pattern.fullmatch(one.path)})


def send(room: Room, who: str, case: Any, path: str) -> Any:
    """Send a made-up call and return the answer; it leaves no trace."""
    body = b"" if case.body.__class__.__name__ == "NotSet" else case.body
    data = body if isinstance(body, bytes) else json.dumps(body, default=str).encode()
    headers = {
        name: value
        for name, value in (case.headers or {}).items()
        if isinstance(value, str) and name.lower() not in {"authorization", "cookie"}
    }
    query = {key: str(value) for key, value in (case.query or {}).items()}
    more = {"content_type": case.media_type or "application/json", "headers": headers}
    before = counts()
    with undone():
        answer = room.clients[who].generic(
            case.method, path, data, query_params=query or None, **more
        )
        assert answer.status_code < 400 or counts() == before, f"{case.method} {path} {data!r}"
        return answer


def try_call(room: Room, who: str, operation: Any) -> int:
    """Send a call as it is described and as it is not; return how often."""
    paths = real_paths(room, operation)
    made_up = st.one_of([operation.as_strategy(generation_mode=mode) for mode in MODES])
    # An id that is no id leads nowhere that is described.
    described = {*operation.definition.raw["responses"], "404"}
    sent = 0

    @seed(7)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(case=made_up, number=st.integers(0, len(paths)))
    def try_it(case: Any, number: int) -> None:
        nonlocal sent
        sent += 1
        path = (paths[number : number + 1] or [case.formatted_path])[0]
        answer = send(room, who, case, path)
        about = f"{answer.status_code} of {case.method} {path}: {case.body!r:.200}"
        assert answer.status_code < 500, about
        assert str(answer.status_code) in described, about

    try_it()
    return sent


@pytest.mark.parametrize("who", PRINCIPALS)
def test_no_call_breaks_or_answers_with_a_code_that_it_does_not_describe(
    room: Room, tried, who: str, tally: Tally
) -> None:
    sent = sum(try_call(room, who, operation) for operation in operations())
    tally.tried(calls=sent)
    tally.found(errors=0)
    tried("REST API, made up from its description", sent)
