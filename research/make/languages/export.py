"""Writes learned rows as files of the model package, and a model folder with them; checks that English vectors stay as they are.

    python3 research/make/languages/export.py --folder FOLDER --out FOLDER [--texts 1000] [--pairs pairs.tsv]

--folder holds tokenizer.json, pieces.txt and rows.npz. --out gets languages.txt (a piece a line), languages.bin (for each row 384
numbers of 8 bits, then for each row its scale, a 32-bit float), and model.onnx, tokenizer.json and model.json with them in.
Needs the packages onnx, onnxruntime, numpy and tokenizers.
"""

import hashlib
import json
import random

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper

from pairs import options_of
from pieces import ROOT, is_english, lines, loaded

TABLE = "inner.embeddings.word_embeddings.weight"
MODEL = ROOT / "npm/model"
MOST_BYTES = 10_000_000
SEED = 1


def quantised(rows):
    """As the rows of the model are: 8 bits, and a scale for each row."""
    scales = (np.abs(rows).max(1, keepdims=True) / 127).astype(np.float32)
    return np.clip(np.round(rows / scales), -127, 127).astype(np.int8), scales


def with_rows(rows, scales):
    model = onnx.load(str(MODEL / "model.onnx"))
    added = {f"{TABLE}_q": rows, f"{TABLE}_scale": scales}
    for tensor in model.graph.initializer:
        if tensor.name in added:
            before = numpy_helper.to_array(tensor)
            more = added[tensor.name].reshape(-1, *before.shape[1:]).astype(before.dtype)
            tensor.CopyFrom(numpy_helper.from_array(np.concatenate([before, more]), tensor.name))
    # What the graph says of the table's shape on its way to the rows.
    for value in [value for value in model.graph.value_info if value.name.startswith(TABLE)]:
        model.graph.value_info.remove(value)
    return model.SerializeToString()


def vectors(model, tokenizer, texts):
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    names = [given.name for given in session.get_inputs()]
    for text in texts:
        encoding = tokenizer.encode(text)
        of = {"input_ids": encoding.ids, "attention_mask": encoding.attention_mask, "token_type_ids": encoding.type_ids}
        yield session.run(None, {name: np.array([of[name]], np.int64) for name in names})[0].tobytes()


def main():
    options = options_of(__doc__, "folder", "out", "pairs", texts=1000)
    options.out.mkdir(parents=True, exist_ok=True)
    rows, scales = quantised(np.load(options.folder / "rows.npz")["rows"])
    model, tokenizer = with_rows(rows, scales), (options.folder / "tokenizer.json").read_bytes()
    files = {
        "languages.txt": (options.folder / "pieces.txt").read_bytes(),
        "languages.bin": rows.tobytes() + scales.astype("<f4").tobytes(),
    }
    size = sum(map(len, files.values()))
    if size > MOST_BYTES:
        raise SystemExit(f"languages.txt and languages.bin have {size} bytes, and may have {MOST_BYTES}")
    manifest = json.loads((MODEL / "model.json").read_text("utf8"))
    for part, data in (("model", model), ("tokenizer", tokenizer)):
        manifest |= {f"{part}Bytes": len(data), f"{part}Sha256": hashlib.sha256(data).hexdigest()}
    files |= {"model.onnx": model, "tokenizer.json": tokenizer, "model.json": json.dumps(manifest, indent=2).encode() + b"\n"}
    for name, data in files.items():
        (options.out / name).write_bytes(data)
    english = [text for path in sorted((ROOT / "research/make/requests").glob("*.tsv")) for _, text in lines(path) if is_english(text)]
    english += list(dict.fromkeys(pair[2] for pair in lines(options.pairs)))
    chosen = random.Random(SEED).sample(english, options.texts)
    before = vectors((MODEL / "model.onnx").read_bytes(), loaded((MODEL / "tokenizer.json").read_text("utf8")), chosen)
    after = vectors(model, loaded(tokenizer.decode()), chosen)
    changed = [text for text, one, other in zip(chosen, before, after) if one != other]
    if changed:
        raise SystemExit(f"{len(changed)} of {len(chosen)} English texts have other vectors: {changed[:3]}")
    print(f"{len(rows)} rows, {size} bytes; {len(chosen)} English texts have the same vectors, bit for bit")


if __name__ == "__main__":
    main()
