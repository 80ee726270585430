"""How numbers, switches and secrets are read from the environment, each kind in one way."""

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final

# Name: value where none is set, lowest, highest. docs/admin.md shows the same.
NUMBERS: Final = {
    "SESSION_IDLE_MINUTES": (30, 1, 24 * 60),
    "BEHIND_PROXY": (0, 0, 10),
    "JOB_LEASE_SECONDS": (20, 2, 3600),
    "TRAINING_STATE_SECONDS": (60, 0, 24 * 3600),
    "BACKUP_KEEP_DAYS": (90, 1, 3650),
    "STORAGE_CACHE_BYTES": (100 * 1024**3, 1024**2, 1024**5),
}
ON: Final = frozenset(("1", "true", "yes", "on"))
OFF: Final = frozenset(("0", "false", "no", "off"))
LOG_FORMATS: Final = ("line", "json")
# Each may be given as the name of a file: NAME_FILE.
SECRETS: Final = (
    *("SECRET_KEY", "SECRET_KEY_FALLBACKS", "DATABASE_URL", "CELERY_BROKER_URL"),
    *("METRICS_TOKEN", "METRIC_ENDPOINT_KEY", "EMAIL_HOST_PASSWORD"),
)
OF_PROVIDERS: Final = re.compile(r"(OIDC_[A-Z0-9]+_CLIENT_SECRET)_FILE")
LARGEST_SECRET: Final = 64 * 1024


def whole_number(
    environment: Mapping[str, str], name: str, default: int, lowest: int, highest: int
) -> int:
    """Return a setting that is a whole number, or raise ValueError that names its range."""
    text = environment.get(name, "").strip() or str(default)
    is_number = text.isascii() and text.isdigit() and len(text) < 20
    if not (is_number and lowest <= int(text) <= highest):
        raise ValueError(f"{name} must be a whole number from {lowest:,} to {highest:,}")
    return int(text)


def numbers(environment: Mapping[str, str], **defaults: int) -> dict[str, int]:
    """Return every setting that is a whole number; `defaults` depend on other settings."""
    return {
        name: whole_number(environment, name, defaults.get(name, default), lowest, highest)
        for name, (default, lowest, highest) in NUMBERS.items()
    }


def switch(environment: Mapping[str, str], name: str, *, default: bool) -> bool:
    """Return a setting that is on or off; a misspelt one must not count as off."""
    text = environment.get(name, "").strip().lower()
    if text and text not in ON | OFF:
        raise ValueError(f"{name} must be 1 or 0")
    return text in ON if text else default


def names(environment: Mapping[str, str], name: str) -> list[str]:
    """Return a setting that is a list with commas between its entries."""
    return [entry.strip() for entry in environment.get(name, "").split(",") if entry.strip()]


def with_secret_files(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the settings with the secrets that are given as files, which no `ps` shows."""
    found = dict(environment)
    of_providers = (OF_PROVIDERS.fullmatch(name) for name in environment)
    for name in (*SECRETS, *(found[1] for found in of_providers if found)):
        if path := environment.get(f"{name}_FILE"):
            if environment.get(name):
                raise ValueError(f"{name} and {name}_FILE are both set; remove one of them")
            found[name] = _secret_in(Path(path), f"{name}_FILE")
    return found


def _secret_in(path: Path, name: str) -> str:
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_mode & (stat.S_IROTH | stat.S_IWOTH):
                raise ValueError(
                    f"{name} names a file that everybody on this machine may read or change; "
                    f"take that away with `chmod o-rwx {path}`"
                )
            text = file.read(LARGEST_SECRET).decode().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(
            f"{name} names a file that cannot be read ({type(error).__name__})"
        ) from None
    if not text:
        raise ValueError(f"{name} names an empty file")
    return text
