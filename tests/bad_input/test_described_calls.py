"""Calls made up from the API's own description: none breaks, none answers otherwise."""

import json
import os
import re
from typing import Any, Final

import pytest
import requests
import schemathesis
from django.http import HttpResponse
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import run_state_machine_as_test
from schemathesis import GenerationMode
from schemathesis.core.result import Ok
from schemathesis.core.transport import Response

from core.rest.bodies import body
from scoring.scores import api as scores_api
from tests.bad_input.scenes import Scene, counts, undone
from tests.guards.blindness.addresses import addresses
from tests.soak.tally import Tally

pytestmark = [pytest.mark.slow, pytest.mark.promise("P28")]
# In the full tier fifty of each call and person; on both pairs of services a hundred.
IS_FULL: Final = int(os.environ.get("PROMISES_SCALE", "1")) > 1
EXAMPLES: Final = 50 if IS_FULL else 4
PRINCIPALS: Final = ("one", "adjudicator", "researcher", "admin", "reader")
SCORE: Final = ("post", "/api/v1/score/")
MODES: Final = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)


def operations() -> list[Any]:
    document = SchemaGenerator().get_schema(public=True)  # type: ignore[no-untyped-call]
    found = schemathesis.openapi.from_dict(document).get_all_operations()
    return [result.ok() for result in found if isinstance(result, Ok)]


def real_paths(scene: Scene, operation: Any) -> list[str]:
    pattern = re.compile(re.sub(r"\{\w+\}", "[^/]+", operation.path))
    return sorted({one.path for one in addresses(scene.scenario) if pattern.fullmatch(one.path)})


def sent(scene: Scene, who: str, case: Any, path: str) -> Any:
    body = b"" if case.body.__class__.__name__ == "NotSet" else case.body
    data = body if isinstance(body, bytes) else json.dumps(body, default=str).encode()
    headers = {
        name: value
        for name, value in (case.headers or {}).items()
        if isinstance(value, str) and name.lower() not in {"authorization", "cookie"}
    }
    query = {key: str(value) for key, value in (case.query or {}).items()}
    more = {"content_type": case.media_type or "application/json", "headers": headers}
    answer: Any = scene.clients[who].generic(
        case.method, path, data, query_params=query or None, **more
    )
    if not answer.streaming:
        return answer
    # Read to its end: what goes wrong on the way belongs to the answer.
    content = b"".join(answer.streaming_content)
    return HttpResponse(content, status=answer.status_code, headers=dict(answer.headers))


def send(scene: Scene, who: str, case: Any, path: str) -> Any:
    """Send a made-up call and return the answer; it leaves no trace."""
    before = counts()
    with undone():
        answer = sent(scene, who, case, path)
        assert answer.status_code < 400 or counts() == before, f"{case.method} {path}"
        return answer


def see(operation: Any, answer: Any, path: str) -> None:
    """See that nothing broke, and that the code is one that is described."""
    # An id that is no id leads nowhere that is described.
    described = {*operation.definition.raw["responses"], "404"}
    about = f"{answer.status_code} of {operation.method} {path}: {answer.content[:200]!r}"
    assert answer.status_code < 500, about
    assert str(answer.status_code) in described, about


def try_call(scene: Scene, who: str, operation: Any, examples: int = EXAMPLES) -> int:
    """Send a call as it is described and as it is not; return how often."""
    paths = real_paths(scene, operation)
    made_up = st.one_of([operation.as_strategy(generation_mode=mode) for mode in MODES])
    tried = 0

    @seed(7)
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(case=made_up, number=st.integers(0, len(paths)))
    def try_it(case: Any, number: int) -> None:
        nonlocal tried
        tried += 1
        path = (paths[number : number + 1] or [case.formatted_path])[0]
        see(operation, send(scene, who, case, path), path)

    try_it()
    return tried


class Chains:
    """What the state machine of a schema needs to call this site, each chain undone at its end."""

    scene: Scene
    who: str
    answers: list[str]
    calls = 0

    def setup(self) -> None:
        self.undoing = undone()
        self.undoing.__enter__()
        self.answers = []

    def teardown(self) -> None:
        self.undoing.__exit__(None, None, None)

    def call(self, case: Any, **_: Any) -> Response:
        """Send a call to the id that an earlier answer held, else to one of the campaign."""
        type(self).calls += 1
        path = case.formatted_path
        given = [str(value) for value in (case.path_parameters or {}).values()]
        if given and not any(value in text for value in given for text in self.answers):
            path = next(iter(real_paths(self.scene, case.operation)), path)
        answer = sent(self.scene, self.who, case, path)
        see(case.operation, answer, path)
        self.answers.append(answer.content[:20_000].decode(errors="replace"))
        asked = requests.Request(case.method, f"http://testserver{path}").prepare()
        headers = {name.lower(): [value] for name, value in answer.headers.items()}
        return Response(answer.status_code, headers, answer.content, asked, 0.0, verify=False)

    def validate_response(self, *_: Any, **__: Any) -> None:
        """`see` has looked already."""


@pytest.mark.parametrize("who", PRINCIPALS if IS_FULL else PRINCIPALS[:1])
def test_no_chain_of_calls_breaks(scene: Scene, tally: Tally, who: str) -> None:
    document = SchemaGenerator().get_schema(public=True)  # type: ignore[no-untyped-call]
    machine = schemathesis.openapi.from_dict(document).as_state_machine()
    chains: Any = type("OurChains", (Chains, machine), {"scene": scene, "who": who})
    run_state_machine_as_test(
        chains,
        settings=settings(
            max_examples=EXAMPLES if IS_FULL else 1,
            stateful_step_count=10,
            deadline=None,
            database=None,
            derandomize=True,
            phases=(Phase.generate,),
            suppress_health_check=list(HealthCheck),
        ),
    )
    tally.tried(chained_calls=chains.calls)
    tally.found(errors=0)
    assert chains.calls


def test_a_call_taking_any_json_is_found_out(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scores_api, "body", lambda request, kinds, needed: body(request, [*kinds]))
    (score,) = [one for one in operations() if (one.method, one.path) == SCORE]
    # The test's client hands on what a server would answer with 500.
    with pytest.raises(TypeError):
        try_call(scene, "researcher", score, examples=20)


@pytest.mark.parametrize(
    "who",
    [PRINCIPALS[0], *(pytest.param(who, marks=pytest.mark.exhaustive) for who in PRINCIPALS[1:])],
)
def test_no_call_breaks_or_answers_with_a_code_that_it_does_not_describe(
    scene: Scene, tried, who: str, tally: Tally
) -> None:
    sent = sum(try_call(scene, who, operation) for operation in operations())
    tally.tried(calls=sent)
    tally.found(errors=0)
    tried("REST API, made up from its description", sent)
