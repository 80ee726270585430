from core.text_io.text import candidate_id_of, reference_id_of, text_sha256


def test_ids_begin_with_the_digest_that_any_tool_computes():
    # printf abc | sha256sum
    assert text_sha256("abc").startswith("ba7816bf8f01cfea")
    assert reference_id_of("abc") == "ref-ba7816bf8f01cfea"
    assert candidate_id_of("abc") == "cand-ba7816bf8f01cfea"


def test_texts_that_look_alike_but_differ_in_bytes_have_different_ids():
    assert candidate_id_of("\u00e9") != candidate_id_of("e\u0301")
