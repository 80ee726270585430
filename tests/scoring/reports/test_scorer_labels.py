"""Every scorer has a name for the screen."""

from scoring.metrics.registry import METRIC_NAMES
from scoring.reports.scorers import scorer_label


def test_every_metric_has_a_label_of_its_own() -> None:
    labels = [scorer_label(name) for name in ("majority", "patclaimeval-0", *METRIC_NAMES)]
    assert len(set(labels)) == len(labels)
    assert scorer_label("patclaimeval-0") == "PatClaimEval-0"


def test_a_model_is_called_by_the_first_digits_of_its_id_and_what_is_not_known_by_its_name() -> (
    None
):
    assert scorer_label("model:0123456789ab") == "PatClaimEval 01234567"
    assert scorer_label("model:") == "model:"
    assert scorer_label("other") == "other"
