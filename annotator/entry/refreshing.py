"""The sweeper's part: asks providers whether those who are signed in here are still theirs."""

import logging

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.db.models.functions import Now

from annotator.accounts.providers import provider_of, whole_claims
from annotator.entry.groups import give_group_roles
from annotator.entry.services import REFRESHED_EVERY, end_identity, note_tokens
from annotator.models import ApiToken, BrowserSession, Identity
from annotator.sealing import WrongKey, unseal
from core.clock import database_now
from core.oidc.client import Budget, ProviderDown, ProviderRefused, Tokens, renewed
from core.oidc.settings import Provider
from core.oidc.tokens import BadToken, groups_of, read_id_token

logger = logging.getLogger(__name__)
# What a provider answers where a refresh token counts no more; other refusals are of our settings.
ENDED = "invalid_grant"


def refresh_people() -> int:
    """Ask about those whose time it is, as far as one budget of seconds goes; return how many.

    Only about people who have a session or a token: for others nothing is open.
    """
    living = {"user": OuterRef("user"), "expire_date__gt": Now()}
    alive = {"user": OuterRef("user"), "expires_at__gt": Now()}
    due = Identity.objects.filter(
        Exists(BrowserSession.objects.filter(**living)) | Exists(ApiToken.objects.filter(**alive)),
        refresh_at__lte=Now(),
        user__is_active=True,
        ended_at=None,
    )
    budget, count = Budget(), 0
    for row in due.select_related("user").order_by("refresh_at")[:100]:
        if not budget.left:
            break
        # Of two sweepers one asks: most providers take a refresh token once.
        mine = Identity.objects.filter(pk=row.pk, refresh_at=row.refresh_at)
        if mine.update(refresh_at=database_now() + REFRESHED_EVERY):
            _refresh(row, budget)
            count += 1
    return count


def _refresh(row: Identity, budget: Budget) -> None:
    provider = provider_of(row.issuer)
    if provider is None:  # taken from the settings: nobody vouches for them any more
        end_identity(identity=row)
        return
    try:
        tokens = renewed(provider, unseal(row.refresh_token, owner=row.owner), budget)
        groups = _groups(provider, row, tokens, budget)
    except WrongKey:
        end_identity(identity=row)
    except ProviderRefused as refusal:
        if str(refusal) == ENDED:
            end_identity(identity=row)
        else:
            logger.warning("%s refuses to refresh people: %s", provider.name, refusal)
    except (ProviderDown, BadToken) as error:
        # Its outage ends nobody's work; it is asked again in some minutes.
        logger.warning("%s could not be asked about people: %s", provider.name, error)
    else:
        _note(row, tokens, groups)


def _groups(
    provider: Provider, row: Identity, tokens: Tokens, budget: Budget
) -> tuple[str, ...] | None:
    if not tokens.id_token:
        claims = whole_claims(provider, {"sub": row.subject}, tokens, budget)
        # Where nothing was said of the person, nothing was said of their groups.
        return groups_of(provider, claims) if len(claims) > 1 else None
    now = int(database_now().timestamp())
    claims = read_id_token(provider, tokens.id_token, nonce=None, now=now, budget=budget)
    if claims["sub"] != row.subject:
        raise BadToken("it speaks of somebody else")
    return groups_of(provider, whole_claims(provider, claims, tokens, budget))


@transaction.atomic
def _note(row: Identity, tokens: Tokens, groups: tuple[str, ...] | None) -> None:
    locked = Identity.objects.select_for_update(no_key=True, of=("self",)).get(pk=row.pk)
    # One that was rotated is the only one that counts, whatever was meant to happen meanwhile.
    note_tokens(locked, tokens.refresh_token)
    if groups is not None:
        locked.groups = list(groups)
        give_group_roles(identity=locked, groups=groups)
    locked.save(update_fields=["refresh_token", "refresh_at", "groups"])
