"""Fits how likely a later message needs a tool, read in its task, and writes in_task.txt into a folder.

    node research/measure/ranking/turns.mjs --out turns.jsonl
    python3 research/make/turns.py --rows turns.jsonl --out src/evidence/data

A logistic regression (scikit-learn, set with 1.9), over rankings with vectors. Seconds.
"""

import argparse
import json
import math
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

# The inverse strength of the ridge: there are hundreds of rows and few weights.
INVERSE_RIDGE = 10.0
IN_TASK = ["evidence", "server", "scores"]


def fit(rows, names, target):
    """What the logit begins with, and a weight per name. Nothing that is read speaks against a tool: a name whose weight falls
    below 0 by chance is left out."""
    kept = list(names)
    while True:
        values = np.array([[float(row[name]) for name in kept] for row in rows])
        model = LogisticRegression(C=INVERSE_RIDGE, max_iter=1000)
        model.fit(values, np.array(target))
        weights = dict(zip(kept, map(float, model.coef_[0])))
        if all(weight > 0 for weight in weights.values()):
            return [float(model.intercept_[0]), *(weights.get(name, 0.0) for name in names)]
        kept.remove(min(weights, key=weights.get))


def loss(rows, names, target, weights):
    """The mean of the logarithmic loss."""
    total = 0.0
    for row, wanted in zip(rows, target):
        logit = weights[0] + sum(weight * float(row[name]) for weight, name in zip(weights[1:], names))
        chance = min(max(1 / (1 + math.exp(-logit)), 1e-6), 1 - 1e-6)
        total -= math.log(chance if wanted else 1 - chance)
    return total / len(rows)


def read(folder, name, names, column):
    """The weights that a file has now."""
    lines = dict((line.split(" ")[0], line.split(" ")[1:]) for line in (folder / name).read_text().splitlines())
    return [float(lines[key][column]) for key in ["begin", *names]]


def write(file, head, names, columns):
    lines = [f"# {head}", "# Set by: node research/measure/ranking/turns.mjs --out turns.jsonl, then python3 research/make/turns.py"]
    for at, name in enumerate(["begin", *names]):
        lines.append(" ".join([name, *(f"{column[at]:.3g}" for column in columns)]))
    file.write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--compare", action="store_true", help="print the loss of the weights that are there, write nothing")
    given = parser.parse_args()
    rows = [json.loads(line) for line in given.rows.read_text().splitlines()]

    kept = [row for row in rows if row["inTask"]]
    # A message of a task that needs no tool is small talk of another kind: both count.
    in_task = ([row["inTask"] for row in kept], IN_TASK, [row["needs"] for row in kept])
    if given.compare:
        print(len(kept), loss(*in_task, read(given.out, "in_task.txt", IN_TASK, 0)))
        return
    write(
        given.out / "in_task.txt",
        "How likely a later message needs a tool, read in its task: weights of a logistic regression, in logits.",
        IN_TASK,
        [fit(*in_task)],
    )


if __name__ == "__main__":
    main()
