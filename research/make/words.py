"""Learns which words of tools a word of a request leads to: writes src/text/data/related.txt.

    python3 research/make/words.py --data FOLDER > src/text/data/related.txt

--data holds the sets `catalogue` and `scale` (research/labelled/README.md has the format): research/make/requests/*.tsv ask for
their tools. Needs the packages numpy and scipy, and cargo for the terms. Two minutes on two cores.

A request's words score tools by BM25. A pair of words adds the score that the tool's word would have, times a weight. The
weights make the tool that was asked for more likely than others (softmax over scores), by steps of proximal gradient descent
that leave most pairs at 0. Few steps: with more, requests that were never seen lose again.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

import numpy as np
import scipy.sparse as sp

ROOT = pathlib.Path(__file__).parent.parent.parent
SETS = ("catalogue", "scale")
K1, B, HEAD_WEIGHT = 1.5, 0.75, 0.5
SYNONYM_WEIGHT = 0.3
# Tools that a request is compared with: the best by its words, some of the same servers, some of any.
BEST, OF_SERVERS, OF_ANY = 40, 20, 20
# A word of requests stands in so many of them, one of tools in tools of so many servers, and both in so many pairs,
# this much more often than by chance.
FEWEST_REQUESTS, FEWEST_SERVERS, FEWEST_PAIRS, LEAST_LIFT = 4, 6, 3, 1.5
TEMPERATURE = 4.0
STEPS, STEP = 5, 0.15
# What a pair must gain over all requests to be there, and how slowly rare ones move.
LEAST_GAIN, INERTIA = 5.0, 10.0
MOST_WEIGHT = 0.25
MOST_PAIRS = 8_000
MAX_DEPTH = 4


def terms(texts):
    """Terms as the index has them."""
    lines = "".join(" ".join(text.split()) + "\n" for text in texts)
    command = ["cargo", "run", "--quiet", "--release", "--no-default-features", "--example", "terms"]
    out = subprocess.run(command, cwd=ROOT, input=lines, capture_output=True, text=True, check=True).stdout
    return [line.split() for line in out.split("\n")[: len(texts)]]


def parameters(schema, depth=0):
    if not isinstance(schema, dict) or depth > MAX_DEPTH:
        return []
    said = []
    for name, part in (schema.get("properties") or {}).items():
        said.append(name)
        if isinstance(part, dict):
            said += [part["description"]] if isinstance(part.get("description"), str) else []
            said += parameters(part, depth + 1)
    return said + parameters(schema.get("items"), depth + 1)


class Vocabulary(dict):
    def __missing__(self, word):
        self[word] = len(self)
        return self[word]


def read_tools(folder):
    tools = [json.loads(line) for line in (folder / "tools.jsonl").read_text("utf8").splitlines() if line.strip()]
    heads = [" ".join(filter(None, (tool.get("server"), tool["name"], tool.get("title")))) for tool in tools]
    rest = [" ".join([tool.get("description") or "", *parameters(tool.get("inputSchema"))]) for tool in tools]
    return [tool["id"] for tool in tools], terms(heads), terms([f"{head} {more}" for head, more in zip(heads, rest)])


def saturated(documents, vocabulary):
    lengths = np.array([len(document) for document in documents], float)
    norms = K1 * (1 - B + B * lengths / lengths.mean())
    rows, columns, values = [], [], []
    for row, document in enumerate(documents):
        for word, times in collections.Counter(document).items():
            rows.append(row)
            columns.append(vocabulary[word])
            values.append(times * (K1 + 1) / (times + norms[row]))
    return rows, columns, values


def scores_of(heads, wholes, vocabulary):
    """What each term gives each tool: BM25 over all of it and, at half weight, over its names."""
    fields = [saturated(wholes, vocabulary), saturated(heads, vocabulary)]
    shape = (len(wholes), len(vocabulary))
    whole, head = (sp.csr_matrix((values, (rows, columns)), shape=shape) for rows, columns, values in fields)
    found = np.asarray((whole > 0).sum(0)).ravel()
    rarity = np.where(found > 0, np.log(1 + (shape[0] - found + 0.5) / (found + 0.5)), 0)
    return ((whole + HEAD_WEIGHT * head) @ sp.diags(rarity)).tocsr()


def widened(matrix, words):
    return sp.csr_matrix((matrix.data, matrix.indices, matrix.indptr), shape=(matrix.shape[0], words))


def lines(name):
    text = (ROOT / "src/text/data" / name).read_text("utf8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def synonyms(vocabulary):
    pairs = set()
    for line in lines("synonyms.txt"):
        if " = " in line or " ~ " in line:
            continue
        group = terms([word.replace("_", " ") for word in line.split()])
        for word in (word for word in group if len(word) == 1):
            pairs.update((word[0], other) for others in group for other in others if others is not word and other != word[0])
    for verb, _, _, _, others in (line.split() for line in lines("verbs.txt")):
        own, *others = terms([verb, *others.split(",")]) if others != "-" else [[verb]]
        pairs.update((own[0], other) for words in others for other in words if other != own[0])
    pairs = sorted((vocabulary[word], vocabulary[other]) for word, other in pairs)
    words = len(vocabulary)
    return sp.csr_matrix((np.full(len(pairs), SYNONYM_WEIGHT), tuple(zip(*pairs))), shape=(words, words))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=pathlib.Path, required=True)
    data = parser.parse_args().data
    vocabulary, random = Vocabulary(), np.random.default_rng(1)

    ids, blocks, requests, needed, ranges = [], [], [], [], []
    for name in SETS:
        own, heads, wholes = read_tools(data / name)
        start, at = len(ids), {tool: len(ids) + place for place, tool in enumerate(own)}
        ids += own
        blocks.append(scores_of(heads, wholes, vocabulary))
        rows = [line.split("\t") for line in (ROOT / f"research/make/requests/{name}.tsv").read_text("utf8").splitlines()]
        requests += terms([text for _, text in rows])
        needed += [[at[tool] for tool in tools.split("|")] for tools, _ in rows]
        ranges += [(start, len(ids))] * len(rows)
    for request in requests:
        for word in request:
            vocabulary[word]
    known = synonyms(vocabulary)
    words, count = len(vocabulary), len(requests)
    known = sp.csr_matrix(known, shape=(words, words))
    tools = sp.vstack([widened(block, words) for block in blocks]).tocsr()
    asked = [(row, vocabulary[word]) for row, request in enumerate(requests) for word in sorted(set(request))]
    asked = sp.csr_matrix((np.ones(len(asked)), tuple(zip(*asked))), shape=(count, words))
    own_words = asked > 0

    def added(weights):
        more = (asked @ weights).tocsr()
        return more - more.multiply(own_words)

    # What each request is compared with.
    of_server = collections.defaultdict(list)
    key = lambda tool: (tool >= blocks[0].shape[0], ids[tool].split("::")[0])
    for tool in range(len(ids)):
        of_server[key(tool)].append(tool)
    by_words = ((asked + added(known)) @ tools.T).tocsr()
    compared = []
    for row, (first, end) in enumerate(ranges):
        span = slice(by_words.indptr[row], by_words.indptr[row + 1])
        found, score = by_words.indices[span], by_words.data[span]
        mine = (found >= first) & (found < end)
        best = found[mine][np.argsort(-score[mine], kind="stable")[:BEST]]
        same = [other for tool in needed[row] for other in of_server[key(tool)]]
        others = {*best, *random.permutation(same)[:OF_SERVERS], *random.integers(first, end, OF_ANY)} - {*needed[row]}
        compared += [(row, tool, 0.0) for tool in sorted(others)]
        compared += [(row, tool, 1 / len(needed[row])) for tool in needed[row]]
    rows, columns, wanted = (np.array(column) for column in zip(*compared))

    # Which pairs may have a weight.
    right = sp.csr_matrix((wanted[wanted > 0] * 0 + 1, (rows[wanted > 0], columns[wanted > 0])), shape=(count, len(ids)))
    held = (right @ (tools > 0).astype(float)).tocsr()
    held.data[:] = 1
    together = (asked.T @ held).tocoo()
    of_requests, of_tools = np.asarray(asked.sum(0)).ravel(), np.asarray(held.sum(0)).ravel()
    servers = {server: place for place, server in enumerate(sorted({tool.split("::")[0] for tool in ids}))}
    at_server = [servers[tool.split("::")[0]] for tool in ids]
    on = sp.csr_matrix((np.ones(len(ids)), (at_server, range(len(ids)))), shape=(len(servers), len(ids)))
    in_servers = np.asarray(((on @ (tools > 0).astype(float)) > 0).sum(0)).ravel()
    plain = np.array([bool(re.fullmatch("[a-z]{2,14}", word)) for word in vocabulary])
    a, b = together.row, together.col
    may = (plain & (of_requests >= FEWEST_REQUESTS))[a] & (plain & (in_servers >= FEWEST_SERVERS))[b] & (a != b)
    may &= (together.data >= FEWEST_PAIRS) & (together.data > LEAST_LIFT * of_requests[a] * of_tools[b] / count)
    pairs = sp.csr_matrix((np.ones(may.sum()), (a[may], b[may])), shape=(words, words))
    pairs.sort_indices()
    a, b = np.repeat(np.arange(words), np.diff(pairs.indptr)), pairs.indices
    weights = np.zeros(len(a))
    print(f"{count} requests, {len(ids)} tools, {len(a)} pairs", file=sys.stderr)

    squares = tools.multiply(tools).tocsr()
    for step in range(STEPS):
        learned = sp.csr_matrix((weights, (a, b)), shape=(words, words))
        query = (asked + added(known.maximum(learned))).tocsr()
        chunks = range(0, len(rows), 200_000)
        score = np.concatenate(
            [np.asarray(query[rows[at : at + 200_000]].multiply(tools[columns[at : at + 200_000]]).sum(1)).ravel() for at in chunks]
        )
        highest = np.full(count, -np.inf)
        np.maximum.at(highest, rows, score / TEMPERATURE)
        likely = np.exp(score / TEMPERATURE - highest[rows])
        likely /= np.bincount(rows, likely, minlength=count)[rows]
        loss = -(wanted * np.log(likely + 1e-12)).sum() / count

        def of_pairs(per_pair):
            per_pair = per_pair - per_pair.multiply(own_words)
            return np.asarray((asked.T @ per_pair).tocsr()[a, b]).ravel()

        matrix = lambda values: sp.csr_matrix((values, (rows, columns)), shape=(count, len(ids)))
        slope = of_pairs((matrix((likely - wanted) / TEMPERATURE) @ tools).tocsr())
        mean = (matrix(likely) @ tools).tocsr()
        spread = of_pairs(((matrix(likely) @ squares) - mean.multiply(mean)).tocsr()) / TEMPERATURE**2
        weights = np.clip(weights - STEP * (slope + LEAST_GAIN) / (spread + INERTIA), 0, MOST_WEIGHT)
        print(f"step {step + 1}: loss {loss:.3f} before it, {(weights > 0).sum()} pairs", file=sys.stderr)

    written = list(vocabulary)
    best = sorted(range(len(weights)), key=lambda at: (-weights[at], written[a[at]], written[b[at]]))[:MOST_PAIRS]
    lines = collections.defaultdict(list)
    for at in best:
        hundredths = round(100 * weights[at])
        if hundredths > 0:
            lines[written[a[at]]].append((-hundredths, written[b[at]]))
    print("# Written by research/make/words.py. The stem of a word of requests, and stems of words of tools that it leads to, with their")
    print("# weights in hundredths of a word that stands in the request.")
    for word in sorted(lines):
        print(word, *(f"{other}:{-hundredths}" for hundredths, other in sorted(lines[word])))


if __name__ == "__main__":
    main()
