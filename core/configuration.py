"""What settings may be: the local secret, private folders, and the refusals of production."""

import fcntl
import os
import re
import secrets
from collections.abc import Mapping, Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from core.environment import ON

SHORTEST_SECRET = 50
SHORTEST_TOKEN = 32
# A random secret of 32 hexadecimal digits has fewer different ones less than once in 10,000 times.
FEWEST_CHARACTERS = 8
SAMPLE_PASSWORDS = (
    *("postgres", "password", "changeme", "change-me", "change_me", "secret", "example"),
    *("admin", "root", "redis", "test", "123456", "12345678", "guest"),
)
# A name in full or an address; `.com` would answer to every name that ends so.
HOST_NAME = re.compile(r"[a-zA-Z0-9_-]+(\.[a-zA-Z0-9_-]+)*|\[[0-9a-fA-F:.]+\]")
ROLE_NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}")
# Ways that anybody on the line can read, or take over by claiming that TLS is not spoken.
UNSEALED = ("disable", "allow", "prefer")
SSL_MODES = (*UNSEALED, "require", "verify-ca", "verify-full")
BROKERS = ("filesystem", "redis", "rediss", "redis+socket")
PRIVATE = "or, where nobody else can listen on the way to it, name it in PRIVATE_HOSTS"
KNOWN_WEAK = ("django-insecure", "changeme", "change-me", "secret", "example")


def make_private(directory: Path) -> None:
    """Create the data directory for its owner alone; drafts of clients lie in it."""
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)


def stored_secret(path: Path, length: int) -> str:
    """Return the secret in a file, made once with mode 0600.

    Several programs begin at one moment: the first to hold the file writes it, the others wait. An
    empty file is what a power cut left of a secret that nobody has used yet.
    """
    make_private(path.parent)
    if path.exists() and (secret := path.read_text().strip()):
        return secret
    with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        secret = file.read().strip()
        if not secret:
            secret = secrets.token_urlsafe(length)
            file.write(secret)
            file.flush()
            os.fsync(file.fileno())
        return secret


def local_secret(data_dir: Path) -> str:
    """Return the secret key of local mode."""
    return stored_secret(data_dir / "secret_key", 64)


def demo_password(data_dir: Path) -> str:
    """Return the password of the demo accounts where DEMO_PASSWORD does not set one."""
    return stored_secret(data_dir / "demo_password", 9)


def is_loopback(host: str) -> bool:
    """Whether what is sent to this host stays on this machine; a folder names a local socket."""
    if host in ("", "localhost", "testserver") or host.startswith("/"):
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def refuse_weak_secret(name: str, secret: str, shortest: int = SHORTEST_SECRET) -> None:
    """Raise ImproperlyConfigured when a key of this name can be guessed.

    A secret is weak when it is short, has few different characters, or repeats itself.
    """
    is_repeated = secret in (secret + secret)[1:-1]
    if len(secret) < shortest or len(set(secret)) < FEWEST_CHARACTERS or is_repeated:
        raise ImproperlyConfigured(
            f"{name} must have at least {shortest} random characters; make one with "
            '`python -c "import secrets; print(secrets.token_urlsafe(64))"`'
        )
    if any(secret.lower().startswith(weak) for weak in KNOWN_WEAK):
        raise ImproperlyConfigured(f"{name} is a published sample value; make your own")


def refuse_unsafe(
    *,
    secret: str,
    fallbacks: Sequence[str],
    hosts: Sequence[str],
    is_debug: bool,
    database: Mapping[str, Any],
) -> None:
    """Raise ImproperlyConfigured, naming the setting, when a production value is unsafe."""
    refuse_weak_secret("SECRET_KEY", secret)
    for fallback in fallbacks:
        refuse_weak_secret("Each of SECRET_KEY_FALLBACKS", fallback)
    if is_debug:
        raise ImproperlyConfigured("DEBUG must be 0 in production: error pages would show claims")
    if not hosts or not all(HOST_NAME.fullmatch(host) for host in hosts):
        raise ImproperlyConfigured(
            "ALLOWED_HOSTS must list each name that this site answers to, such as "
            "claims.example.org, without *, a leading dot, a port or https://"
        )
    engine = database.get("ENGINE", "")
    if not engine.endswith(("postgresql", "sqlite3")):
        raise ImproperlyConfigured("DATABASE_URL must begin with postgres:// or sqlite:///")
    if engine.endswith("postgresql") and _is_sample(database):
        raise ImproperlyConfigured("DATABASE_URL carries a sample password; set a real one")


def _is_sample(database: Mapping[str, Any]) -> bool:
    password = str(database.get("PASSWORD") or "").lower()
    return bool(password) and password in (*SAMPLE_PASSWORDS, str(database.get("USER")).lower())


def refuse_open_ways(
    *,
    hosts: Sequence[str],
    is_plain_http: bool,
    broker: str,
    database: Mapping[str, Any],
    private: Sequence[str],
) -> None:
    """Raise ImproperlyConfigured when others could read along, or send what only we may send.

    Whoever runs the site answers for the way to a private host.
    """
    if is_plain_http and not all(is_loopback(host) for host in hosts):
        raise ImproperlyConfigured(
            "ALLOW_INSECURE_HTTP=1 is for loopback names only, as passwords and claims would "
            "travel readable; remove it, or put only 127.0.0.1 and localhost into ALLOWED_HOSTS"
        )
    mode = str((database.get("OPTIONS") or {}).get("sslmode", ""))
    if mode and mode not in SSL_MODES:
        raise ImproperlyConfigured(
            f"DATABASE_URL has an unknown sslmode; write one of {', '.join(SSL_MODES)}"
        )
    if mode in UNSEALED and not _is_near(database, private):
        raise ImproperlyConfigured(
            f"DATABASE_URL says sslmode={mode} of another machine, so claims would travel "
            f"readable; write sslmode=verify-full, {PRIVATE}"
        )
    _refuse_open_broker(broker, private)


def _refuse_open_broker(broker: str, private: Sequence[str]) -> None:
    try:
        address = urlsplit(broker)
        host, password = address.hostname or "", unquote(address.password or "")
    except ValueError:
        raise ImproperlyConfigured("CELERY_BROKER_URL cannot be read as a URL") from None
    if address.scheme not in BROKERS or any(sign in broker for sign in ";, "):
        raise ImproperlyConfigured(
            "CELERY_BROKER_URL must be one address that begins with rediss://, redis:// or "
            "filesystem://"
        )
    if not address.scheme.startswith("redis") or is_loopback(host):
        return
    if not password:
        raise ImproperlyConfigured(
            "CELERY_BROKER_URL must carry a password (rediss://:PASSWORD@host), as whoever "
            "reaches the broker could send jobs"
        )
    if password.lower() in SAMPLE_PASSWORDS:
        raise ImproperlyConfigured("CELERY_BROKER_URL carries a sample password")
    if not (address.scheme == "rediss" and _checks_certificate(address.query)) and (
        host not in private
    ):
        raise ImproperlyConfigured(
            "CELERY_BROKER_URL must begin with rediss:// and let the certificate be checked, as "
            f"its password would travel readable; write so, {PRIVATE}"
        )


def _checks_certificate(query: str) -> bool:
    """Whether a rediss address leaves its certificate checks on, as they are by default."""
    given = [(name.lower(), value.lower()) for name, value in parse_qsl(query, True)]
    return all(
        value in ("required", "cert_required") for name, value in given if name == "ssl_cert_reqs"
    ) and not any(name == "ssl_check_hostname" and value not in ON for name, value in given)


BUCKET_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")


def storage_bucket(environment: Mapping[str, str], private: Sequence[str]) -> tuple[str, str]:
    """Return STORAGE_BUCKET and STORAGE_ENDPOINT; raise ValueError for what is wrong with one.

    boto3 itself reads the credentials and the region from AWS's own variables.
    """
    bucket = environment.get("STORAGE_BUCKET", "").strip()
    if bucket and not BUCKET_NAME.fullmatch(bucket):
        raise ValueError("STORAGE_BUCKET must be the name of a bucket, such as claims-of-a-firm")
    endpoint = environment.get("STORAGE_ENDPOINT", "").strip()
    address = urlsplit(endpoint)
    host = address.hostname or ""
    is_sealed = address.scheme == "https" or is_loopback(host) or host in private
    if endpoint and not (host and address.scheme in ("https", "http") and is_sealed):
        raise ValueError(
            "STORAGE_ENDPOINT must be an address that begins with https://, because claims and "
            f"models are sent there, {PRIVATE}"
        )
    return bucket, endpoint


def _is_near(database: Mapping[str, Any], private: Sequence[str]) -> bool:
    """Whether every host of a database is this machine or declared private."""
    options = database.get("OPTIONS") or {}
    given = (database.get("HOST"), options.get("host"), options.get("hostaddr"))
    hosts = [one for text in given for one in str(text or "").split(",")]
    return all(is_loopback(host) or host in private for host in hosts)


def tls_options(database: Mapping[str, Any], private: Sequence[str]) -> dict[str, Any]:
    """Return the connection options, which ask for TLS where the database is another machine.

    An `sslmode` in DATABASE_URL stays, as verify-full is better.
    """
    options = dict(database.get("OPTIONS") or {})
    if not _is_near(database, private):
        options.setdefault("sslmode", "require")
    return options


WEBHOOK_HOST = re.compile(rf"({HOST_NAME.pattern})(:[1-9][0-9]{{0,4}})?")


def webhook_hosts(entries: Sequence[str]) -> list[str]:
    """Return the hosts that webhooks may lead to, or raise ValueError for what is none."""
    if not all(WEBHOOK_HOST.fullmatch(entry) for entry in entries):
        raise ValueError(
            "WEBHOOK_HOSTS must list names such as hooks.example.org or hooks.example.org:8443, "
            "without *, a leading dot or https://"
        )
    return list(entries)


# 169.254.0.0/16 is left out: cloud providers hand out credentials of a machine there.
PRIVATE_NETWORKS = tuple(
    ip_network(network)
    for network in (
        "10.0.0.0/8",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "::1/128",
        "fc00::/7",
    )
)


def networks(name: str, entries: Sequence[str]) -> list[IPv4Network | IPv6Network]:
    """Read a setting that lists private networks; raise ValueError for anything else."""
    try:
        found = [ip_network(entry) for entry in entries]
    except ValueError:
        raise ValueError(f"{name} must list networks such as 10.1.0.0/16") from None
    if not all(map(_is_private, found)):
        raise ValueError(f"{name} must list private networks only, such as 10.1.0.0/16")
    return found


def _is_private(network: IPv4Network | IPv6Network) -> bool:
    return any(
        network.subnet_of(outer)  # type: ignore[arg-type]  # both have one version here
        for outer in PRIVATE_NETWORKS
        if outer.version == network.version
    )
