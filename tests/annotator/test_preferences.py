"""What the rate screen shows one person, and their keys."""

import pytest

from annotator.models import ReadingPreference
from annotator.rating_values import AIDS
from annotator.reading import save_keys, show_aid
from core.errors import Refused

pytestmark = [pytest.mark.postgres, pytest.mark.django_db]


def shown(user) -> dict[str, bool]:
    row = ReadingPreference.objects.get(user=user)
    return {aid: getattr(row, f"shows_{aid}") for aid in AIDS}


@pytest.mark.parametrize("aid", AIDS)
def test_each_aid_is_switched_by_itself_and_for_one_person(cast, aid: str) -> None:
    show_aid(user=cast.alice, aid=aid, is_shown=False)
    assert shown(cast.alice) == {name: name != aid for name in AIDS}
    show_aid(user=cast.bob, aid=aid, is_shown=True)
    assert shown(cast.alice)[aid] is False
    show_aid(user=cast.alice, aid=aid, is_shown=True)
    assert all(shown(cast.alice).values())
    assert ReadingPreference.objects.count() == 2


@pytest.mark.parametrize("aid", ["", "keys", "single_keys", "user", "Diff", "x" * 500, "\x00"])
def test_what_is_no_aid_is_refused_in_a_short_sentence(cast, aid: str) -> None:
    with pytest.raises(Refused) as refused:
        show_aid(user=cast.alice, aid=aid, is_shown=False)
    assert len(refused.value.sentence) < 200 and "\x00" not in refused.value.sentence
    assert not ReadingPreference.objects.exists()


def test_keys_and_aids_do_not_disturb_each_other(cast) -> None:
    save_keys(user=cast.alice, changes={"ten": "x"}, single_keys=False)
    show_aid(user=cast.alice, aid="diff", is_shown=False)
    row = save_keys(user=cast.alice, changes={"undo": "z"}, single_keys=True)
    row.refresh_from_db()
    assert (row.keys, row.single_keys, row.shows_diff) == ({"undo": "z"}, True, False)
