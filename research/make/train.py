"""Trains npm/model/adapter.safetensors: low-rank changes of the encoder's layers.

    python3 research/make/train.py --model model.onnx --tokenizer tokenizer.json --data FOLDER --out adapter.safetensors

--model is the ONNX file as pip brings it, not the tuned one. --data holds sets as research/labelled/README.md describes
them, `catalogue` and `scale` among them: research/make/requests/*.tsv ask for their tools. Needs the packages torch, numpy,
onnx and tokenizers. About half an hour on two cores. README.md beside this file is the card of the weights.
"""

import argparse
import functools
import hashlib
import json
import pathlib
import random
import struct
import time

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer

from encoder import LAYERS, Encoder, read_weights
from texts import tool_texts

# Our own requests: a file for each set whose tools they ask for.
OWN = "requests"
RANK = 16
STEPS, RATE, SEED = 1000, 1e-3, 1
REQUESTS, NEGATIVES = 32, 32
TEMPERATURE = 0.05
WARM_UP, LEAST_RATE = 20, 0.05
MAX_TOKENS = 96
# How often a tool is shown by its first sentence, by its whole description; else by its name.
SHOWN = (0.6, 0.9)
# Of a set with more tools than this only those that are asked for are read.
MOST_TOOLS = 10_000


def read_lines(path):
    return [json.loads(line) for line in path.read_text("utf8").splitlines() if line.strip()]


def read_set(folder):
    """The tools of a set, and its requests as (text, places of the tools that are needed, any of each)."""
    tools = read_lines(folder / "tools.jsonl")
    at = {tool["id"]: place for place, tool in enumerate(tools)}
    requests = []
    for query in read_lines(folder / "queries.jsonl"):
        needed = [[at[x] for x in [g, *query.get("alts", {}).get(g, [])] if x in at] for g in query["gold"]]
        if needed:
            requests.append((query["query"], needed))
    return tools, requests


def digest(*paths):
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


def read_own(path, folder):
    """The tools of a set and our requests for them. Of a large set only the tools that are asked for."""
    tools = read_lines(folder / "tools.jsonl")
    at = {tool["id"]: place for place, tool in reversed(list(enumerate(tools)))}
    rows = [line.split("\t") for line in path.read_text("utf8").splitlines() if line]
    known = [(ids.split("|"), text) for ids, text in rows if all(x in at for x in ids.split("|"))]
    if len(tools) > MOST_TOOLS:
        kept = sorted({at[x] for ids, _ in known for x in ids})
        tools = [tools[place] for place in kept]
        at = {tool["id"]: place for place, tool in enumerate(tools)}
    print(f"{OWN}/{path.name}: {len(known)} of {len(rows)} requests have their tools", flush=True)
    return tools, [(text, [[at[x]] for x in ids]) for ids, text in known]


class Set:
    """The texts of a set, and draws from it."""

    def __init__(self, name, tools, requests):
        self.name, self.requests = name, requests
        self.names = [tool["name"] for tool in tools]
        self.tools = [tool_texts(tool) for tool in tools]
        servers = {}
        for place, tool in enumerate(tools):
            servers.setdefault(tool.get("server") or "", []).append(place)
        self.siblings = [servers[tool.get("server") or ""] for tool in tools]
        self.order = []
        print(f"{name}: {len(self.tools)} tools, {len(requests)} requests", flush=True)

    def take(self, rng):
        chosen = []
        while len(chosen) < min(REQUESTS, len(self.requests)):
            if not self.order:
                self.order = list(range(len(self.requests)))
                rng.shuffle(self.order)
            chosen.append(self.requests[self.order.pop()])
        return chosen

    def shown(self, place, rng):
        draw, (first, description, name) = rng.random(), self.tools[place]
        return first if draw < SHOWN[0] else description if draw < SHOWN[1] else name


def step(vectors_of, chosen, rng):
    """The loss of one batch: each request must find its tool among the batch's and the negatives."""
    requests = chosen.take(rng)
    wanted = [rng.choice(rng.choice(needed)) for _, needed in requests]
    # Half of the negatives are of the same server, where it has other tools.
    near = [rng.choice(chosen.siblings[place]) for place in wanted[: NEGATIVES // 2]]
    far = [rng.randrange(len(chosen.tools)) for _ in range(NEGATIVES // 2)]
    places = list(dict.fromkeys([*wanted, *near, *far]))
    column = {place: at for at, place in enumerate(places)}
    vectors = vectors_of([text for text, _ in requests] + [chosen.shown(place, rng) for place in places])
    scores = vectors[: len(requests)] @ vectors[len(requests) :].t() / TEMPERATURE
    for row, (_, needed) in enumerate(requests):
        # What is needed too, or is called alike, is no negative.
        right = {place for places in needed for place in places}
        for place, at in column.items():
            if place != wanted[row] and (place in right or chosen.names[place] == chosen.names[wanted[row]]):
                scores[row, at] = -1e9
    return F.cross_entropy(scores, torch.tensor([column[place] for place in wanted]))


def train(parameters, vectors_of, sets, steps):
    rng = random.Random(SEED)
    optimiser = torch.optim.AdamW(parameters, lr=RATE, weight_decay=0.01)
    # A batch is of one set; every request comes as often as any other.
    weights = [len(chosen.requests) for chosen in sets]
    started, losses = time.time(), []
    for at in range(steps):
        loss = step(vectors_of, rng.choices(sets, weights)[0], rng)
        for group in optimiser.param_groups:
            group["lr"] = RATE * min(1, (at + 1) / WARM_UP) * max(LEAST_RATE, 1 - at / steps)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        losses.append(loss.item())
        if at % 20 == 19:
            print(f"{at + 1} of {steps}: loss {np.mean(losses[-20:]):.3f}, {(time.time() - started) / (at + 1):.1f} s a step", flush=True)


def write(path, encoder, onnx_names, metadata):
    """A safetensors file of half-precision floats."""
    header, data = {}, b""
    first = len(encoder.frozen)
    for layer, module in enumerate(encoder.trained, first):
        for (at, key), name in sorted(onnx_names.items()):
            if at != layer:
                continue
            matrix = getattr(module, key)
            for suffix, value in (("A", matrix.a), ("B", matrix.b)):
                half = value.detach().numpy().astype("<f2")
                header[f"{name}.{suffix}"] = {"dtype": "F16", "shape": list(half.shape), "data_offsets": [len(data), len(data) + half.nbytes]}
                data += half.tobytes()
    header["__metadata__"] = metadata
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def main():
    parser = argparse.ArgumentParser(description="Trains the adapter of the embedding model.")
    for name in ("--model", "--tokenizer", "--data", "--out"):
        parser.add_argument(name, required=True, type=pathlib.Path)
    parser.add_argument("--sets", default="", help="labelled sets to learn from too, joined by commas, for comparison")
    parser.add_argument("--steps", default=STEPS, type=int)
    options = parser.parse_args()
    torch.set_num_threads(2)
    torch.manual_seed(SEED)
    weights, onnx_names = read_weights(str(options.model))
    encoder = Encoder(weights, LAYERS, RANK)
    tokenizer = Tokenizer.from_file(str(options.tokenizer))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)

    @functools.cache
    def states(text):
        return encoder.states(tokenizer.encode(text).ids)

    sets, hashes = [], {}
    for path in sorted((pathlib.Path(__file__).parent / OWN).glob("*.tsv")):
        tools, requests = read_own(path, options.data / path.stem)
        sets.append(Set(f"{OWN}/{path.name}", tools, requests))
        hashes[sets[-1].name] = digest(path)
        hashes[f"{path.stem}, tools alone"] = digest(options.data / path.stem / "tools.jsonl")
    for name in filter(None, options.sets.split(",")):
        sets.append(Set(name, *read_set(options.data / name)))
        hashes[name] = digest(options.data / name / "tools.jsonl", options.data / name / "queries.jsonl")
    train(encoder.parameters(), lambda texts: encoder.embed([states(text) for text in texts]), sets, options.steps)
    metadata = {"strength": "1", "base": hashlib.sha256(options.model.read_bytes()).hexdigest(), "data": json.dumps(hashes)}
    write(options.out, encoder, onnx_names, metadata)


if __name__ == "__main__":
    main()
