"""Vectors of new pieces: begun at the English words of the same pairs, then learned from the encoder's own vectors. Writes
npm/model/languages.bin: for each piece of languages.txt 384 numbers of 8 bits, then for each its scale, a 32-bit float.

    PYTHONPATH=research/make python3 research/make/languages/rows.py --folder FOLDER --pairs pairs.tsv --data FOLDER [--steps 3460]

rows.npz in --folder is read, if it is there, and written every few minutes, so that a run goes on where another ended. The layers,
and the rows of English pieces, stay as they are. --data holds the sets with the tools of research/make/requests.

The teacher is the vector of the English side: N. Reimers and I. Gurevych, "Making Monolingual Sentence Embeddings Multilingual
Using Knowledge Distillation", 2020. A request is told from the others of its batch, and is near to the tools it asks for.
"""

import collections
import json
import os
import random
import time

import numpy as np
import torch
import torch.nn.functional as F

from encoder import EPSILON, LAYERS, Encoder, read_weights
from pairs import options_of
from pieces import KNOWN, MODEL, REQUESTS, ROOT, lines, lines_of, loaded, with_pieces
from texts import tool_texts

SEED = 1
# Steps in all, with those of earlier runs; and after how long one stops, to go on another time.
STEPS, MINUTES = 3460, 600.0
# The English pieces that a row begins at.
BEST, LEAST_TOGETHER = 2, 2
# Tokens of a batch of pairs, all of like length, and requests of one.
BATCH_TOKENS, BATCH_REQUESTS = 720, 32
RATE, LEAST_RATE, WARM_UP = 2e-3, 0.1, 20
TEMPERATURE, NEAR, APART, TO_TOOLS = 0.05, 4.0, 0.5, 0.25
# A batch of requests comes after so many of pairs; for the first 1,400 steps of what ships, after three.
PAIRS_TO_REQUESTS = 1
# How often a kind of pairs is drawn: few are about what users do, and many are about emoji.
KINDS = {"editor": 1.0, "content": 2.0, "shop": 3.0, "blog": 2.0, "terminal": 1.5, "upload": 1.5, "characters": 0.4}
MOST_TOKENS = 64
CHECKPOINT_SECONDS = 180


class Student:
    """The encoder with rows that are learned."""

    def __init__(self):
        weights, _ = read_weights(str(MODEL / "model.onnx"))
        self.encoder = Encoder(weights, LAYERS, 0)
        pieces = lines_of(MODEL / "languages.txt")
        self.tokenizer = loaded(with_pieces(pieces))
        self.tokenizer.enable_truncation(MOST_TOKENS)
        self.words = self.encoder.words[:KNOWN]
        self.rows = torch.nn.Embedding(len(pieces), self.words.shape[1], sparse=True)
        for parameter in self.encoder.parameters():
            parameter.requires_grad_(False)

    def ids(self, texts):
        return [encoding.ids for encoding in self.tokenizer.encode_batch_fast(texts)]

    def vectors(self, ids):
        """Unit vectors of texts that run together."""
        longest = max(map(len, ids))
        filled = torch.tensor([one + [0] * (longest - len(one)) for one in ids])
        mask = torch.tensor([[1.0] * len(one) + [0.0] * (longest - len(one)) for one in ids])
        known = len(self.words)
        x = torch.where((filled >= known)[..., None], self.rows((filled - known).clamp(min=0)), F.embedding(filled.clamp(max=known - 1), self.words))
        encoder = self.encoder
        x = F.layer_norm(x + encoder.positions[:longest] + encoder.types[0], (x.shape[-1],), *encoder.norm, EPSILON)
        for layer in encoder.trained:
            x = layer(x, (1 - mask)[:, None, None, :] * -1e9)
        return F.normalize((x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True), dim=-1)

    @torch.no_grad()
    def embed(self, texts):
        """The vectors of many texts."""
        ids = self.ids(texts)
        order = sorted(range(len(ids)), key=lambda at: len(ids[at]))
        out = np.zeros((len(ids), self.words.shape[1]), np.float32)
        for start in range(0, len(order), 32):
            part = order[start : start + 32]
            out[part] = self.vectors([ids[at] for at in part]).numpy()
        return out


def begun(student, english, other):
    """Rows at the English pieces that stand in the same pairs, by Dice; the mean of all rows where there are none."""
    known, of_english, of_other, sets = len(student.words), collections.Counter(), collections.Counter(), []
    for one, two in zip(english, other):
        sets.append((set(one[1:-1]), {at - known for at in two if at >= known}))
        of_english.update(sets[-1][0])
        of_other.update(sets[-1][1])
    keys = np.fromiter((row * known + piece for pieces, new in sets for row in new for piece in pieces), np.int64)
    best = collections.defaultdict(list)
    for key, count in zip(*(found.tolist() for found in np.unique(keys, return_counts=True))):
        row, piece = divmod(key, known)
        if count >= LEAST_TOGETHER and piece < known:
            best[row].append((2 * count / (of_other[row] + of_english[piece]), piece))
    rows = student.words.mean(0).repeat(student.rows.num_embeddings, 1)
    for row, found in best.items():
        chosen = sorted(found, reverse=True)[:BEST]
        share = torch.tensor([dice for dice, _ in chosen])
        rows[row] = (share[:, None] * student.words[[piece for _, piece in chosen]]).sum(0) / share.sum()
    return rows


def read_requests(data):
    """(a request in each other language, the same in English, the tools that it asks for): lines at the same place are one request."""
    english, tools = collections.defaultdict(list), {}
    for source in sorted((ROOT / "research/make/requests").glob("*.tsv")):
        for ids, text in lines(source):
            english[ids].append(text)
        for line in (data / source.stem / "tools.jsonl").read_text("utf8").splitlines():
            tool = json.loads(line)
            tools.setdefault(tool["id"], tool_texts(tool)[0])
    said = collections.defaultdict(list)
    for ids, language, text in lines(REQUESTS):
        said[language].append((ids, text))
    out = []
    for same in zip(*said.values()):
        words = {word for _, text in same for word in text.lower().split()}
        # Of several requests for a tool, the one that shares most names with those in other languages.
        ids = same[0][0]
        original = max(english[ids], key=lambda text: len(words & set(text.lower().split())) if text.isascii() else -1)
        out.append(([text for _, text in same], original, [tools[one] for one in ids.split("|")]))
    return out


def taught(folder, name, student, texts):
    """Vectors of English texts by the encoder as it ships, kept in the folder."""
    path = folder / f"{name}.npy"
    if path.exists() and len(kept := np.load(path)) == len(texts):
        return torch.from_numpy(kept)
    vectors = student.embed(texts)
    np.save(path, vectors)
    return torch.from_numpy(vectors)


class Pairs:
    """Draws batches of pairs of like length."""

    def __init__(self, pairs, other, place, rng):
        self.other, self.rng = other, rng
        self.place = [place[english] for _, _, english, _ in pairs]
        sizes = collections.Counter((kind, language) for kind, language, _, _ in pairs)
        # Longer texts are drawn less often: words are learned from short ones.
        weigh = lambda pair, ids: KINDS[pair[0]] * sizes[pair[0], pair[1]] ** -0.4 / len(ids)
        self.weights = np.cumsum([weigh(pair, ids) for pair, ids in zip(pairs, other)])
        self.waiting = collections.defaultdict(list)

    def take(self):
        while True:
            at = int(np.searchsorted(self.weights, self.rng.random() * self.weights[-1]))
            length = min(len(self.other[at]), MOST_TOKENS)
            group = self.waiting[(length + 1) // 2]
            group.append(at)
            if len(group) * length >= BATCH_TOKENS:
                del self.waiting[(length + 1) // 2]
                return [self.other[at] for at in group], torch.tensor([self.place[at] for at in group])


def apart(vectors, others, same):
    """Each must be nearer to its own than to the others of the batch."""
    scores = (vectors @ others.t() / TEMPERATURE).masked_fill(same, -1e9)
    return F.cross_entropy(scores, torch.arange(len(scores)))


def distilled(vectors, targets, place):
    same = (place[:, None] == place[None]) & ~torch.eye(len(place), dtype=torch.bool)
    return NEAR * (1 - (vectors * targets).sum(1)).mean() + APART * apart(vectors, targets, same)


def main():
    options = options_of(__doc__, "folder", "pairs", "data", steps=STEPS, minutes=MINUTES)
    torch.set_num_threads(os.cpu_count())
    started = saved = time.time()
    say = lambda text: print(f"{time.time() - started:5.0f} s  {text}", flush=True)
    student = Student()
    pairs = lines(options.pairs)
    english = list(dict.fromkeys(pair[2] for pair in pairs))
    place = {text: at for at, text in enumerate(english)}
    other = student.ids([pair[3] for pair in pairs])
    checkpoint = options.folder / "rows.npz"
    state = dict(np.load(checkpoint)) if checkpoint.exists() else {}
    step = int(state.get("step", 0))
    if not state:
        of = student.ids(english)
        state["rows"] = begun(student, [of[place[pair[2]]] for pair in pairs], other).numpy()
        say("rows begun")
    student.rows.weight.data.copy_(torch.from_numpy(state["rows"]))
    requests = read_requests(options.data)
    targets = taught(options.folder, "english", student, english)
    say("English sides taught")
    wanted = taught(options.folder, "requests", student, [original for _, original, _ in requests])
    tool_place = {text: at for at, text in enumerate(dict.fromkeys(text for _, _, texts in requests for text in texts))}
    tool_vectors = taught(options.folder, "tools", student, list(tool_place))
    of_requests = [student.ids(texts) for texts, _, _ in requests]
    rng = random.Random(SEED + step)
    drawn = Pairs(pairs, other, place, rng)
    optimiser = torch.optim.SparseAdam([student.rows.weight], lr=RATE)
    if "first" in state:
        moments = {"step": step, "exp_avg": torch.from_numpy(state["first"]), "exp_avg_sq": torch.from_numpy(state["second"])}
        optimiser.state[student.rows.weight] = moments
    losses = collections.defaultdict(list)

    def save():
        moments = optimiser.state[student.rows.weight]
        arrays = {"first": moments["exp_avg"].numpy(), "second": moments["exp_avg_sq"].numpy()}
        rows = student.rows.weight.detach().numpy()
        np.savez(options.folder / "part.npz", rows=rows, step=step, **arrays)
        (options.folder / "part.npz").rename(checkpoint)
        # As the rows of the model are: 8 bits, and a scale for each row.
        scales = (np.abs(rows).max(1, keepdims=True) / 127).astype("<f4")
        numbers = np.clip(np.round(rows / scales), -127, 127).astype(np.int8)
        (MODEL / "languages.bin").write_bytes(numbers.tobytes() + scales.tobytes())

    while step < options.steps and time.time() - started < options.minutes * 60:
        if step % (PAIRS_TO_REQUESTS + 1) < PAIRS_TO_REQUESTS:
            ids, at = drawn.take()
            loss, kind = distilled(student.vectors(ids), targets[at], at), "pairs"
        else:
            at = torch.tensor(rng.sample(range(len(requests)), BATCH_REQUESTS))
            vectors = student.vectors([rng.choice(of_requests[one]) for one in at.tolist()])
            asked = torch.tensor([tool_place[rng.choice(requests[one][2])] for one in at.tolist()])
            same = (asked[:, None] == asked[None]) & ~torch.eye(len(at), dtype=torch.bool)
            loss, kind = distilled(vectors, wanted[at], at) + TO_TOOLS * apart(vectors, tool_vectors[asked], same), "requests"
        for group in optimiser.param_groups:
            group["lr"] = RATE * min(1, (step + 1) / WARM_UP) * max(LEAST_RATE, 1 - step / options.steps)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        step += 1
        losses[kind].append(loss.item())
        if step % 20 == 0:
            say(f"{step}: " + ", ".join(f"{kind} {np.mean(some[-20:]):.3f}" for kind, some in losses.items()))
        if time.time() - saved > CHECKPOINT_SECONDS:
            save()
            saved = time.time()
    save()
    say(f"{step} steps")


if __name__ == "__main__":
    main()
