"""A preview is the card that the freeze would write, and nothing more."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.errors import Refused
from scoring.datasets.freezing.queries import preview_freeze
from scoring.datasets.freezing.services import freeze_dataset
from tests.scoring.stored import nothing_is_stored

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.mark.parametrize(
    "asked",
    [{}, {"policy": "per-annotator", "split_by": "time", "criteria": ["overall_quality"]}],
    ids=["as usual", "otherwise"],
)
def test_a_preview_is_the_card_of_the_freeze_and_stores_nothing(
    rated: Callable[..., Any], data_directory: Path, asked: dict[str, Any]
) -> None:
    scene = rated(4)
    scene.rate_all(range(3))
    card = preview_freeze(campaign=scene.campaign, **asked)
    assert nothing_is_stored(data_directory)
    assert card["left_out"] == {"not rated": 3}
    assert card == freeze_dataset(campaign=scene.campaign, **asked).version.card


def test_a_preview_is_refused_where_the_freeze_would_be(rated: Callable[..., Any]) -> None:
    scene = rated(1)
    with pytest.raises(Refused, match=r"gives no quadruplet.*3 not rated"):
        preview_freeze(campaign=scene.campaign)
    scene.rate_all([0])
    with pytest.raises(Refused, match="cannot fill 3 splits"):
        preview_freeze(campaign=scene.campaign)
