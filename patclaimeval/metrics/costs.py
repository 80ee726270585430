"""What scoring by a language model would send, and cost, before anything is sent."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from patclaimeval.claims.languages import count_unspaced
from patclaimeval.metrics.base import Pair
from patclaimeval.metrics.endpoint import Endpoint
from patclaimeval.metrics.endpoint.inquiry import AnswerCache
from patclaimeval.metrics.endpoint.prompt import Prompt
from patclaimeval.metrics.g_eval import PROMPT as G_EVAL
from patclaimeval.metrics.llmscore import PROMPT as LLMSCORE
from patclaimeval.metrics.pairwise_judge import PROMPT as JUDGE
from patclaimeval.metrics.pairwise_judge import REASONED_PROMPT as REASONED_JUDGE

CHARACTERS_A_TOKEN: Final = 4
TOKENS_OF_PRICE: Final = 1_000_000
ASKING: Final[dict[str, Prompt]] = {
    prompt.name: prompt for prompt in (G_EVAL, LLMSCORE, JUDGE, REASONED_JUDGE)
}
"""The metrics that ask a language model, by the scorer's name."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a report's scorers would send to the endpoint, roughly.

    requests: claim sets to be asked about, once each, and each order of two that are compared;
    cached: those whose answer is stored from before and costs nothing. tokens_in, tokens_out:
    characters / 4, a rough rule, by which a character of a script without blanks counts as four; of
    answers with reasons, the most that they may be. money: in the site's unit of price, None where
    no price is set. minutes: the least that the limit of requests takes.
    """

    host: str
    requests: int
    cached: int
    tokens_in: int
    tokens_out: int
    money: float | None
    minutes: int

    @property
    def sentence(self) -> str:
        """What a person is to read before starting; '' where nothing would be sent."""
        if not self.requests:
            return ""
        cached = f" ({self.cached:,} more are kept from before)" if self.cached else ""
        minutes = "a minute" if self.minutes == 1 else f"{self.minutes:,} minutes"
        requests = "1 request" if self.requests == 1 else f"{self.requests:,} requests"
        money = (
            "no price is set"
            if self.money is None
            else f"about {self.money:,.2f} in the unit of METRIC_ENDPOINT_PRICE_IN"
        )
        return (
            f"Claims are sent to {self.host}: {requests}{cached}, roughly "
            f"{self.tokens_in:,} tokens in and {self.tokens_out:,} out (characters / "
            f"{CHARACTERS_A_TOKEN}); {money}; {minutes} or more. Repeats after faults "
            "come on top."
        )


def _characters(text: str) -> int:
    return len(text) + (CHARACTERS_A_TOKEN - 1) * count_unspaced(text)


def estimate_cost(names: Sequence[str], pairs: Sequence[Pair], endpoint: Endpoint) -> Cost:
    """Count what the scorers `names` would ask of `endpoint` about `pairs`. Sends nothing.

    Input: names of scorers, of which those that need no endpoint count nothing; the pairs of a
    report, equal ones counted once, of which those with a rival are for scorers that compare and
    the others for those that do not; the endpoint, in whose cache is looked.
    Formula: money = (tokens_in price_in + tokens_out price_out) / 1,000,000.
    """
    requests = cached = characters_in = characters_out = 0
    for prompt in (ASKING[name] for name in dict.fromkeys(names) if name in ASKING):
        cache = AnswerCache(endpoint, prompt)
        own = (pair for pair in pairs if (pair.rival is not None) == prompt.compares)
        by_key = {cache.key(pair): pair for pair in own}
        asked = [pair for key, pair in by_key.items() if cache.get(key) is None]
        requests += len(asked)
        cached += len(by_key) - len(asked)
        sent = [message for pair in asked for message in prompt.conversation(pair)["messages"]]
        characters_in += sum(_characters(message["content"]) for message in sent)
        characters_out += len(asked) * _characters_of_answer(prompt)
    tokens_in = math.ceil(characters_in / CHARACTERS_A_TOKEN)
    tokens_out = math.ceil(characters_out / CHARACTERS_A_TOKEN)
    has_price = endpoint.price_in > 0 or endpoint.price_out > 0
    money = tokens_in * endpoint.price_in + tokens_out * endpoint.price_out
    return Cost(
        host=endpoint.host,
        requests=requests,
        cached=cached,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        money=money / TOKENS_OF_PRICE if has_price else None,
        minutes=math.ceil(requests / endpoint.requests_per_minute),
    )


def _characters_of_answer(prompt: Prompt) -> int:
    if prompt.is_reasoned:
        return prompt.most_tokens * CHARACTERS_A_TOKEN
    return len(json.dumps(dict.fromkeys(prompt.keys, prompt.high)))
