import pytest

from core.endpoint import checked_address, checked_key, is_this_machine

NOT_HERE = (
    *("api.example.org", "127.0.0.1.example.org", "localhost.example.org"),
    *("10.0.0.1", "0.0.0.0", "2130706433"),
)


@pytest.mark.parametrize(
    "url",
    [
        *("https://api.example.org/v1", "https://api.example.org:8443/openai/v1"),
        *("http://127.0.0.1:8080/v1", "http://127.9.9.9/v1", "http://localhost:11434/v1"),
        *("http://LOCALHOST/v1", "http://[::1]:8080/v1", "HTTPS://api.example.org"),
    ],
)
def test_an_address_over_https_or_on_this_machine_is_taken_without_its_closing_slash(url) -> None:
    assert checked_address(url) == checked_address(f"{url}//") == url


@pytest.mark.parametrize(
    ("url", "words"),
    [
        *((f"http://{host}/v1", "must begin with https://: claims") for host in NOT_HERE),
        *((url, "name a host") for url in ("ftp://api.example.org/v1", "api.example.org/v1")),
        *((url, "name a host") for url in ("https:///v1", "")),
        ("https://sesame@api.example.org/v1", "no user name or password"),
        ("https://me:sesame@api.example.org/v1", "no user name or password"),
        ("http://localhost:sesame@api.example.org/v1", "no user name or password|cannot be read"),
        ("https://api.example.org/v1?key=sesame", "no question mark"),
        ("https://api.example.org/v1#sesame", "no question mark"),
        ("https://api.example.org:port/v1", "cannot be read"),
        ("https://api.example.org:99999/v1", "cannot be read"),
        ("https://[::1/v1", "cannot be read"),
        ("https://api..example.org/v1", "cannot be read"),
        (f"https://{'a' * 64}.example.org/v1", "cannot be read"),
        ("https://api.example.org/v1\r\nX: sesame", "printable ASCII"),
        ("https://api.example.org/ v1", "printable ASCII"),
        ("https://ápi.example.org/v1", "printable ASCII"),
    ],
)
def test_another_address_is_refused_without_being_repeated(url, words) -> None:
    with pytest.raises(ValueError, match=words) as refusal:
        checked_address(url)
    assert "sesame" not in str(refusal.value)
    assert "example" not in str(refusal.value)


def test_loopback_and_no_other_host_is_this_machine() -> None:
    assert all(map(is_this_machine, ("localhost", "127.0.0.1", "::1", "127.0.0.53")))
    others = ("example.org", "192.168.0.1", "0.0.0.0", "127.1.example.org")
    assert not any(map(is_this_machine, others))


@pytest.mark.parametrize(
    "key", ["", "two words", "line\nsesame", "sesame\x7f", "schlüssel", "k" * 4097]
)
def test_a_key_is_printable_and_another_is_refused_without_being_repeated(key) -> None:
    assert checked_key("sk-abc_123~") == "sk-abc_123~"
    with pytest.raises(ValueError, match="printable ASCII") as refusal:
        checked_key(key)
    assert not key or key not in str(refusal.value)
