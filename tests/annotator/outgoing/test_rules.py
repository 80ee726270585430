from datetime import timedelta
from ipaddress import ip_network

import pytest

from annotator.models import Delivery
from annotator.outgoing.rules import (
    TRIES,
    WrongAddress,
    checked_url,
    may_be_reached,
    signature,
    wait_after,
)

pytestmark = pytest.mark.pure
HOSTS = ["hooks.example.org", "Other.example.org:8443", "127.0.0.1:9000", "[::1]", "localhost"]


@pytest.mark.parametrize(
    ("url", "is_local"),
    [
        ("https://hooks.example.org/a?b=c", False),
        ("https://hooks.example.org:443", False),
        ("https://HOOKS.example.org/", False),
        ("https://other.example.org:8443/x", False),
        ("https://127.0.0.1:9000/", False),
        ("http://127.0.0.1:9000/", True),
        ("http://[::1]/", True),
        ("http://localhost/", True),
    ],
)
def test_an_address_of_an_allowed_host_is_taken(url, is_local) -> None:
    assert checked_url(url, HOSTS, is_local=is_local).geturl() == url


@pytest.mark.parametrize(
    "url",
    [
        *("http://hooks.example.org/", "http://127.0.0.1:9000/", "http://localhost/"),
        *("https://elsewhere.example.org/", "https://hooks.example.org:8443/"),
        *("https://other.example.org/", "https://hooks.example.org.evil.org/"),
        *("https://evil.org/hooks.example.org", "https://hooks.example.org@evil.org/"),
        *(
            "https://user:pw@hooks.example.org/",
            "https://hooks.example.org/#a",
            "hooks.example.org",
        ),
        *("ftp://hooks.example.org/", "https:///a", "https://hooks.example.org:0/", "https://[::1"),
        *(
            "https://hooks.example.org\\@evil.org/",
            "https://hooks.example.org/ a",
            "https://ä.org/",
        ),
        *("https://hooks.example.org/\r\nX: y", "https://hooks.example.org:99999/"),
        f"https://hooks.example.org/{'a' * 500}",
    ],
)
def test_any_other_address_is_refused_without_being_repeated(url) -> None:
    with pytest.raises(WrongAddress) as caught:
        checked_url(url, HOSTS, is_local=False)
    assert "evil" not in str(caught.value) and "pw" not in str(caught.value)


def test_plain_http_leads_to_no_other_machine_in_local_mode_either() -> None:
    with pytest.raises(WrongAddress):
        checked_url("http://hooks.example.org/", HOSTS, is_local=True)


@pytest.mark.parametrize(
    ("address", "is_open"),
    [
        *(("93.184.215.14", True), ("2606:2800:21f:cb07:6820:80da:af6b:8b2c", True)),
        *(("10.0.0.1", False), ("172.16.3.4", False), ("192.168.1.1", False), ("0.0.0.0", False)),
        *(("169.254.169.254", False), ("100.64.0.1", False), ("224.0.0.1", False)),
        *(("127.0.0.1", False), ("::1", False), ("fe80::1%eth0", False), ("fd00::1", False)),
        *(("::ffff:10.0.0.1", False), ("::ffff:127.0.0.1", False), ("::", False)),
        *(("10.1.2.3", True), ("::ffff:10.1.2.3", True), ("10.2.0.1", False)),
        *(("64:ff9b::10.0.0.1", False), ("64:ff9b::8.8.8.8", False), ("2002:a00:1::", False)),
        *(("::10.0.0.1", False), ("::8.8.8.8", False), ("fec0::1", False), ("feff::1", False)),
        *(("2001:0:a00:1::", False), ("64:ff9b:1::a00:1", False)),
    ],
)
def test_a_private_address_is_reached_only_in_a_listed_network(address, is_open) -> None:
    networks = [ip_network("10.1.0.0/16"), ip_network("fd12::/16")]
    assert may_be_reached(address, networks, is_local=False) is is_open


def test_this_machine_is_reached_in_local_mode() -> None:
    assert may_be_reached("127.0.0.1", [], is_local=True)
    assert may_be_reached("::1", [], is_local=True)
    assert not may_be_reached("10.0.0.1", [], is_local=True)


def test_the_signature_is_that_of_the_standard() -> None:
    """The example of the specification's authors."""
    signed = signature(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1614265330,
        b'{"test": 2432232314}',
    )
    assert signed == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_waits_grow_until_it_is_given_up() -> None:
    waits = [wait_after(number) for number in range(1, TRIES + 1)]
    assert waits[-1] is None and wait_after(TRIES + 3) is None
    known = [wait for wait in waits if wait is not None]
    assert len(known) == TRIES - 1 and known == sorted(set(known))
    assert timedelta(hours=2) < sum(known, timedelta()) < timedelta(hours=3)
    assert Delivery.most_attempts == TRIES
