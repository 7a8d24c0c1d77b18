"""The perceptron and separability as the theory defines them, in fractions, slow and obvious: the truth for the kernels."""

import itertools
import math
import re
from fractions import Fraction

import numpy as np


def lifted(X, y, intercept):
    """The signed, lifted rows z_i = y_i (x_i, 1)."""
    return [[Fraction(s) * v for v in [*map(Fraction, row), *([Fraction(1)] if intercept else [])]]
            for row, s in zip(np.asarray(X).tolist(), y, strict=True)]  # fmt: skip


def dot(w, z):
    return sum(map(Fraction.__mul__, w, z), Fraction(0))


def is_mistake(score, label, tie):
    """Whether a row errs, for the score z.w of its signed row."""
    if score == 0:
        return tie == "update" or label != {"positive": 1, "negative": -1}[tie]
    return score < 0


def visit(n, order, max_iter, random_state, wrong, learn, remember):
    """Visit rows, learn from those that are wrong; return the passes and whether the run came to an end."""
    rng, updates = np.random.RandomState(random_state), 0
    if isinstance(order, str) and order == "random":
        while updates < max_iter * n and any(wrong(i) for i in range(n)):
            i = int(rng.randint(n, dtype=np.int64))
            while not wrong(i):
                i = int(rng.randint(n, dtype=np.int64))
            learn(i)
            remember()
            updates += 1
        return max(1, -(-updates // n)), not any(wrong(i) for i in range(n))
    for passes in range(1, max_iter + 1):
        clean = True
        rows = range(n) if isinstance(order, str) and order == "cyclic" else order
        for i in rng.permutation(n).tolist() if isinstance(rows, str) else rows:
            if wrong(i):
                learn(i)
                clean = False
            remember()
        if clean:
            return passes, True
    return max_iter, False


def perceptron(X, y, *, order="cyclic", tie="update", max_iter=1000, eta=1.0, start=None, weights=None,
               intercept=True, random_state=None, history=None):  # fmt: skip
    """Return the trace, the exact weights, the passes and whether the run came to an end.

    A list given as history gets the weights after each visit, or, in random order, after each update.
    """
    Z = lifted(X, y, intercept)
    n, D = len(Z), len(Z[0])
    steps = [Fraction(eta) * Fraction(c) for c in ([1] * n if weights is None else weights)]
    w = [Fraction(v) for v in ([0] * D if start is None else start)]
    trace = []

    def wrong(i):
        return is_mistake(dot(w, Z[i]), y[i], tie)

    def learn(i):
        w[:] = [a + steps[i] * b for a, b in zip(w, Z[i], strict=True)]
        trace.append(i)

    def remember():
        if history is not None:
            history.append(list(w))

    return trace, w, *visit(n, order, max_iter, random_state, wrong, learn, remember)


def kesler(X, codes, classes, *, order="cyclic", tie="update", max_iter=1000, eta=1.0, start=None, weights=None,
           intercept=True, random_state=None, history=None):  # fmt: skip
    """Return the trace as rows and rivals, the exact weights of all classes end to end, the passes and whether it ended."""
    rows = lifted(X, np.ones(len(X)), intercept)
    n, D = len(rows), len(rows[0])
    steps = [Fraction(eta) * Fraction(c) for c in ([1] * n if weights is None else weights)]
    flat = [Fraction(float(v)) for v in ([0] * classes * D if start is None else start)]
    W = [flat[k * D : (k + 1) * D] for k in range(classes)]
    trace = []

    def rival(i):
        return max((k for k in range(classes) if k != codes[i]), key=lambda k: (dot(W[k], rows[i]), -k))

    def wrong(i):
        scores, c = [dot(w, rows[i]) for w in W], codes[i]
        best = [k for k in range(classes) if scores[k] == max(scores)]
        if len(best) > 1 and c in best:
            return tie == "update" or c != {"negative": best[0], "positive": best[-1]}[tie]
        return c not in best

    def learn(i):
        c, r = codes[i], rival(i)
        W[c] = [a + steps[i] * b for a, b in zip(W[c], rows[i], strict=True)]
        W[r] = [a - steps[i] * b for a, b in zip(W[r], rows[i], strict=True)]
        trace.append((i, r))

    def remember():
        if history is not None:
            history.append([v for w in W for v in w])

    end = visit(n, order, max_iter, random_state, wrong, learn, remember)
    return trace, [v for w in W for v in w], *end


def parameter_mixing(X, y, shards, *, tie="update", max_iter=1000, intercept=True):
    """Iterative parameter mixing (McDonald, Hall and Mann 2010, figure 3), uniformly mixed; shards are lists of rows.

    Return the mixed weights after each epoch, the mistakes of each shard in each, and whether it came to an end.
    """
    Z = lifted(X, y, intercept)
    w, history, mistakes = [Fraction(0)] * len(Z[0]), [], []
    while len(history) < max_iter:
        ends, counts = [], []
        for rows in shards:
            own, trace = list(w), []
            for i in rows:
                if is_mistake(dot(own, Z[i]), y[i], tie):
                    own = [a + b for a, b in zip(own, Z[i], strict=True)]
                    trace.append(i)
            ends.append(own)
            counts.append(len(trace))
        w = mean(ends)
        history.append(w)
        mistakes.append(counts)
        if not any(counts):
            return history, mistakes, True
    return history, mistakes, False


def mean(vectors):
    return [sum(entries, Fraction(0)) / len(vectors) for entries in zip(*vectors, strict=True)]


def votes(history, x, tie):
    """The votes of all weights after a visit, those for 1 minus those for -1, on a lifted row."""
    at_zero = {"update": 0, "positive": 1, "negative": -1}[tie]
    signs = [(s > 0) - (s < 0) if s else at_zero for s in (dot(w, x) for w in history)]
    return sum(signs)


def pocket(X, y, *, tie="update", start=None, weights=None, intercept=True, max_updates=100, restarts=0, every=0,
           random_state=None):  # fmt: skip
    """Return the weights in the pocket, its history (updates, wrong rows, their weight), and the number of updates.

    Rows are drawn in batches of n, at least 256; a mistake among them is a uniform draw among all mistakes. With ``every``
    the mean of the weights is tried as well, over the updates since their number was ``every`` times a power of two.
    """
    Z, rng, history, done = lifted(X, y, intercept), np.random.RandomState(random_state), [], 0
    first = [Fraction(v) for v in ([0] * len(Z[0]) if start is None else start)]
    weight = [Fraction(float(c)) for c in ([1] * len(Z) if weights is None else weights)]
    best = None

    def consider(w):
        nonlocal best
        wrong = [i for i in range(len(Z)) if is_mistake(dot(w, Z[i]), y[i], tie)]
        load = sum((weight[i] for i in wrong), Fraction(0))
        if not history or load < history[-1][2]:
            best = w
            history.append((done, wrong, load))
        return wrong

    for _ in range(1 + restarts):
        w, seen, k = first, [], 0
        wrong, draws = consider(w), iter(())
        while history[-1][1] and k < max_updates:
            i = next(draws, None)
            if i is None:
                draws = iter(rng.randint(len(Z), size=max(len(Z), 256), dtype=np.int64).tolist())
            elif i in wrong:
                w, k, done = [a + b for a, b in zip(w, Z[i], strict=True)], k + 1, done + 1
                wrong = consider(w)
                seen.append(w)
                if every and k % every == 0 and history[-1][1]:
                    consider([sum(column, Fraction(0)) for column in zip(*seen, strict=True)])
                    seen = [] if (k // every).bit_count() == 1 else seen
    return best, history, done


def kernel(rows):
    """A basis of the vectors orthogonal to the rows, by elimination."""
    A, width = [list(row) for row in rows], len(rows[0])
    pivots = []
    for j in range(width):
        r = len(pivots)
        k = next((k for k in range(r, len(A)) if A[k][j]), None)
        if k is None:
            continue
        A[r], A[k] = A[k], A[r]
        A[r] = [v / A[r][j] for v in A[r]]
        A = [row if k == r or not row[j] else [a - row[j] * b for a, b in zip(row, A[r], strict=True)]
             for k, row in enumerate(A)]  # fmt: skip
        pivots.append(j)
    free = [j for j in range(width) if j not in pivots]
    return [[Fraction(int(j == f)) if j in free else -A[pivots.index(j)][f] for j in range(width)] for f in free]


def circuits(X, y, intercept):
    """All smallest obstructions: sets of rows with positive multipliers, whole ones by row, that add up to zero."""
    Z = lifted(X, y, intercept)
    found = []
    for size in range(1, min(len(Z), len(Z[0]) + 1) + 1):
        for rows in itertools.combinations(range(len(Z)), size):
            relations = kernel([[Z[i][j] for i in rows] for j in range(len(Z[0]))])
            if len(relations) == 1 and (min(relations[0]) > 0 or max(relations[0]) < 0):
                common = math.lcm(*(v.denominator for v in relations[0]))
                found.append({i: abs(int(v * common)) for i, v in zip(rows, relations[0], strict=True)})
    return found


def separability(X, y, intercept):
    """The verdict, and the rows that can be strictly separated: those in no circuit.

    No weak separator separates any row of a circuit, and every row of which that is true is in one.
    """
    bound = {i for circuit in circuits(X, y, intercept) for i in circuit}
    free = sorted(set(range(len(X))) - bound)
    return ("separable" if not bound else "quasi-separable" if free else "overlapping"), free


NUMBER = rb"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"


def number(digits, line):
    if not re.fullmatch(NUMBER, digits):
        endless = re.fullmatch(rb"(?i)[+-]?(nan|inf|infinity)", digits)
        raise ValueError(line, "is not finite" if endless else "is not a number")
    if abs(float(digits)) == float("inf"):
        raise ValueError(line, "is too large for float64")
    return float(digits)


def libsvm(text):
    """The rows of LIBSVM text: label, qid or -1, and the pairs of index and value as they are written, zeros too.

    What is not LIBSVM text raises ValueError with the number of the line, or None, and words that say what is wrong.
    """
    rows = []
    for line, content in enumerate(re.split(rb"\r\n|\r|\n", text.removeprefix(b"\xef\xbb\xbf")), 1):
        tokens = re.findall(rb"[^ \t]+", content.partition(b"#")[0])
        for place, token in enumerate(tokens):
            if b"\0" in token:
                raise ValueError(line, "NUL byte")
            if place == 0:
                if b"," in token and all(re.fullmatch(NUMBER, part) for part in token.split(b",")):
                    raise ValueError(line, "several labels")
                if b":" in token:
                    raise ValueError(line, "no label")
                label, qid, pairs = number(token, line), -1, []
            elif token.startswith(b"qid:"):
                if place > 1:
                    raise ValueError(line, "directly after the label")
                if not re.fullmatch(rb"0*[0-9]{1,18}", token[4:]):
                    raise ValueError(line, "is not qid: and a whole number")
                qid = int(token[4:].lstrip(b"0") or b"0")
            else:
                pairs.append(entry(token, pairs, line))
        if tokens:
            rows.append((label, qid, pairs))
    if not rows:
        raise ValueError(None, "expected a line for each row")
    return rows


def entry(token, before, line):
    """Index and value of one token of LIBSVM text."""
    index, colon, value = token.partition(b":")
    if not colon:
        raise ValueError(line, "is not an index:value pair")
    if re.fullmatch(rb"-[0-9]+", index):
        raise ValueError(line, "is negative")
    if not re.fullmatch(rb"[0-9]+", index):
        raise ValueError(line, "is not a whole number")
    digits = index.lstrip(b"0") or b"0"
    if len(digits) > 10 or int(digits) > 2**31 - 2:
        raise ValueError(line, "is too large: at most")
    if before and int(digits) <= before[-1][0]:
        raise ValueError(line, "occurs twice" if int(digits) == before[-1][0] else "comes after")
    return int(digits), number(value, line)


def polynomial_gram(left, right, *, degree=1, gamma=1.0, coef0=0.0, intercept=True):
    """The products (gamma x.x' + coef0)**degree of two sets of rows, plus 1 with an intercept."""
    rows = [[list(map(Fraction, row)) for row in np.asarray(X).tolist()] for X in (left, right)]
    return [[(Fraction(gamma) * dot(a, b) + Fraction(coef0)) ** degree + intercept for b in rows[1]]
            for a in rows[0]]  # fmt: skip


def polynomial_features(X, *, degree=1, gamma=1, coef0=0):
    """Columns whose inner products are (gamma x.x' + coef0)**degree, for whole gamma and coef0 that are not negative.

    The product of sums of products is multiplied out, term by term: a column for each, sqrt-free as each whole factor
    is as many columns.
    """
    rows = [[Fraction(v) for v in row] for row in np.asarray(X).tolist()]
    once = [[v for v in row for _ in range(gamma)] + [Fraction(1)] * coef0 for row in rows]
    return [[math.prod(term) for term in itertools.product(row, repeat=degree)] for row in once]


def dual_perceptron(K, y, *, order="cyclic", tie="update", max_iter=1000, weights=None):
    """The perceptron that knows its rows by their products only: the trace, the multiples, the passes, whether it ended."""
    n = len(y)
    steps = [Fraction(float(c)) for c in ([1] * n if weights is None else weights)]
    alpha, trace = [Fraction(0)] * n, []
    for passes in range(1, max_iter + 1):
        before = len(trace)
        for i in range(n) if isinstance(order, str) else order:
            score = sum((alpha[j] * K[i][j] for j in range(n) if alpha[j]), Fraction(0))
            if is_mistake(int(y[i]) * score, y[i], tie):
                alpha[i] += int(y[i]) * steps[i]
                trace.append(i)
        if len(trace) == before:
            return trace, alpha, passes, True
    return trace, alpha, max_iter, False


def in_passes(n, order, max_iter, random_state=None):
    """The rows of each pass; not of the order "random"."""
    rng = np.random.RandomState(random_state)
    for _ in range(max_iter):
        if isinstance(order, str):
            yield list(range(n)) if order == "cyclic" else rng.permutation(n).tolist()
        else:
            yield list(order)


def visit_by_visit(passes, look, learn):
    """Visit rows until a pass is clean: the number, pass and row of each visit with what a look at it says, and w after it.

    ``look`` returns the score or scores, and whether it is a mistake; ``learn`` what it adds, and the weights after that.
    """
    lines, number = [], 0
    for passed, rows in enumerate(passes, 1):
        clean = True
        for i in rows:
            number += 1
            score, mistake = look(i)
            update, weights = learn(i, mistake)
            clean &= not mistake
            lines.append((number, passed, i, score, mistake, update, weights))
        if clean:
            break
    return lines


def perceptron_lines(X, y, *, order="cyclic", tie="update", max_iter=1000, eta=1, start=None, weights=None, intercept=True,
                     random_state=None):  # fmt: skip
    """The visits of a perceptron of two classes, line by line; the score is w.x."""
    Z = lifted(X, y, intercept)
    steps = [Fraction(eta) * Fraction(c) for c in ([1] * len(Z) if weights is None else weights)]
    w = [Fraction(v) for v in ([0] * len(Z[0]) if start is None else start)]

    def look(i):
        return int(y[i]) * dot(w, Z[i]), is_mistake(dot(w, Z[i]), y[i], tie)

    def learn(i, mistake):
        update = [steps[i] * v for v in Z[i]] if mistake else None
        if mistake:
            w[:] = [a + b for a, b in zip(w, update, strict=True)]
        return update, list(w)

    return visit_by_visit(in_passes(len(Z), order, max_iter, random_state), look, learn)
