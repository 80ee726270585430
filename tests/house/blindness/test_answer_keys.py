"""The API tells the listed keys and no others, to every principal in every state (ASVS 8.1.2)."""

import pytest

from tests.house.blindness.addresses import routes
from tests.house.blindness.answer_keys import NO_SERIALIZER, answered_keys
from tests.house.blindness.told import TOLD, told

pytestmark = pytest.mark.slow
STATES = ("conflict open", "waiting", "taken", "closed")
# They answer with nothing: 204 says it all.
SILENT = {"api:give_back", "api:call_back"}


@pytest.mark.parametrize("world", STATES, indirect=True)
def test_no_answer_has_a_key_that_is_not_listed(world) -> None:
    wrong: list[str] = []
    seen: dict[str, set[str]] = {}
    for visitor in world.visitors:
        for where, keys in answered_keys(visitor, world.here).items():
            seen.setdefault(where, set()).update(keys)
            if more := keys - told(where, world.state):
                wrong.append(f"{visitor.name} / {world.state} / {where}: {sorted(more)}")
    assert not wrong, "\n".join(wrong)
    # Every list is in use, so that none of them hides that nothing was asked.
    if world.state == "taken":
        for where in ("GET api:conflicts", "GET api:rating", "GET scoring:api:report"):
            assert seen[where] == told(where, world.state), where
    if world.state == "conflict open":
        # Too few references, and a report that has ended.
        names = ("datasets", "runs", "train_again", "cancel_report")
        never = {f"POST scoring:api:{name}" for name in names}
        assert seen.keys() == TOLD.keys() - never
        assert all(seen[where] == told(where, world.state) for where in seen)


def test_every_route_of_the_api_has_a_list() -> None:
    api = {route.name for route in routes() if ":api:" in f":{route.name}"}
    listed = {where.split()[1] for where in TOLD}
    assert api - NO_SERIALIZER - SILENT == listed
