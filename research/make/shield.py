"""Sets the shield's measure of wording, and writes src/shield/data/wording.bin.

    python3 research/make/shield.py --tools tools.jsonl > src/shield/data/wording.bin
    python3 research/make/shield.py --tools tools.jsonl --judge

It learns from research/labelled/shield.jsonl (the open half) and from sentences of real tools, `--tools`: a line each, with `server`,
`description` and `inputSchema`. A logistic regression over hashed pieces of words, words and pairs of words (feature hashing:
Weinberger et al., 2009). --judge prints what it finds of hands, and of servers, that it did not learn from. Needs scikit-learn (set
with 1.9). A minute.
"""

import argparse
import json
import re
import struct
import sys
import unicodedata
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix, vstack
from sklearn.linear_model import LogisticRegression

LABELLED = Path(__file__).parent.parent / "labelled" / "shield.jsonl"
# The same stand in src/shield/wording.rs.
BUCKETS = 1 << 16
PIECES = range(2, 6)
# Real tools have many sentences that are nothing like a lie.
OF_REAL = 0.1
STRENGTH = 30
SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？।])|\n+")
# Servers are left out in so many parts.
PARTS = 4


def bucket(kind, text):
    """FNV-1a of 32 bits."""
    hashed = 0x811C9DC5
    for byte in (kind + text).encode():
        hashed = ((hashed ^ byte) * 0x01000193) & 0xFFFFFFFF
    return (hashed ^ hashed >> 16) % BUCKETS


def words(text):
    plain = unicodedata.normalize("NFKC", text).lower()
    return "".join(c if c.isalnum() or unicodedata.category(c)[0] == "M" else " " for c in plain).split()


def features(text):
    found = words(text)
    pieces, wholes = set(), set()
    for word in found:
        padded = f" {word} "
        pieces.update(padded[at : at + n] for n in PIECES for at in range(len(padded) - n + 1))
        wholes.add(word)
    wholes.update(f"{a} {b}" for a, b in zip(found, found[1:]))
    values = {}
    for kind, group in (("p", pieces), ("w", wholes)):
        share = 1 / max(len(group), 1) ** 0.5
        for each in group:
            at = bucket(kind, each)
            values[at] = values.get(at, 0) + share
    return values


def matrix(texts):
    rows = [features(text) for text in texts]
    columns = [at for row in rows for at in row]
    data = [value for row in rows for value in row.values()]
    ends = np.cumsum([0] + [len(row) for row in rows])
    return csr_matrix((data, columns, ends), shape=(len(rows), BUCKETS))


def sentences(paths):
    """Those of real tools, each once, with its server."""
    known = {}
    for line in (line for path in paths for line in open(path, encoding="utf-8")):
        tool = json.loads(line)
        for text in texts_of(tool):
            for part in SENTENCE.split(text):
                if len(part.split()) > 3:
                    known.setdefault(part.strip(), tool["server"])
    return list(known.items())


def texts_of(value, key=None):
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from texts_of(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from texts_of(inner)
    elif key == "description" and isinstance(value, str):
        yield value


def learn(lines, real):
    hostile = [line["label"] == "hostile" for line, _ in lines] + [False] * len(real)
    weights = [1.0] * len(lines) + [OF_REAL] * len(real)
    fit = LogisticRegression(C=STRENGTH, solver="liblinear")
    return fit.fit(vstack([row for _, row in lines] + [row for _, row in real]), hostile, sample_weight=weights)


def said(fit, rows):
    return fit.decision_function(vstack([row for _, row in rows]))


def judge(lines, real):
    hands = sorted({line["hand"] for line, _ in lines})
    servers = sorted({server for (_, server), _ in real})
    part = {server: at % PARTS for at, server in enumerate(servers)}
    scores, truths = [], []
    for hand in hands:
        fit = learn([each for each in lines if each[0]["hand"] != hand], real)
        own = [each for each in lines if each[0]["hand"] == hand]
        scores += list(said(fit, own))
        truths += [(line["label"], line["lang"] == "en") for line, _ in own]
    of_real = []
    for left in range(PARTS):
        fit = learn(lines, [each for each in real if part[each[0][1]] != left])
        of_real += list(said(fit, [each for each in real if part[each[0][1]] == left]))
    scores, of_real = np.array(scores), np.array(of_real)
    honest = np.array([label == "honest" for label, _ in truths])
    english = np.array([is_english for _, is_english in truths])
    print("| at | honest | hostile | hostile, English | hostile, others | of real tools |\n| --- | --- | --- | --- | --- | --- |")
    for at in (-2, -1.5, -1, -0.5, 0, 0.5, 0.75, 1, 1.25, 1.5, 2, 2.5, 3):
        share = lambda of: f"{100 * (scores[of] > at).mean():.1f} %"
        print(f"| {at} | {share(honest)} | {share(~honest)} | {share(~honest & english)} | {share(~honest & ~english)} | {100 * (of_real > at).mean():.2f} % |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tools", required=True, nargs="+", help="definitions of real tools, a line each")
    parser.add_argument("--judge", action="store_true", help="print what it finds of others, instead of the measure")
    given = parser.parse_args()
    lines = [json.loads(line) for line in open(LABELLED, encoding="utf-8")]
    lines = [line for line in lines if line["half"] == "open"]
    lines = list(zip(lines, matrix([line["text"] for line in lines])))
    real = sentences(given.tools)
    real = list(zip(real, matrix([text for text, _ in real])))
    if given.judge:
        return judge(lines, real)
    fit = learn(lines, real)
    scale = float(np.abs(fit.coef_).max()) / 32767
    sys.stdout.buffer.write(struct.pack("<ff", scale, float(fit.intercept_[0])))
    sys.stdout.buffer.write(np.round(fit.coef_[0] / scale).astype("<i2").tobytes())
    return None


if __name__ == "__main__":
    main()
