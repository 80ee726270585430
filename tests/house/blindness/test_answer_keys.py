"""The API tells the listed keys and no others, to every principal in every state (ASVS 8.1.2)."""

import pytest

from tests.amounts import IS_THOROUGH
from tests.house.blindness.answer_keys import answered_keys
from tests.house.blindness.told import TOLD, told

pytestmark = pytest.mark.slow
STATES = ("conflict open", "waiting", "taken", "closed")
# `make test` asks as those whom each serializer knows: a token answers as its owner is answered.
LIKE_OTHERS = ("anonymous", "peer", "gone")
MAY_BE_TOLD = "take the keys out of the answer, or list them in tests/house/blindness/told.py:"


@pytest.mark.parametrize(
    "furnished",
    [
        pytest.param(state, marks=() if state == "taken" else pytest.mark.exhaustive)
        for state in STATES
    ],
    indirect=True,
)
def test_no_answer_has_a_key_that_is_not_listed(world) -> None:
    wrong: list[str] = []
    seen: dict[str, set[str]] = {}
    for visitor in world.visitors:
        if not IS_THOROUGH and (visitor.is_token or visitor.name in LIKE_OTHERS):
            continue
        for where, keys in answered_keys(visitor, world.here).items():
            if where not in TOLD:  # `test_routes.py` tells of it, once
                continue
            seen.setdefault(where, set()).update(keys)
            if more := keys - told(where, world.state):
                wrong.append(f"{visitor.name} / {world.state} / {where}: {sorted(more)}")
    assert not wrong, "\n".join([MAY_BE_TOLD, *wrong])
    # Every list is in use, so that none of them hides that nothing was asked.
    if world.state == "taken":
        for where in ("GET api:conflicts", "GET api:rating", "GET scoring:api:report"):
            assert seen[where] == told(where, world.state), where
    if world.state == "conflict open":
        # Too few references, and a report that has ended.
        names = ("datasets", "runs", "train_again", "cancel_report")
        never = {f"POST scoring:api:{name}" for name in names}
        assert seen.keys() == {where for where, keys in TOLD.items() if keys} - never
        assert all(seen[where] == told(where, world.state) for where in seen)
