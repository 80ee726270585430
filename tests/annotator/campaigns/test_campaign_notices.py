"""What annotators told the admin."""

import pytest

from annotator.campaigns.queries import campaign_notices
from annotator.rating.services import flag_candidate, recuse, skip_assignment

pytestmark = pytest.mark.postgres


def test_flags_skips_and_recusals_are_shown_with_reason_and_outcome(cast) -> None:
    first = cast.assign(cast.alice, cast.reference("r1", 2))
    second = cast.assign(cast.alice, cast.reference("r2", 1))
    flag_candidate(assignment=first[0], reason_code="wrong-text", reason="ends in mid-word")
    skip_assignment(assignment=first[1], reason_code="outside-field")
    cast.bob.set_password("a password of his own")
    cast.bob.save()
    recuse(assignment=second[0])
    told = campaign_notices(cast.campaign)
    assert [(n.kind, n.reference_id, n.username, n.words, n.outcome) for n in told] == [
        ("recusal", "r2", "alice", "", "now with bob"),
        ("skip", "r1", "alice", "", "nobody has it now"),
        ("flag", "r1", "alice", "ends in mid-word", ""),
    ]
    assert told[1].reason == "outside my technical field"
    assert campaign_notices(cast.elsewhere) == ()
