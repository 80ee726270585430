"""AdamW for one vector of weights: torch's own numbers without its cost for every step."""

from __future__ import annotations

from typing import Final

import torch
from torch import Tensor

DECAYS: Final = (0.9, 0.999)
EPSILON: Final = 1e-8


class VectorAdamW:
    """Changes ``weight``, shape [size], in place by its gradients; torch's default constants.

    Formula, with g the gradient of step t, a and b the decays of the moments m and v (both from
    zero): w <- (1 - lr * decay) w, then w <- w - lr / (1 - a^t) * m / (sqrt(v / (1 - b^t)) + eps).
    Source: Loshchilov and Hutter, "Decoupled Weight Decay Regularization", ICLR 2019. On a CPU
    each step gives the bits of ``torch.optim.AdamW(foreach=False)``, which spends most of a step
    on this size on its own bookkeeping.
    """

    def __init__(self, weight: Tensor, learning_rate: float, weight_decay: float) -> None:
        """Take over ``weight``; nothing is changed before the first step."""
        self._weight = weight
        self._rate, self._decay = learning_rate, weight_decay
        self._first, self._second = (torch.zeros_like(weight.detach()) for _ in range(2))
        self._steps = 0

    def step(self, gradient: Tensor) -> None:
        """Change the weights by a gradient of their shape."""
        self._steps += 1
        (first, second), rate = DECAYS, self._rate
        with torch.no_grad():
            self._weight.mul_(1 - rate * self._decay)
            self._first.lerp_(gradient, 1 - first)
            self._second.mul_(second).addcmul_(gradient, gradient, value=1 - second)
            spread = (self._second.sqrt() / (1 - second**self._steps) ** 0.5).add_(EPSILON)
            self._weight.addcdiv_(self._first, spread, value=-rate / (1 - first**self._steps))
