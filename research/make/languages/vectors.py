"""What labelled requests find by vectors alone, one text a tool: needs within the first 10 and 30, by language.

    python3 research/make/languages/vectors.py --model npm/model/model.onnx --folder FOLDER --labelled FOLDER [--rows rows.npz,...]

--labelled is what labelled.mjs wrote. --rows are files of rows.py in --folder, of which each gets a column; the first column is the
encoder as it ships, with its own tokenizer.
"""

import collections

import numpy as np
import torch

from pairs import options_of
from pieces import ROOT, loaded
from rows import Student
from texts import tool_texts
from train import read_lines

WITHIN = (10, 30)
TOOL_TOKENS = 64


def tool_vectors(student, tools, kept):
    """Kept for all but tools that new pieces say: those alone change with the rows."""
    texts = [tool_texts(tool)[0] for tool in tools]
    ids, known = student.ids(texts), len(student.words)
    changing = [at for at, one in enumerate(ids) if max(one) >= known]
    if kept.exists():
        vectors = np.load(kept)
    else:
        vectors = student.embed(texts)
        np.save(kept, vectors)
    if changing:
        vectors[changing] = student.embed([texts[at] for at in changing])
    return vectors


def found(student, tools, requests, kept):
    """Of each language: how many needs there are, and how many within the first of WITHIN."""
    vectors = tool_vectors(student, tools, kept)
    place = {tool["id"]: at for at, tool in reversed(list(enumerate(tools)))}
    scores = student.embed([request["text"] for request in requests]) @ vectors.T
    counts = collections.defaultdict(lambda: np.zeros(1 + len(WITHIN)))
    for request, row in zip(requests, scores):
        rank = np.empty(len(row), int)
        rank[np.argsort(-row, kind="stable")] = np.arange(len(row))
        for need in request["needs"]:
            best = min((rank[place[tool]] for tool in need if tool in place), default=len(row))
            for group in (request["language"], "not English" if request["language"] != "en" else None):
                if group:
                    counts[group] += [1, *(best < most for most in WITHIN)]
    return counts


def main():
    options = options_of(__doc__, "model", "folder", "labelled", rows="rows.npz", sets="strangers,known")
    files = options.rows.split(",")
    torch.set_num_threads(2)
    student = Student(options.model, options.folder)
    taught = student.tokenizer
    for name in options.sets.split(","):
        tools, requests = (read_lines(options.labelled / f"{name}.{part}.jsonl") for part in ("tools", "requests"))
        student.tokenizer = loaded((ROOT / "npm/model/tokenizer.json").read_text("utf8"))
        columns = [found(student, tools, requests, options.labelled / f"{name}.shipped.npy")]
        student.tokenizer = taught
        for name_of_rows in files:
            student.rows.weight.data.copy_(torch.from_numpy(np.load(options.folder / name_of_rows)["rows"]))
            columns.append(found(student, tools, requests, options.labelled / f"{name}.shipped.npy"))
        print(f"{name}: needs within the first {' / '.join(map(str, WITHIN))}, %: shipped without glosses, {', '.join(files)}")
        for group in sorted(columns[0], key=lambda group: (group not in ("en", "not English"), group)):
            shown = ["{:5.1f} / {:5.1f}".format(*(100 * counts[group][1:] / counts[group][0])) for counts in columns]
            print(f"{group:12} {int(columns[0][group][0]):4}   {'   '.join(shown)}", flush=True)


if __name__ == "__main__":
    main()
