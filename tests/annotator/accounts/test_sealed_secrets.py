"""Secrets in the database open with the site's key alone, and for whom they were sealed."""

import pytest

from annotator.sealing import WrongKey, is_of_today, seal, unseal

ANOTHER = "another secret that is long enough to be one, and is none of ours"


def test_a_secret_opens_for_its_owner_and_nothing_of_it_is_readable() -> None:
    sealed = seal("JBSWY3DPEHPK3PXP", owner="7")
    assert unseal(sealed, owner="7") == "JBSWY3DPEHPK3PXP"
    assert "JBSWY3DP" not in sealed
    assert seal("JBSWY3DPEHPK3PXP", owner="7") != sealed
    assert len(seal("A" * 64, owner="7")) < 255


@pytest.mark.parametrize(
    ("change", "owner"),
    [(lambda s: s[:-5] + "AAAA=", "7"), (lambda s: "", "7"), (lambda s: "A" * 32, "7"), (str, "8")],
    ids=["end", "nothing", "all", "another owner"],
)
def test_what_was_changed_or_moved_to_another_row_opens_no_more(change, owner) -> None:
    with pytest.raises(WrongKey):
        unseal(change(seal("JBSWY3DPEHPK3PXP", owner="7")), owner=owner)


def test_a_key_of_before_opens_while_it_is_a_fallback(settings) -> None:
    sealed, earlier = seal("JBSWY3DPEHPK3PXP", owner="7"), settings.SECRET_KEY
    assert is_of_today(sealed, owner="7")
    settings.SECRET_KEY = ANOTHER
    with pytest.raises(WrongKey):
        unseal(sealed, owner="7")
    settings.SECRET_KEY_FALLBACKS = [earlier]
    assert unseal(sealed, owner="7") == "JBSWY3DPEHPK3PXP"
    assert not is_of_today(sealed, owner="7")
    assert is_of_today(seal("new", owner="7"), owner="7")
