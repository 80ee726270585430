from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from core.audit_chain import BEFORE_THE_FIRST, seal

FIELDS = st.lists(st.none() | st.text(max_size=4), max_size=4)


def test_a_seal_is_the_digest_that_one_works_out_by_hand_from_the_one_before():
    assert seal(BEFORE_THE_FIRST, "1", None, "é") == sha256("1:1-2:é".encode()).hexdigest()
    assert seal("ab", "1") == sha256(b"ab1:1").hexdigest()


@given(FIELDS, FIELDS)
def test_other_fields_have_another_seal(one, other):
    assert (seal("", *one) == seal("", *other)) == (one == other)
