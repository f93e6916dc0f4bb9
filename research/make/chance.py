"""Sets the measure of chances, and prints src/evidence/data/chance.txt.

    python3 research/make/chance.py --rows tuning/*.jsonl > src/evidence/data/chance.txt
    python3 research/make/chance.py --rows tuning/*.jsonl --judge held-out.jsonl

--rows is what research/measure/ranking/chances.mjs collected: tasks over the servers of the demo and over strangers, alone and
beside others, with vectors and without. Trees of gradient boosting (Friedman, 2001), and a line through their logits (Platt, 1999),
set on what they say of servers that were left out. --judge prints how the measure is calibrated on other rows. Needs scikit-learn
(set with 1.9). Three minutes.
"""

import argparse
import json
import sys
import zlib

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression

# Whole tasks count whole. Talk and code have many lines; sets ask for one tool in its own words, which people hardly do.
WEIGHTS = {"task": 1.0, "step": 1.0, "need": 0.3, "talk": 0.5, "code": 1.0, "impossible": 0.3, "query": 0.15}
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
# A bin of so many tools or more may be off by this factor.
MANY = 50
MOST_OFF = 1.5
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


def judge(fit, slope, begin, texts):
    rows = [row for text in texts if text["kind"] in ("task", "step") for row in labelled(text)]
    logits = fit.decision_function(np.array([values for values, _ in rows], dtype=np.float32))
    said = 1 / (1 + np.exp(-(slope * logits + begin)))
    needed = np.array([is_needed for _, is_needed in rows])
    print("| chance said | tools | mean said | needed |\n| --- | ---: | ---: | ---: |")
    off = []
    for least, most in zip(BINS, BINS[1:]):
        of = (said >= least) & (said < most)
        name = f"{least} to {most}" if most <= 1 else f"over {least}"
        mean, happened = said[of].mean(), needed[of].mean()
        print(f"| {name} | {of.sum()} | {mean:.4f} | {happened:.4f} |")
        if of.sum() >= MANY and not mean / MOST_OFF <= happened <= mean * MOST_OFF:
            off.append(name)
    if off:
        sys.exit(f"off by more than a factor of {MOST_OFF}: {', '.join(off)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", required=True, nargs="+", help="what research/measure/ranking/chances.mjs collected")
    parser.add_argument("--judge", nargs="+", help="rows to print a table of calibration over, instead of the measure")
    given = parser.parse_args()
    texts = [text for _, text in read(given.rows)]
    names = texts[0]["names"]
    if given.judge:
        texts = [text for text in texts if text["vectors"]]
        return judge(measure(texts), *line(texts), [text for _, text in read(given.judge)])
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
