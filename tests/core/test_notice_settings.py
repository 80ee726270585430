"""What settings of mail and webhooks are refused, by their names and never with their values."""

from ipaddress import ip_network

import pytest

from core.configuration import networks, webhook_hosts
from core.mail_settings import MailSettings, read

pytestmark = pytest.mark.pure
RIGHT = {
    "EMAIL_HOST": "smtp.example.org",
    "EMAIL_HOST_USER": "workbench",
    "EMAIL_HOST_PASSWORD": "sesame",
    "DEFAULT_FROM_EMAIL": "claims@example.org",
    "SITE_URL": "https://claims.example.org/",
}


def test_without_a_server_there_is_no_mail_whatever_else_is_set() -> None:
    assert read({"EMAIL_PORT": "nonsense"}, is_local=False, private=[]) == MailSettings()
    assert not MailSettings().host


def test_tls_is_asked_for_unless_it_is_there_from_the_first_byte() -> None:
    found = read(RIGHT, is_local=False, private=[])
    assert (found.use_tls, found.use_ssl, found.port) == (True, False, 587)
    assert found.site_url == "https://claims.example.org"
    assert "sesame" not in repr(found)
    found = read(RIGHT | {"EMAIL_USE_SSL": "1"}, is_local=False, private=[])
    assert (found.use_tls, found.use_ssl, found.port) == (False, True, 465)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "relay"])
def test_without_tls_a_mail_stays_where_nobody_else_listens(host) -> None:
    plain = RIGHT | {"EMAIL_HOST": host, "EMAIL_USE_TLS": "0"}
    assert not read(plain, is_local=False, private=["relay"]).use_tls


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("EMAIL_USE_TLS", wrong) for wrong in ("0", "maybe")),
        *(("EMAIL_PORT", wrong) for wrong in ("0", "65536", "smtp")),
        *(
            ("DEFAULT_FROM_EMAIL", wrong)
            for wrong in ("", "nobody", "A <a@b.org>", "a@b.org\nX: y")
        ),
        *(("SITE_URL", wrong) for wrong in ("", "claims.example.org", "http://claims.example.org")),
        *(("SITE_URL", wrong) for wrong in ("https://a@b.org", "https://b.org/x", "https://[::1")),
        *(
            ("SITE_URL", wrong)
            for wrong in ("http://127.0.0.1", "https://b.org?a", "https://ä.org")
        ),
    ],
)
def test_a_wrong_setting_is_refused_by_its_name(name, value) -> None:
    with pytest.raises(ValueError, match=name) as refusal:
        read(RIGHT | {name: value}, is_local=False, private=[])
    assert "sesame" not in str(refusal.value)


def test_both_kinds_of_tls_exclude_each_other() -> None:
    both = RIGHT | {"EMAIL_USE_SSL": "1", "EMAIL_USE_TLS": "1"}
    with pytest.raises(ValueError, match="exclude"):
        read(both, is_local=False, private=[])


def test_a_local_site_is_found_at_plain_http_on_this_machine() -> None:
    local = RIGHT | {"SITE_URL": "http://127.0.0.1:8000"}
    assert read(local, is_local=True, private=[]).site_url == "http://127.0.0.1:8000"
    with pytest.raises(ValueError, match="SITE_URL"):
        read(RIGHT | {"SITE_URL": "http://example.org"}, is_local=True, private=[])


def test_hosts_of_webhooks_are_names_with_or_without_a_port() -> None:
    hosts = ["hooks.example.org", "hooks.example.org:8443", "[::1]", "127.0.0.1:9"]
    assert webhook_hosts(hosts) == hosts


@pytest.mark.parametrize(
    "entry", ["*", ".example.org", "https://example.org", "example.org/", "a b", "example.org:0"]
)
def test_what_names_no_host_is_refused(entry) -> None:
    with pytest.raises(ValueError, match="WEBHOOK_HOSTS"):
        webhook_hosts(["example.org", entry])


def test_networks_are_networks() -> None:
    assert networks("N", ["10.1.0.0/16", "fd00::/8"]) == [
        ip_network("10.1.0.0/16"),
        ip_network("fd00::/8"),
    ]
    with pytest.raises(ValueError, match="WEBHOOK_NETWORKS"):
        networks("WEBHOOK_NETWORKS", ["10.1.0.1/16"])


@pytest.mark.parametrize(
    "entry", ["0.0.0.0/0", "::/0", "8.8.8.0/24", "0.0.0.0/1", "169.254.0.0/16", "10.0.0.0/7"]
)
def test_networks_that_contain_other_than_private_addresses_are_refused(entry) -> None:
    with pytest.raises(ValueError, match="WEBHOOK_NETWORKS must list private networks"):
        networks("WEBHOOK_NETWORKS", ["10.1.0.0/16", entry])
