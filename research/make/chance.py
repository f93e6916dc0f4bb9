"""Sets the measure of chances, and prints src/evidence/data/chance.txt.

    python3 research/make/chance.py --rows tuning/*.jsonl > src/evidence/data/chance.txt
    python3 research/make/chance.py --rows tuning/*.jsonl --leave-out strangers --judge strangers.jsonl

--rows is what research/measure/ranking/chances.mjs collected: tasks over the servers of the demo and over strangers, alone and
beside others, with vectors and without. Trees of gradient boosting (Friedman, 2001). --judge prints how the measure is calibrated on
other rows; --leave-out takes the files whose names have a word away from what it is set on, so that their servers are strangers to
it. Needs scikit-learn (set with 1.9). Two minutes.
"""

import argparse
import json
import sys

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

# Whole tasks count whole. Talk and code have many lines; sets ask for one tool in its own words, which people hardly do.
WEIGHTS = {"task": 1.0, "step": 1.0, "need": 0.3, "talk": 0.5, "code": 1.0, "impossible": 0.3, "query": 0.15}
# The same texts once more over few servers: a person with two or five is not one with thirty.
OF_SMALL = 0.4
FOREST = {
    "max_iter": 90,
    "learning_rate": 0.08,
    "max_leaf_nodes": 10,
    "min_samples_leaf": 40,
    "l2_regularization": 5.0,
    "early_stopping": False,
    "random_state": 1,
}
# Of rows deep down the ranking that nothing needs, one in so many is kept, and counts for all of them.
ONE_IN = 5
DEEP = 4.0
BINS = [0, 0.01, 0.03, 0.06, 0.12, 0.25, 0.5, 1.01]


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
        rank, brought = text["names"].index("rank"), text["names"].index("brought")
        for row, is_needed in labelled(text):
            deep = row[rank] > DEEP and row[brought] == 0 and not is_needed
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


def trees(fit, names):
    for [predictor] in fit._predictors:
        nodes = predictor.nodes

        def text(at):
            node = nodes[at]
            if node["is_leaf"]:
                return f"{node['value']:.4f}"
            sides = [text(node["left"]), text(node["right"])]
            return " ".join([names[node["feature_idx"]], f"{node['num_threshold']:.4f}", *sides])

        yield text(0)


def judge(fit, texts):
    rows = [row for text in texts if text["kind"] in ("task", "step") for row in labelled(text)]
    said = fit.predict_proba(np.array([values for values, _ in rows]))[:, 1]
    needed = np.array([is_needed for _, is_needed in rows])
    print("| chance said | tools | mean said | needed |\n| --- | ---: | ---: | ---: |")
    for least, most in zip(BINS, BINS[1:]):
        of = (said >= least) & (said < most)
        name = f"{least} to {most}" if most <= 1 else f"over {least}"
        print(f"| {name} | {of.sum()} | {said[of].mean():.3f} | {needed[of].mean():.3f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", required=True, nargs="+", help="what research/measure/ranking/chances.mjs collected")
    parser.add_argument("--leave-out", help="files with this word in their names are not read")
    parser.add_argument("--judge", nargs="+", help="rows to print a table of calibration over, instead of the measure")
    given = parser.parse_args()
    texts = [text for name, text in read(given.rows) if not (given.leave_out and given.leave_out in name)]
    names = texts[0]["names"]
    if given.judge:
        return judge(measure([text for text in texts if text["vectors"]]), [text for _, text in read(given.judge)])
    begins, written = [], []
    for vectors, name in [(True, "tree_with_vectors"), (False, "tree_without")]:
        fit = measure([text for text in texts if text["vectors"] == vectors])
        begins.append(f"{float(np.ravel(fit._baseline_prediction)[0]):.4f}")
        written += [f"{name} {text}" for text in trees(fit, names)]
    print("# Set by research/make/chance.py: what a logit begins with, and trees, with vectors and without.")
    print("begin", *begins)
    print("\n".join(written))
    return None


if __name__ == "__main__":
    sys.exit(main())
