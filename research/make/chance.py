"""Sets the measure of chances, and prints src/evidence/data/chance.txt.

    python3 research/make/chance.py --rows tuning/*.jsonl > src/evidence/data/chance.txt
    python3 research/make/chance.py --judge held-out.jsonl

--rows is what research/measure/ranking/chances.mjs collected: tasks over the servers of the demo, over strangers and thirty others,
alone and beside known ones, with vectors and without. Trees of gradient boosting (Friedman, 2001), and a line through their
logits (Platt, 1999), set on what they say of servers that were left out. --judge prints how well the shipped measure is calibrated on other rows: by chance,
by evidence and by language. Needs scikit-learn (set with 1.9). Three minutes.
"""

import argparse
import json
import sys
import zlib
from pathlib import Path

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

SHIPPED = Path(__file__).parents[2] / "src/evidence/data/chance.txt"
# Whole tasks count whole. Talk and code have many lines; sets ask for one tool in its own words, which people hardly do.
WEIGHTS = {"task": 1.0, "step": 1.0, "need": 0.3, "talk": 0.5, "code": 0.4, "impossible": 0.3, "query": 0.15}
# The same texts once more over few servers: a person with two or five is not one with thirty.
OF_SMALL = 0.4
FOREST = {
    "max_iter": 120,
    "learning_rate": 0.08,
    "max_leaf_nodes": 12,
    "min_samples_leaf": 40,
    "l2_regularization": 5.0,
    "early_stopping": False,
    "random_state": 1,
}
# Of rows deep down the ranking that nothing needs, one in so many is kept, and counts for all of them.
ONE_IN = 5
DEEP = 4.0
# A bin of so many tools or more may be off by this factor, but for the first: hardly anything in it is shown.
MANY = 50
MOST_OFF = 1.5
# A language with fewer texts has no line of its own.
FEW = 20
OF_EVIDENCE = [0, 0.1, 0.3, 0.6, 0.9, 1.01]
BINS = [0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7, 1.01]
# Servers are left out in so many parts.
PARTS = 4


def read(names):
    for name in names:
        with open(name, encoding="utf-8") as lines:
            for line in lines:
                yield name, json.loads(line)


def labelled(text):
    """Values and whether they are needed: of tools that do equally well, the best ranked counts, and the others do not."""
    rank = text["names"].index("rank")
    best = {}
    for at, (_, _, _, attached, met, values) in enumerate(text["rows"]):
        for need in met if not attached else []:
            if need not in best or values[rank] < best[need][0]:
                best[need] = (values[rank], at)
    needed = {at for _, at in best.values()}
    for at, (_, _, named, attached, met, values) in enumerate(text["rows"]):
        if not attached and not named and (at in needed or not met):
            yield values, at in needed


def table(texts, seed=1):
    draw = np.random.default_rng(seed)
    values, needed, weights = [], [], []
    for text in texts:
        rank, brought, way_in = [text["names"].index(name) for name in ("rank", "brought", "way_in")]
        for row, is_needed in labelled(text):
            deep = row[rank] > DEEP and row[brought] == 0 and row[way_in] == 0 and not is_needed
            if deep and draw.integers(ONE_IN) > 0:
                continue
            values.append(row)
            needed.append(is_needed)
            small = OF_SMALL if text.get("scope", "all") != "all" else 1
            weights.append(WEIGHTS[text["kind"]] * small * (ONE_IN if deep else 1))
    return np.array(values, dtype=np.float32), np.array(needed), np.array(weights)


def measure(texts):
    values, needed, weights = table(texts)
    return HistGradientBoostingClassifier(**FOREST).fit(values, needed, sample_weight=weights)


def part(text):
    """Texts of one set and of one author: numbers of a hundred lines that follow each other."""
    name = "".join(c for c in str(text["id"]).split("/")[0] if c.isalnum())
    return zlib.crc32(f"{text['kind']} {name[:-2]}".encode()) % PARTS


def line(texts):
    """What the logits of a measure are multiplied with and added to, by what others say of each part of the texts."""
    logits, needed = [], []
    for left in range(PARTS):
        fit = measure([text for text in texts if part(text) != left])
        judged = [text for text in texts if part(text) == left and text["kind"] in ("task", "step")]
        rows = [row for text in judged for row in labelled(text)]
        if rows:
            logits.append(fit.decision_function(np.array([values for values, _ in rows], dtype=np.float32)))
            needed.append(np.array([is_needed for _, is_needed in rows]))
    set_on = LogisticRegression(C=1e6).fit(np.concatenate(logits).reshape(-1, 1), np.concatenate(needed))
    return float(set_on.coef_[0][0]), float(set_on.intercept_[0])


def trees(fit, names, slope):
    for [predictor] in fit._predictors:
        nodes = predictor.nodes

        def text(at):
            node = nodes[at]
            if node["is_leaf"]:
                return f"{slope * node['value']:.4f}"
            sides = [text(node["left"]), text(node["right"])]
            return " ".join([names[node["feature_idx"]], f"{node['num_threshold']:.4f}", *sides])

        yield text(0)


def tree_of(words):
    """A tree as `trees` writes it: a split of name, threshold and two sides, or what a leaf adds."""
    word = next(words)
    if word[0] not in "abcdefghijklmnopqrstuvwxyz":
        return float(word)
    return word, float(next(words)), tree_of(words), tree_of(words)


def leaf(tree, values):
    while isinstance(tree, tuple):
        name, most, low, high = tree
        tree = low if values[name] <= most else high
    return tree


def shipped():
    """The measure that ships: what it says of a row with vectors or without."""
    begins, forests = [], {True: [], False: []}
    for text in SHIPPED.read_text(encoding="utf-8").splitlines():
        words = iter(text.split(" "))
        kind = next(words)
        if kind == "begin":
            begins = [float(word) for word in words]
        elif kind != "#":
            forests[kind == "tree_with_vectors"].append(tree_of(words))

    def logit(text, row):
        values = dict(zip(text["names"], row))
        return begins[0 if text["vectors"] else 1] + sum(leaf(tree, values) for tree in forests[text["vectors"]])

    return logit


def lines_of(title, kinds, of, said, needed, digits=2):
    """A table of what was said and what happened; the kinds that are off. Sums are of a text."""
    print(f"| {title} | of them | said | needed |\n| --- | ---: | ---: | ---: |")
    off = []
    for kind, is_of in kinds:
        these = of(is_of)
        if these.any():
            mean, happened = said[these].mean(), needed[these].mean()
            print(f"| {kind} | {these.sum()} | {mean:.{digits}f} | {happened:.{digits}f} |")
            if these.sum() >= MANY and not mean / MOST_OFF <= happened <= mean * MOST_OFF:
                off.append(f"{title} {kind}")
    print()
    return off


def between(bins):
    """Bins by name."""
    return [(f"{least} to {most}" if most <= 1 else f"over {least}", (least, most)) for least, most in zip(bins, bins[1:])]


def judge(texts):
    logit = shipped()
    texts = [text for text in texts if text["kind"] in ("task", "step")]
    said, needed, sums, happened = [], [], [], []
    for text in texts:
        rows = list(labelled(text))
        chances = 1 / (1 + np.exp(-np.array([logit(text, row) for row, _ in rows])))
        said.append(chances)
        needed.append(np.array([is_needed for _, is_needed in rows]))
        sums.append(chances.sum())
        happened.append(needed[-1].sum())
    said, needed, sums, happened = np.concatenate(said), np.concatenate(needed), np.array(sums), np.array(happened)
    in_bin = lambda values: lambda ends: (values >= ends[0]) & (values < ends[1])  # noqa: E731
    lines = lines_of("chance", between(BINS), in_bin(said), said, needed, digits=4)
    off = [line for line in lines if line != f"chance {between(BINS)[0][0]}"]
    evidence = np.array([text["rows"][0][-1][text["names"].index("evidence")] for text in texts])
    off += lines_of("evidence of a text", between(OF_EVIDENCE), in_bin(evidence), sums, happened)
    language = np.array([text.get("language") or "en" for text in texts])
    few = {code for code in language if (language == code).sum() < FEW}
    kinds = [(code, [code]) for code in sorted(set(language) - few)] + [("others", list(few))]
    off += lines_of("language of a text", kinds, lambda codes: np.isin(language, codes), sums, happened)
    if off:
        sys.exit(f"off by more than a factor of {MOST_OFF}: {', '.join(off)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", nargs="+", help="what research/measure/ranking/chances.mjs collected")
    parser.add_argument("--judge", nargs="+", help="rows to print tables of calibration over, instead of the measure")
    given = parser.parse_args()
    texts = [text for _, text in read(given.rows or [])]
    if given.judge:
        return judge([text for _, text in read(given.judge)])
    if not texts:
        parser.error("--rows or --judge is needed")
    names = texts[0]["names"]
    begins, written = [], []
    for vectors, name in [(True, "tree_with_vectors"), (False, "tree_without")]:
        own = [text for text in texts if text["vectors"] == vectors]
        fit, (slope, begin) = measure(own), line(own)
        print(name, f"slope {slope:.3f}, begin {begin:.3f}", file=sys.stderr)
        begins.append(f"{slope * float(np.ravel(fit._baseline_prediction)[0]) + begin:.4f}")
        written += [f"{name} {text}" for text in trees(fit, names, slope)]
    print("# Set by research/make/chance.py: what a logit begins with, and trees, with vectors and without.")
    print("begin", *begins)
    print("\n".join(written))
    return None


if __name__ == "__main__":
    sys.exit(main())
