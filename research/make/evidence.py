"""Sets the measure of evidence, and prints src/evidence/data/evidence.txt.

    python3 research/make/evidence.py --signals known.jsonl half.jsonl strange.jsonl > src/evidence/data/evidence.txt

--signals is what research/measure/ranking/evidence.mjs collected, with no, half and all of the servers as strangers; the tuning
halves alone are read. Half of the measure is a logistic
regression, half gradient-boosted trees (Friedman, 2001). What its values are said as is read off lines that neither half
saw. Needs the package scikit-learn (set with 1.9). Less than a minute.
"""

import argparse
import json

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

# What the measure with vectors reads beside all others.
OF_VECTORS = {"top_cosine", "clause_cosine", "cosine_z", "made_here", "need_cosine", "unmet", "talk_over"}
NO_SIGNALS = {"namesATool", "saysNothing", "withVectors", "ofCode"}
# The strength of the ridge: weights stay small where signals say the same.
RIDGE = 10
# What the linear half's weights are multiplied by. The fit is timid for lines that people wrote, as requests of sets whose
# servers were taken out are often served by half: crosswise, 2.2 and 1.8 would be best for such lines, 1.0 and 1.2 for sets.
SHARPER = 1.5
# Lines with a number from here on are of a third writing (research/labelled/README.md). More than half of its needs that nothing
# serves are near misses, more than people type: at half its weight already, what is said without vectors is too low for other
# lines (a mean gap of 0.09); at 0.2, what is said of its own lines is too high (0.085).
THIRD_WRITING = 2001
OF_THIRD = 0.3
# Searches in another author's words, each of which a tool serves. At a quarter, of 305 held-out needs that nothing serves 5 more
# find something with vectors, and no more of these searches do.
OF_SEARCHES = 0.1
# How much the trees count; the linear half counts the rest. Crosswise, with vectors, of needs that nothing serves 77 % are
# turned away with none of them and 80 % with half, at 97 % of the served ones kept; trees alone do as badly on sets as they
# do well on lines like those that they saw.
TREES = 0.5
# 60 trees of 6 leaves did a little worse; 150 at half the rate no better.
FOREST = {
    "n_estimators": 80,
    "learning_rate": 0.1,
    "max_depth": None,
    "max_leaf_nodes": 8,
    "min_samples_leaf": 20,
    "subsample": 0.7,
    "max_features": 0.5,
    "random_state": 1,
}
# Parts of the tuning lines: what a part's values are said as is read off a measure that was set without it.
FOLDS = 10
# Values between which the calibration is linear.
POINTS = [0.01, 0.03, 0.06, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98]
# How far lines count for a point, in logits: narrower, and it follows single lines.
WIDTH = 0.6


def weight_of(row):
    """Lines written by people count whole; of sets there are thousands, and what little serves there is often served by half."""
    if row["set"] == "searches":
        return OF_SEARCHES
    if row["set"] == "code":
        return 1.0
    if row["set"] in ("small-talk", "impossible", "needs"):
        return OF_THIRD if int(row["id"].rsplit("-", 1)[1]) >= THIRD_WRITING else 1.0
    if row["set"] == "task":
        return 0.7 if row["served"] or row["kind"] != "first" else 0.0
    if row["kind"].startswith("small"):
        return 0.3
    return 0.07 if row["kind"].startswith("few") else 0.12


def counts_for(row):
    """A step of a task is often read in its task: what it says by itself is no measure of what it needs."""
    return 0.0 if row["set"] == "task" and row["kind"] == "step" else weight_of(row)


def fold_of(identifier):
    """By the id: what was made of one line stays together."""
    total = 0
    for letter in str(identifier):
        total = (total * 31 + ord(letter)) % 1_000_003
    return total % FOLDS


def logit(value):
    value = np.clip(value, 1e-6, 1 - 1e-6)
    return np.log(value / (1 - value))


class Measure:
    """Both halves, set on some rows."""

    def __init__(self, values, served, weights):
        mean, deviation = values.mean(axis=0), values.std(axis=0) + 1e-9
        fit = LogisticRegression(C=1 / RIDGE, max_iter=5000)
        fit.fit((values - mean) / deviation, served, sample_weight=weights)
        share = (1 - TREES) * SHARPER
        self.slopes = share * fit.coef_[0] / deviation
        self.trees = GradientBoostingClassifier(**FOREST).fit(values, served, sample_weight=weights)
        # Trees begin with the share of all lines that is served.
        before = logit(np.average(served, weights=weights))
        self.intercept = share * fit.intercept_[0] - self.slopes @ mean + TREES * before

    def logits(self, values):
        raw = sum(tree.predict(values) for [tree] in self.trees.estimators_)
        return self.intercept + values @ self.slopes + TREES * FOREST["learning_rate"] * raw

    def tree_texts(self, names):
        for [tree] in self.trees.estimators_:
            tree = tree.tree_

            def text(at):
                if tree.children_left[at] < 0:
                    return f"{TREES * FOREST['learning_rate'] * tree.value[at][0][0]:.4f}"
                sides = [text(tree.children_left[at]), text(tree.children_right[at])]
                return " ".join([names[tree.feature[at]], f"{tree.threshold[at]:.4f}", *sides])

            yield text(0)


def calibration(rows, values, served, weights):
    """How many of the lines around each point are served; a higher point has no less."""
    folds = np.array([fold_of(row["id"]) for row in rows])
    logits = np.zeros(len(rows))
    for fold in range(FOLDS):
        seen = folds != fold
        logits[~seen] = Measure(values[seen], served[seen], weights[seen]).logits(values[~seen])
    counted = [0 if row["signals"]["namesATool"] or row["signals"]["saysNothing"] else counts_for(row) for row in rows]
    shares = []
    for point in POINTS:
        near = np.array(counted) * np.exp(-0.5 * ((logits - logit(point)) / WIDTH) ** 2)
        shares.append((near @ served) / near.sum())
    return IsotonicRegression().fit_transform(POINTS, shares)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--signals", required=True, nargs="+", help="what research/measure/ranking/evidence.mjs collected")
    rows = []
    for name in parser.parse_args().signals:
        with open(name, encoding="utf-8") as lines:
            rows += [row for row in map(json.loads, lines) if row["half"] == "tuning" and weight_of(row) > 0]
    weights_by_name, said, trees = {}, [], []
    for column, ranker in enumerate(["hybrid", "lexical"]):
        of = [row for row in rows if row["ranker"] == ranker]
        names = [name for name in of[0]["signals"] if name not in NO_SIGNALS and (column == 0 or name not in OF_VECTORS)]
        values = np.array([[row["signals"][name] for name in names] for row in of])
        served = np.array([row["served"] for row in of])
        weights = np.array([weight_of(row) for row in of])
        measure = Measure(values, served, weights)
        for name, weight in zip(["intercept", *names], [measure.intercept, *measure.slopes]):
            weights_by_name.setdefault(name, ["0", "0"])[column] = f"{weight:.3f}"
        trees.append(list(measure.tree_texts(names)))
        said.append(calibration(of, values, served, weights))
    print("# What signals weigh in the measure of evidence, with vectors and without; set by research/make/evidence.py. A tree is")
    print("# a signal, the most that its lower side has, and both sides; a side is a tree or what is added.")
    for name, pair in weights_by_name.items():
        print(name, *pair)
    for point, *pair in zip(POINTS, *said):
        print("said", point, *(f"{value:.3f}" for value in pair))
    for name, texts in zip(["tree_with_vectors", "tree_without"], trees):
        for text in texts:
            print(name, text)


main()
