"""The plan of the demo campaign, which takes seconds to make."""

from pathlib import Path
from typing import Final

import pytest

from annotator.demo import DemoPlan, build_demo_plan

DEMO: Final = Path(__file__).parents[3] / "fixtures" / "demo"


@pytest.fixture(scope="session")
def plan() -> DemoPlan:
    return build_demo_plan(DEMO)
