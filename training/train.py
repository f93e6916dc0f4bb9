# SPDX-License-Identifier: Apache-2.0
"""Trains npm/model/adapter.safetensors: low-rank changes of the encoder's last layers.

    python3 training/train.py --model model.onnx --tokenizer tokenizer.json --data FOLDER --out adapter.safetensors

--model is the ONNX file as pip brings it, not the tuned one. --data holds labelled sets as benchmark/labelled/README.md
describes them, `catalogue` among them: training/requests.tsv asks for its tools. Needs the packages torch, numpy, onnx
and tokenizers. About 40 minutes on two cores. README.md beside this file is the card of the weights.
"""

import argparse
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

from encoder import Encoder, read_weights
from texts import tool_texts

OWN = "requests.tsv"
# Sets whose requests are learned; those of all other sets are never seen.
SETS = ("mcpzero_dev", "mcptoolbenchpp", "ultratool", "sealtools_dev")
# A batch is of one set; ours comes four times as often, being the most varied.
SET_WEIGHT, OWN_WEIGHT = 1.0, 4.0
TRAINED_LAYERS, RANK = 2, 32
# (steps, learning rate, seed). 240 more steps found more by vectors alone, and no more in the fusion.
RUNS = ((300, 1e-3, 1),)
REQUESTS, NEGATIVES = 32, 32
TEMPERATURE = 0.05
WARM_UP, LEAST_RATE = 20, 0.05
MAX_TOKENS = 96
# How often a tool is shown by its first sentence, by its whole description; else by its name.
SHOWN = (0.6, 0.9)
# Half of the negatives stand this near in the catalogue: tools of the same server.
NEAR = (-3, -2, -1, 1, 2, 3)


def read_lines(path):
    return [json.loads(line) for line in path.read_text("utf8").splitlines() if line.strip()]


def read_set(folder):
    """Tools, requests as (text, ids that are needed, any of each) of one set; and a hash of it."""
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


def read_own(path, tools):
    at = {tool["id"]: place for place, tool in enumerate(tools)}
    rows = [line.split("\t") for line in path.read_text("utf8").splitlines() if line]
    known = [(ids.split("|"), text) for ids, text in rows if all(x in at for x in ids.split("|"))]
    print(f"{OWN}: {len(known)} of {len(rows)} requests, of tools that the catalogue has", flush=True)
    return [(text, [[at[x]] for x in ids]) for ids, text in known]


class Set:
    """A set whose texts are states before the trained layers."""

    def __init__(self, name, tools, requests, states):
        self.name, self.names = name, [tool["name"] for tool in tools]
        self.tools = [[states(text) for text in tool_texts(tool)] for tool in tools]
        self.requests = [(states(text), needed) for text, needed in requests]
        self.order = []

    def take(self, rng):
        chosen = []
        while len(chosen) < min(REQUESTS, len(self.requests)):
            if not self.order:
                self.order = list(range(len(self.requests)))
                rng.shuffle(self.order)
            chosen.append(self.requests[self.order.pop()])
        return chosen

    def shown(self, place, rng):
        draw, texts = rng.random(), self.tools[place]
        text = texts[0] if draw < SHOWN[0] else texts[1] if draw < SHOWN[1] else texts[2]
        return text if len(text) > 2 else texts[0]


def step(encoder, chosen, rng):
    """The loss of one batch: each request must find its tool among the batch's and the negatives."""
    requests = chosen.take(rng)
    wanted = [rng.choice(rng.choice(needed)) for _, needed in requests]
    count = len(chosen.tools)
    near = [min(count - 1, max(0, place + rng.choice(NEAR))) for place in wanted[: NEGATIVES // 2]]
    places = list(dict.fromkeys([*wanted, *near, *(rng.randrange(count) for _ in range(NEGATIVES - NEGATIVES // 2))]))
    column = {place: at for at, place in enumerate(places)}
    vectors = encoder.embed([text for text, _ in requests] + [chosen.shown(place, rng) for place in places])
    scores = vectors[: len(requests)] @ vectors[len(requests) :].t() / TEMPERATURE
    for row, (_, needed) in enumerate(requests):
        # What is needed too, or is called alike, is no negative.
        right = {place for places in needed for place in places}
        for place, at in column.items():
            if place != wanted[row] and (place in right or chosen.names[place] == chosen.names[wanted[row]]):
                scores[row, at] = -1e9
    return F.cross_entropy(scores, torch.tensor([column[place] for place in wanted]))


def train(encoder, sets, steps, rate, seed):
    torch.manual_seed(seed)
    rng = random.Random(seed)
    parameters = encoder.parameters()
    optimiser = torch.optim.AdamW(parameters, lr=rate, weight_decay=0.01)
    weights = [OWN_WEIGHT if chosen.name == OWN else SET_WEIGHT for chosen in sets]
    started, losses = time.time(), []
    for at in range(steps):
        loss = step(encoder, rng.choices(sets, weights)[0], rng)
        for group in optimiser.param_groups:
            group["lr"] = rate * min(1, (at + 1) / WARM_UP) * max(LEAST_RATE, 1 - at / steps)
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
    parser.add_argument("--steps", type=int, help="of each run, for a trial")
    options = parser.parse_args()
    torch.set_num_threads(2)
    torch.manual_seed(1)
    weights, onnx_names = read_weights(str(options.model))
    encoder = Encoder(weights, TRAINED_LAYERS, RANK)
    tokenizer = Tokenizer.from_file(str(options.tokenizer))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    known = {}

    def states(text):
        if text not in known:
            known[text] = encoder.states(tokenizer.encode(text).ids)
        return known[text]

    own_file = pathlib.Path(__file__).parent / OWN
    catalogue, _ = read_set(options.data / "catalogue")
    hashes = {OWN: digest(own_file), "catalogue": digest(options.data / "catalogue" / "tools.jsonl")}
    sets = [Set(OWN, catalogue, read_own(own_file, catalogue), states)]
    for name in SETS:
        sets.append(Set(name, *read_set(options.data / name), states))
        hashes[name] = digest(options.data / name / "tools.jsonl", options.data / name / "queries.jsonl")
        print(f"{name}: {len(sets[-1].tools)} tools, {len(sets[-1].requests)} requests", flush=True)
    for steps, rate, seed in RUNS:
        train(encoder, sets, options.steps or steps, rate, seed)
    metadata = {"strength": "1", "base": hashlib.sha256(options.model.read_bytes()).hexdigest(), "data": json.dumps(hashes)}
    write(options.out, encoder, onnx_names, metadata)


if __name__ == "__main__":
    main()
