"""Bounds of errors by the definitions, in fractions, slow and obvious; and packings that reach the least errors."""

import copy
import math
from fractions import Fraction
from itertools import combinations
from typing import Any

from reference import circuits, lifted


def keys_of(X, signs):
    """What makes rows equal: label and point."""
    return [(int(s), *map(float, x)) for x, s in zip(X, signs, strict=True)]


def fewest(X, signs, intercept, costs=None):
    """The least cost of errors: rows that leave no obstruction among the others, which then are separable (Gordan)."""
    costs = [Fraction(1)] * len(X) if costs is None else costs
    pool = circuits(X, signs, intercept)
    every = range(len(X))
    sets = (set(rows) for size in range(len(X) + 1) for rows in combinations(every, size))
    return min(sum((costs[i] for i in rows), Fraction(0)) for rows in sets if all(rows & set(each) for each in pool))


def errors(w, X, signs, intercept, costs=None):
    """The cost of the rows that are not on the correct side of a hyperplane."""
    scores = [sum(a * b for a, b in zip(z, w, strict=True)) for z in lifted(X, signs, intercept)]
    return sum((1 if costs is None else costs[i] for i, score in enumerate(scores) if score <= 0), Fraction(0))


def proved(valid, X, signs):
    """The bound that a certificate, as `validate` returned it, proves; None if it is none."""
    Z, keys = lifted(X, signs, valid["problem"]["intercept"]), keys_of(X, signs)
    costs = valid["errors"]["costs"] or [Fraction(1)] * len(X)
    pool = [dict(zip(o["rows"], o["multipliers"], strict=True)) for o in valid["packing"]["obstructions"]]
    if any(sum(m * Z[i][j] for i, m in o.items()) for o in pool for j in range(len(Z[0]))):
        return None
    nodes = iter(valid["packing"]["nodes"])

    def cost(key):
        return sum(c for c, own in zip(costs, keys, strict=True) if own == key)

    def walk(kept, given_up):
        node = next(nodes)
        if "row" in node:
            key = keys[node["row"]]
            sides = walk(kept | {key}, given_up), walk(kept, given_up | {key})
            return None if None in sides or key in kept | given_up else min(sides)
        used = [({keys[i] for i in pool[k]}, w) for k, w in zip(node["obstructions"], node["weights"], strict=True)]
        for key in set(keys) - kept:
            if sum(w for held, w in used if key in held) > (0 if key in given_up else cost(key)):
                return None
        total = sum(map(cost, given_up)) + sum(w for _, w in used)
        return rounded_up(total, costs)

    return walk(frozenset(), frozenset())


def rounded_up(total, costs):
    """The least sum of costs, as far as their greatest common divisor tells, that is not below a number."""
    common = math.lcm(*(c.denominator for c in costs))
    grain = Fraction(math.gcd(*(int(c * common) for c in costs)), common)
    return math.ceil(total / grain) * grain if grain else total


def packing(X, signs, intercept, costs, least, rng):
    """A packing that proves a bound, if it is not above the least errors: split until every leaf does."""
    keys, pool = keys_of(X, signs), circuits(X, signs, intercept)
    nodes: list[dict[str, Any]] = []
    cost = dict.fromkeys(keys, Fraction(0))
    for i, key in enumerate(keys):
        cost[key] += 1 if costs is None else costs[i]
    rng.shuffle(pool)

    def grow(kept, given_up):
        room, weights = dict(cost), {}
        usable = [k for k, o in enumerate(pool) if not given_up & {keys[i] for i in o}]
        for share in (Fraction(int(rng.integers(1, 4)), 3), 1):  # something for each, then as much as there is room for
            for k in map(int, rng.permutation(usable)):
                held = {keys[i] for i in pool[k]} - kept
                weight = share * min(room[key] for key in held) if held else least
                if weight > 0:
                    weights[k] = weights.get(k, 0) + weight
                    room |= {key: room[key] - weight for key in held}
        bound = sum(cost[key] for key in given_up) + sum(weights.values())
        left = [i for i, key in enumerate(keys) if key not in kept | given_up]
        if bound >= least and (rng.integers(4) or len(nodes) > 20):
            nodes.append({"obstructions": list(weights), "weights": [str(w) for w in weights.values()]})
        elif left:
            row = max(left, key=lambda i: (sum(i in pool[k] for k in usable), rng.random()))
            nodes.append({"row": row})
            grow(kept | {keys[row]}, given_up)
            grow(kept, given_up | {keys[row]})
        else:
            nodes.append({"obstructions": list(weights), "weights": [str(w) for w in weights.values()]})

    grow(frozenset(), frozenset())
    used = {k for node in nodes for k in node.get("obstructions", ())}
    listed = [k for k in range(len(pool)) if k in used or not rng.integers(4)]  # some that no leaf uses
    for node in nodes:
        if "row" not in node:
            node["obstructions"] = [listed.index(k) for k in node["obstructions"]]
    some = [{"rows": list(pool[k]), "multipliers": [str(m) for m in pool[k].values()]} for k in listed]
    return {"obstructions": some, "nodes": nodes}


def twisted(document):
    """Changes of a certificate of errors that keep to its form, most of them: each a name and a document."""

    def changed(name, change):
        other = copy.deepcopy(document)
        change(other, other["packing"])
        return name, other

    def put(place, key, value):
        return lambda _, p: place(p).__setitem__(key, value)

    errors, nodes, pool = document["errors"], document["packing"]["nodes"], document["packing"]["obstructions"]
    leaves = [k for k, node in enumerate(nodes) if "row" not in node]
    for off in (1, -1, Fraction(1, 10**9), Fraction(1, 3)):
        if Fraction(errors["least"]) + off >= 0:
            yield changed(
                "another bound", lambda d, _, off=off: d["errors"].update(least=str(Fraction(errors["least"]) + off))
            )
    for i in range(document["problem"]["rows"]):
        own = errors["costs"] or ["1"] * document["problem"]["rows"]
        for value in ("0", "1/2", "3", "10"):
            yield changed("another cost", lambda d, _, c=[*own[:i], value, *own[i + 1 :]]: d["errors"].update(costs=c))
    if errors["costs"]:
        yield changed("no costs", lambda d, _: d["errors"].update(costs=None))
    yield changed("no nodes", lambda _, p: p.update(nodes=[]))
    yield changed("an empty leaf", lambda _, p: p.update(nodes=[{"obstructions": [], "weights": []}]))
    for k, node in enumerate(nodes):
        yield changed("a node dropped", lambda _, p, k=k: p["nodes"].pop(k))
        yield changed("a node doubled", lambda _, p, k=k: p["nodes"].insert(k, copy.deepcopy(p["nodes"][k])))
        if k:
            yield changed("nodes swapped", lambda _, p, k=k: p["nodes"].insert(k, p["nodes"].pop(k - 1)))
        if "row" in node:
            for i in range(document["problem"]["rows"]):
                yield changed("another split", put(lambda p, k=k: p["nodes"][k], "row", i))
        for i in (0, document["problem"]["rows"] - 1):
            yield changed("one more split", lambda _, p, k=k, i=i: p["nodes"].insert(k, {"row": i}))
    for k in leaves:
        for split in range(document["problem"]["rows"]):
            both = [{"row": split}, nodes[k], nodes[k]]
            yield changed("a leaf split", lambda _, p, k=k, both=both: p["nodes"].__setitem__(slice(k, k + 1), both))
        for t, place in enumerate(nodes[k]["obstructions"]):
            for factor in (Fraction(1, 2), Fraction(3, 2), 1 + Fraction(1, 10**20), 100):
                value = str(Fraction(nodes[k]["weights"][t]) * factor)
                yield changed("another weight", put(lambda p, k=k: p["nodes"][k]["weights"], t, value))
            for other in {place + 1, 0, len(pool) - 1}:
                yield changed("another obstruction", put(lambda p, k=k: p["nodes"][k]["obstructions"], t, other))
    for k, each in enumerate(pool):
        for i in range(document["problem"]["rows"]):
            yield changed("another row", put(lambda p, k=k: p["obstructions"][k]["rows"], 0, i))
        yield changed("another multiplier", put(lambda p, k=k: p["obstructions"][k]["multipliers"], 0, "7"))
        doubled = [str(2 * int(m)) for m in each["multipliers"]]
        yield changed("twice the multipliers", put(lambda p, k=k: p["obstructions"][k], "multipliers", doubled))
