"""Owns the search for circles among links: which nodes depend on each other."""


def find_circles(out: list[list[int]]) -> list[int]:
    """Number the groups of nodes that depend on each other.

    Input: for each node the nodes that it links to, as indices. Output: one group number per
    node; two nodes carry the same number if and only if each reaches the other: the strongly
    connected components (S. R. Kosaraju, 1978, after Aho, Hopcroft and Ullman, 1983), with stacks
    instead of recursion. Time is linear in nodes and links.
    """
    back: list[list[int]] = [[] for _ in out]
    for place, targets in enumerate(out):
        for target in targets:
            back[target].append(place)
    group = [-1] * len(out)
    for root in reversed(_finishing_order(out)):
        if group[root] >= 0:
            continue
        group[root] = root
        stack = [root]
        while stack:
            for target in back[stack.pop()]:
                if group[target] < 0:
                    group[target] = root
                    stack.append(target)
    return group


def _finishing_order(out: list[list[int]]) -> list[int]:
    """Return the claims in the order in which a depth-first walk leaves them."""
    order: list[int] = []
    visited = [False] * len(out)
    for root in range(len(out)):
        if visited[root]:
            continue
        visited[root] = True
        stack = [(root, iter(out[root]))]
        while stack:
            place, targets = stack[-1]
            target = next((item for item in targets if not visited[item]), None)
            if target is None:
                order.append(place)
                stack.pop()
            else:
                visited[target] = True
                stack.append((target, iter(out[target])))
    return order
