"""Runs done by hand, rightly or with one planted error, in fractions: what somebody writes down, column by column."""

from fractions import Fraction

from reference import dot, is_mistake, lifted

COLUMNS = ("row", "score", "mistake", "weights")
LIMIT = 60  # visits after which somebody gives up


def by_hand(X, y, *, tie="update", intercept=True, eta=1, start=None, order=None, fault=None, at=None, value=None):
    """Run the perceptron; return a list of dicts with row, score, decision, mistake, update, weights, and whether it ended.

    ``fault`` is an error; ``at`` is the visit, from 0, at which it is made, None for always.
    """
    n = len(X)
    Z = lifted(X, [1] * n, intercept)
    eta = Fraction(eta)
    w = [Fraction(v) for v in (start or [0] * len(Z[0]))]
    old = of_pass = list(w)
    order = list(range(n)) if order is None else list(order)
    if fault == "order":
        order = value
    if fault == "tie":
        tie = value
    lines, position, passed, clean = [], 0, 1, True
    while len(lines) < LIMIT:
        here = at is None or at == len(lines)
        if fault == "skip" and here:
            position += 1
            if position == n:
                position, passed, clean = 0, passed + 1, True
        if fault == "repeat" and here and position:
            position -= 1
        i = order[position]
        x, label = Z[i], int(y[i])
        meant = -label if fault == "classes" and here else label
        seen = [*x[:-1], Fraction(0)] if fault == "no-bias" else x
        basis = {"old-score": old, "pass-score": of_pass, "one-update": of_pass}.get(fault if here else None, w)
        score = dot(basis, seen)
        if fault == "score" and here:
            score += value
        mistake = is_mistake(score * meant, meant, tie)
        if fault == "missing" and here:
            mistake = False
        if fault == "needless" and here:
            mistake = True
        factor = eta * meant
        if here and fault == "sign":
            factor = -factor
        if here and fault == "rate":
            factor *= value
        if here and fault == "labels":
            factor *= meant > 0
        learnt = [*x[:-1], Fraction(0)] if (fault == "bias" and here) or fault == "no-bias" else x
        update = [factor * v for v in learnt] if mistake else [Fraction(0)] * len(x)
        base = of_pass if fault == "one-update" and mistake else w
        after = [a + b for a, b in zip(base, update, strict=True)]
        if fault == "arithmetic" and here:
            j, by = value
            after[j] += by
        decision = (score > 0) - (score < 0) or {"update": 0, "positive": 1, "negative": -1}[tie]
        if fault == "new-score" and here:
            score = dot(after, seen)
        lines.append({
            "pass": passed, "row": i, "label": label, "score": score, "decision": decision, "mistake": mistake,
            "update": update, "weights": after,
        })  # fmt: skip
        if mistake:
            old = list(w)
        clean = clean and not mistake
        w = after
        position += 1
        if position == n:
            if clean:
                return lines, True
            position, passed, clean, of_pass = 0, passed + 1, True, list(w)
    return lines, False


def as_table(lines, columns=COLUMNS, first_row=0):
    """Columns of texts, as they would be in a file; vectors are one cell."""
    signs = {1: "1", -1: "-1", 0: ""}

    def cell(name, value):
        if name in ("weights", "update"):
            return "(" + ", ".join(map(str, value)) + ")"
        if name == "mistake":
            return "yes" if value else "no"
        if name in ("decision", "label"):
            return signs[value]
        return str(value + first_row if name == "row" else value)

    return {name: [cell(name, line[name]) for line in lines] for name in columns}
