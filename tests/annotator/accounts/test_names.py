import pytest

from annotator.accounts.names import name_problem, skeleton


@pytest.mark.parametrize("name", ["alice", "Dora.B", "a_b-c@firm.example", "r7", "алиса", "王芳"])
def test_letters_of_one_script_with_digits_and_marks_are_a_name(name: str) -> None:
    assert name_problem(name) == ""


@pytest.mark.parametrize(
    "name",
    [
        *("", "no spaces", "a+b", "a/b", "a\nb", "a\x00b", "<b>", "-alice", ".", "@x"),
        *("\u0430lice", "alice\u200d", "\u202ealice", "al\u00adice", "\ufeffalice"),
        *("\uff41lice", "a\u0301lice", "x\u0338y", "\U0001d41alice", "al\u0661ce", "\ud800"),
        "a\u20ac",
    ],
)
def test_anything_else_is_none(name: str) -> None:
    assert name_problem(name)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("alice", "Alice"),
        ("ace", "\u0430\u0441\u0435"),
        ("paypal", "paypa1"),
        ("bob", "b0b"),
        ("modern", "rnodem"),
        ("win", "vvin"),
        ("iris", "\u0131ris"),
        ("straße", "STRASSE"),
    ],
)
def test_names_that_look_alike_share_a_skeleton(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)


@pytest.mark.parametrize(("one", "other"), [("alice", "alicia"), ("d-1", "d-2"), ("bob", "rob")])
def test_names_that_differ_do_not(one: str, other: str) -> None:
    assert skeleton(one) != skeleton(other)
