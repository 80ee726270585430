"""Providers are read of the environment; what is wrong is refused by its name, never its value."""

import pytest

from core.environment import with_secret_files
from core.oidc.settings import read

FIRM = {
    "OIDC_PROVIDERS": "firm",
    "OIDC_FIRM_ISSUER": "https://id.firm.example/realms/one",
    "OIDC_FIRM_CLIENT_ID": "workbench",
    "OIDC_FIRM_CLIENT_SECRET": "hush",
}


def test_without_a_name_there_is_no_provider() -> None:
    assert read({}) == ()


def test_a_provider_has_what_is_set_and_else_what_most_need() -> None:
    (one,) = read(FIRM)
    assert (one.name, one.label, one.issuer) == ("firm", "Firm", FIRM["OIDC_FIRM_ISSUER"])
    assert (one.scopes, one.groups_claim) == ("openid profile email", "groups")
    assert (one.parameters, one.required, one.asks_factor) == ((), (), False)
    assert "hush" not in repr(one)
    (one,) = read(
        FIRM
        | {
            "OIDC_FIRM_LABEL": "Our firm",
            "OIDC_FIRM_SCOPES": "openid email",
            "OIDC_FIRM_GROUPS_CLAIM": "roles",
            "OIDC_FIRM_PARAMETERS": "access_type=offline prompt=consent",
            "OIDC_FIRM_REQUIRE": "hd=firm.example",
            "OIDC_FIRM_ASKS_FACTOR": "1",
        }
    )
    assert (one.label, one.scopes, one.groups_claim) == ("Our firm", "openid email", "roles")
    assert one.parameters == (("access_type", "offline"), ("prompt", "consent"))
    assert (one.required, one.asks_factor) == ((("hd", "firm.example"),), True)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"OIDC_PROVIDERS": "Firm"}, "OIDC_PROVIDERS"),
        ({"OIDC_PROVIDERS": "firm,firm"}, "OIDC_PROVIDERS"),
        ({"OIDC_PROVIDERS": ",".join(f"p{n}" for n in range(11))}, "OIDC_PROVIDERS"),
        ({"OIDC_FIRM_ISSUER": ""}, "OIDC_FIRM_ISSUER"),
        ({"OIDC_FIRM_ISSUER": "http://id.firm.example"}, "OIDC_FIRM_ISSUER"),
        ({"OIDC_FIRM_ISSUER": "https://me:secret@id.firm.example"}, "OIDC_FIRM_ISSUER"),
        ({"OIDC_FIRM_ISSUER": "https://id.firm.example:port"}, "OIDC_FIRM_ISSUER"),
        ({"OIDC_FIRM_CLIENT_ID": ""}, "OIDC_FIRM_CLIENT_ID"),
        ({"OIDC_FIRM_CLIENT_SECRET": "two words"}, "OIDC_FIRM_CLIENT_SECRET"),
        ({"OIDC_FIRM_SCOPES": "profile"}, "OIDC_FIRM_SCOPES"),
        ({"OIDC_FIRM_REQUIRE": "hd"}, "OIDC_FIRM_REQUIRE"),
        ({"OIDC_FIRM_ASKS_FACTOR": "perhaps"}, "OIDC_FIRM_ASKS_FACTOR"),
    ],
)
def test_what_is_wrong_is_refused_by_its_name(wrong, named) -> None:
    with pytest.raises(ValueError, match=named) as refusal:
        read(FIRM | wrong)
    assert "secret@" not in str(refusal.value) and "two words" not in str(refusal.value)


def test_two_providers_with_one_issuer_are_refused() -> None:
    twin = {name.replace("FIRM", "TWIN"): value for name, value in FIRM.items()}
    with pytest.raises(ValueError, match="one issuer"):
        read(twin | FIRM | {"OIDC_PROVIDERS": "firm,twin"})


def test_plain_http_is_for_this_machine_alone() -> None:
    assert read(FIRM | {"OIDC_FIRM_ISSUER": "http://127.0.0.1:3000"})
    assert read(FIRM | {"OIDC_FIRM_ISSUER": "http://localhost:3000"})


def test_a_secret_may_lie_in_a_file(tmp_path) -> None:
    path = tmp_path / "secret"
    path.write_text("of the file\n")
    path.chmod(0o600)
    given = {name: value for name, value in FIRM.items() if not name.endswith("SECRET")}
    found = with_secret_files(given | {"OIDC_FIRM_CLIENT_SECRET_FILE": str(path)})
    assert found["OIDC_FIRM_CLIENT_SECRET"] == "of the file"
