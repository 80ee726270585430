"""The trainable metric: claim set pairs in, scores out; knows torch and nothing of the web side.

Modules that a web process may import freely (they never load torch): ``config``, ``data``,
``errors``, ``results``, ``score_cache``, ``pair_scores``, ``stream``. Everything else belongs in a
worker or a command.
"""
