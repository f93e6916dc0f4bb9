"""all-MiniLM-L6-v2 out of its ONNX file, its layers with low-rank changes that are trained.

BERT: J. Devlin et al., 2019. Low-rank changes (LoRA): E. Hu et al., 2021.
"""

import math

import numpy as np
import onnx
import torch
import torch.nn as nn
import torch.nn.functional as F
from onnx import numpy_helper

HEADS = 12
LAYERS = 6
EPSILON = 1e-12
# Texts that run together.
CHUNK = 24
# Names of the matrices of a layer in the ONNX file's biases, and here.
MATRICES = {
    "attention.self.query": "query",
    "attention.self.key": "key",
    "attention.self.value": "value",
    "attention.output.dense": "attended",
    "intermediate.dense": "inner",
    "output.dense": "outer",
}


def read_weights(path):
    """Weights by name, int8 ones times their scales; and the ONNX name of each matrix."""
    graph = onnx.load(path).graph
    tensors = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    consumer = {name: node for node in graph.node for name in node.input}
    scaled = lambda name: tensors[f"{name}_q"].astype(np.float32) * tensors[f"{name}_scale"]
    prefix = "inner.embeddings."
    weights = {
        "words": scaled(prefix + "word_embeddings.weight"),
        "positions": scaled(prefix + "position_embeddings.weight"),
        "types": tensors[prefix + "token_type_embeddings.weight"],
        "norm": (tensors[prefix + "LayerNorm.weight"], tensors[prefix + "LayerNorm.bias"]),
        "layers": [{} for _ in range(LAYERS)],
    }
    onnx_names = {}
    for name in tensors:
        if not (name.startswith("val_") and name.endswith("_q")):
            continue
        # weight -> Cast -> Mul by scale -> MatMul -> Add of the bias, whose name says what it is.
        node = consumer[name]
        for _ in range(3):
            node = consumer[node.output[0]]
        bias = next(x for x in node.input if x in tensors)
        layer, matrix = bias.split("encoder.layer.")[1].split(".", 1)
        key = MATRICES[matrix[: -len(".bias")]]
        weights["layers"][int(layer)][key] = (scaled(name[:-2]), tensors[bias])
        onnx_names[int(layer), key] = name[:-2]
    for at, layer in enumerate(weights["layers"]):
        for key, part in (("norm1", "attention.output"), ("norm2", "output")):
            norm = f"inner.encoder.layer.{at}.{part}.LayerNorm"
            layer[key] = (tensors[norm + ".weight"], tensors[norm + ".bias"])
    return weights, onnx_names


class Matrix(nn.Module):
    """A frozen matrix and bias, plus A x B."""

    def __init__(self, weight, bias, rank):
        super().__init__()
        self.register_buffer("weight", torch.from_numpy(weight.T.copy()))
        self.register_buffer("bias", torch.from_numpy(bias.copy()))
        rows, columns = weight.shape
        self.a = nn.Parameter(torch.randn(rows, rank) / math.sqrt(rows) * 0.5)
        self.b = nn.Parameter(torch.zeros(rank, columns))

    def forward(self, x):
        return F.linear(x, self.weight, self.bias) + (x @ self.a) @ self.b


class Layer(nn.Module):
    def __init__(self, weights, rank):
        super().__init__()
        for key in MATRICES.values():
            setattr(self, key, Matrix(*weights[key], rank))
        for key in ("norm1", "norm2"):
            for name, value in zip((key + "_weight", key + "_bias"), weights[key]):
                self.register_buffer(name, torch.from_numpy(value.copy()))

    def forward(self, x, mask):
        batch, length, width = x.shape
        heads = lambda m: m(x).view(batch, length, HEADS, width // HEADS).transpose(1, 2)
        scores = heads(self.query) @ heads(self.key).transpose(-1, -2) / math.sqrt(width // HEADS) + mask
        attended = (scores.softmax(-1) @ heads(self.value)).transpose(1, 2).reshape(batch, length, width)
        x = F.layer_norm(x + self.attended(attended), (width,), self.norm1_weight, self.norm1_bias, EPSILON)
        inner = self.outer(F.gelu(self.inner(x)))
        return F.layer_norm(x + inner, (width,), self.norm2_weight, self.norm2_bias, EPSILON)


class Encoder:
    """The first layers give states that are worked out once; the last ones are trained."""

    def __init__(self, weights, trained, rank):
        tensor = torch.from_numpy
        self.words, self.positions, self.types = (tensor(weights[k].copy()) for k in ("words", "positions", "types"))
        self.norm = [tensor(part.copy()) for part in weights["norm"]]
        layers = [Layer(layer, rank) for layer in weights["layers"]]
        self.frozen, self.trained = layers[: LAYERS - trained], layers[LAYERS - trained :]
        for parameter in (p for layer in self.frozen for p in layer.parameters()):
            parameter.requires_grad_(False)

    def parameters(self):
        return [p for layer in self.trained for p in layer.parameters()]

    @torch.no_grad()
    def states(self, ids):
        """States before the trained layers, of one text."""
        ids = torch.tensor([ids])
        x = self.words[ids] + self.positions[: ids.shape[1]] + self.types[0]
        x = F.layer_norm(x, (x.shape[-1],), *self.norm, EPSILON)
        for layer in self.frozen:
            x = layer(x, 0.0)
        return x[0].half().numpy()

    def embed(self, states):
        """Unit vectors of texts from their states: the mean of their tokens."""
        # Texts of like length run together, so that little is filled up.
        order = sorted(range(len(states)), key=lambda at: len(states[at]))
        parts = [self._embed([states[at] for at in order[start : start + CHUNK]]) for start in range(0, len(order), CHUNK)]
        return torch.cat(parts)[torch.tensor(np.argsort(order))]

    def _embed(self, states):
        longest = max(len(s) for s in states)
        x = np.zeros((len(states), longest, states[0].shape[1]), np.float32)
        mask = np.zeros((len(states), longest), np.float32)
        for row, state in enumerate(states):
            x[row, : len(state)], mask[row, : len(state)] = state, 1
        x, mask = torch.from_numpy(x), torch.from_numpy(mask)
        for layer in self.trained:
            x = layer(x, (1 - mask)[:, None, None, :] * -1e9)
        return F.normalize((x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True), dim=-1)
