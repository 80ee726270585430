from typing import Any

import pytest

from annotator.models import User
from scoring.training.model_versions.queries import MOST_ROWS, model_page, training_plots
from tests.conftest import make_user
from tests.scoring.model_rows import model_row

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


@pytest.fixture
def reader() -> User:
    return make_user("reader")


def test_a_card_gives_figures_limits_and_curves(version, reader) -> None:
    version.licence = "CC BY-NC 4.0"
    version.save()
    model = model_row(version)
    model.refresh_from_db()
    page = model_page(model, reader)
    (found,) = page["measured"]
    assert (found.n, found.references, found.n_without) == (24, 8, 20)
    assert dict(page["data"]) == {"Licence of the data": "CC BY-NC 4.0", "Split": "by file, seed 0"}
    assert [figure.name for figure in found.agreement][0] == "tau-b"
    assert [plot.title for plot in page["plots"]] == ["Loss by epoch"]
    assert page["epochs"] == [(1, 0.3, None), (2, 0.2, 0.41)]


def test_an_empty_card_gives_a_page(version, reader) -> None:
    page = model_page(model_row(version, {}), reader)
    assert (page["measured"], page["plots"], page["seen"]) == ((), (), ())
    assert page["limits"]


def test_a_long_history_is_thinned_to_a_table_with_its_last_row(version, reader) -> None:
    history: list[dict[str, Any]] = [
        {"epoch": n, "loss": 1 / n, "validation_tau": None} for n in range(1, 1004)
    ]
    page = model_page(model_row(version, {"history": history}), reader)
    assert len(page["epochs"]) <= MOST_ROWS + 1
    assert page["epochs"][-1][0] == 1003
    assert len(training_plots(history)) == 1
