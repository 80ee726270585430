import pytest

from annotator.accounts.names import name_problem, skeleton


@pytest.mark.parametrize(
    ("names", "is_name"),
    [
        (["alice", "Dora.B", "a_b-c@firm.example", "r7", "алиса", "王芳"], True),
        (["", "no spaces", "a+b", "a/b", "a\nb", "a\x00b", "<b>", "-alice", ".", "@x"], False),
        (["\u0430lice", "alice\u200d", "\u202ealice", "al\u00adice", "\ufeffalice"], False),
        (["\uff41lice", "a\u0301lice", "x\u0338y", "\U0001d41alice", "al\u0661ce"], False),
        (["\ud800", "a\u20ac"], False),
    ],
    ids=["one script", "signs", "other scripts or unseen", "compatibility", "no letters"],
)
def test_letters_of_one_script_with_digits_and_marks_are_a_name(names, is_name) -> None:
    for name in names:
        assert (name_problem(name) == "") == is_name, ascii(name)


@pytest.mark.parametrize(
    ("one", "other", "is_alike"),
    [
        ("alice", "Alice", True),
        ("ace", "\u0430\u0441\u0435", True),
        ("paypal", "paypa1", True),
        ("bob", "b0b", True),
        ("modern", "rnodem", True),
        ("win", "vvin", True),
        ("iris", "\u0131ris", True),
        ("straße", "STRASSE", True),
        ("alice", "alicia", False),
        ("d-1", "d-2", False),
        ("bob", "rob", False),
    ],
)
def test_names_share_a_skeleton_when_they_look_alike(one: str, other: str, is_alike: bool) -> None:
    assert (skeleton(one) == skeleton(other)) == is_alike
