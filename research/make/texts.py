"""The texts of a tool that the encoder learned from. src/document/tool.rs makes one text of them."""

import re
import unicodedata

FIRST_SENTENCE_CHARS = (20, 200)
PARAMETERS = 12
MAX_DEPTH = 12


def split_name(name):
    """snake_case, kebab-case, camelCase and digits as plain words in lower case."""
    name = unicodedata.normalize("NFKC", name)
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", name)
    name = re.sub(r"([a-z])([A-Z])", r"\1 \2", name)
    name = re.sub(r"([A-Za-z])([0-9])|([0-9])([A-Za-z])", lambda m: " ".join(g for g in m.groups() if g), name)
    return " ".join(re.findall(r"[^\W_]+", name)).lower()


def parameter_names(schema, depth=0):
    """Names of all parameters, outer ones first."""
    if isinstance(schema, list):
        return [name for part in schema for name in parameter_names(part, depth + 1)]
    if not isinstance(schema, dict) or depth > MAX_DEPTH:
        return []
    names = []
    for name, part in (schema.get("properties") or {}).items():
        names.append(name)
        names += parameter_names(part, depth + 1)
    for key in ("items", "anyOf", "oneOf", "allOf", "additionalProperties"):
        names += parameter_names(schema.get(key), depth + 1)
    return names


def first_sentence(text):
    least, most = FIRST_SENTENCE_CHARS
    for end in re.finditer(r"(?<=[a-z0-9)\"'`])[.!?](?=\s|$)|[。！？]", text):
        if end.end() >= least:
            return text[: min(end.end(), most)]
    return text[:most]


def tool_texts(tool):
    """(name with first sentence and parameters, description, name)."""
    name = " ".join(part for part in (split_name(tool.get("server") or ""), split_name(tool["name"])) if part)
    description = re.sub(r"\s+", " ", tool.get("description") or "").strip()
    listed = [word for word in dict.fromkeys(split_name(p) for p in parameter_names(tool.get("inputSchema"))) if word]
    parameters = f" ({', '.join(listed[:PARAMETERS])})" if listed else ""
    return f"{name}: {first_sentence(description)}{parameters}".strip(), description or name, name
