"""New pieces for the encoder's table of words: writes npm/model/languages.txt, one on a line, in the order of their rows.

    python3 research/make/languages/pieces.py --pairs pairs.tsv --data FOLDER

--data holds sets with tools.jsonl, whose English texts must be split as before.
"""

import collections
import json
import pathlib
import re

from tokenizers import Regex, Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer, Sequence, Split
from tokenizers.trainers import WordPieceTrainer

from pairs import flat, options_of

ROOT = pathlib.Path(__file__).parents[3]
MODEL = ROOT / "npm/model"
REQUESTS = pathlib.Path(__file__).parent / "requests.tsv"
# Pieces that the model came with.
KNOWN = 30_522
ASKED, LEAST_OFTEN, KEPT = 48_000, 6, 20_000
# Requests are few, and nearest to what users type.
REQUEST_WEIGHT = 4
# Characters of scripts without spaces, which stand in runs. A run is short enough for WordPiece, which gives up on long words.
UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}ー々"
MOST_RUN = 32
# A letter that stands so often in the texts is a piece by itself, at the start of a word and inside: without it WordPiece
# gives up on the whole word.
LEAST_LETTERS = 16
ENGLISH = re.compile(r"\b(the|of|and|to|for|with|from|by)\b", re.I)
NOT_ENGLISH = re.compile(
    r"\b(der|das|und|ist|mir|ich|ein|eine|auf|mit|von|zu|que|del|le|les|des|une|pour|el|los|las|una|para|por|con|mi|uma|um|il|di|gli|che|het|een"
    r"|voor|de|en|est|na|nie|bir|ve|bu|w|z)\b",
    re.I,
)


def lines_of(path):
    return path.read_text("utf8").splitlines()


def lines(path):
    return [line.split("\t") for line in lines_of(path) if line]


def runs(characters):
    """What makes words of its own beside other scripts. A character that is not a piece stands alone, so that its neighbours are not lost with it."""
    return rf"[{characters}]{{1,{MOST_RUN}}}|[{UNSPACED}]|\p{{Thai}}{{1,{2 * MOST_RUN}}}"


def with_pieces(pieces):
    """npm/model/tokenizer.json as scripts/languages.mjs makes it of these pieces, and as it was with none."""
    tokenizer = json.loads((MODEL / "tokenizer.json").read_text("utf8"))
    vocabulary = {piece: at for piece, at in tokenizer["model"]["vocab"].items() if at < KNOWN}
    tokenizer["model"]["vocab"], split = vocabulary, tokenizer["pre_tokenizer"]["pretokenizers"]
    if not pieces:
        tokenizer["normalizer"]["handle_chinese_chars"] = True
        tokenizer["pre_tokenizer"] = split[0]
        return json.dumps(tokenizer)
    for piece in pieces:
        vocabulary[piece] = len(vocabulary)
    inside = [piece[2:] for piece in vocabulary if re.fullmatch("##[\u3005-\u9fff]", piece) and piece[2:] in vocabulary]
    split[1]["pattern"] = {"Regex": runs("".join(sorted(inside)) or UNSPACED)}
    return json.dumps(tokenizer)


def loaded(text):
    tokenizer = Tokenizer.from_str(text)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def ids_of(tokenizer, words):
    return [encoding.ids for encoding in tokenizer.encode_batch_fast(words, add_special_tokens=False)]


def is_english(text):
    return text.isascii() and not NOT_ENGLISH.search(text)


def english_texts(pairs, data):
    """English sides of pairs, our requests, and what tools say in English."""
    texts = dict.fromkeys(english for _, _, english, _ in pairs)
    for path in sorted((ROOT / "research/make/requests").glob("*.tsv")):
        texts.update(dict.fromkeys(text for _, text in lines(path) if is_english(text)))
    for path in sorted(data.glob("*/tools.jsonl")):
        for line in path.read_text("utf8").splitlines():
            tool = json.loads(line)
            said = [tool["name"], *(text for _, text in flat([tool.get(key) for key in ("title", "description", "inputSchema")]))]
            texts.update(dict.fromkeys(t for t in said if is_english(t) and (t == tool["name"] or ENGLISH.search(t))))
    return list(texts)


def trained(words):
    """Pieces that WordPiece finds, and letters."""
    tokenizer = Tokenizer(WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = BertNormalizer(handle_chinese_chars=False)
    tokenizer.pre_tokenizer = Sequence([BertPreTokenizer(), Split(Regex(runs(UNSPACED)), "isolated")])
    trainer = WordPieceTrainer(vocab_size=ASKED, min_frequency=LEAST_OFTEN, special_tokens=["[UNK]"], show_progress=False)
    tokenizer.train_from_iterator((word for word, count in words.items() for _ in range(count)), trainer)
    letters = collections.Counter()
    for word, count in words.items():
        for letter in tokenizer.normalizer.normalize_str(word):
            letters[letter] += count
    often = [letter for letter, count in letters.items() if count >= LEAST_LETTERS and letter.isalpha() and not letter.isascii()]
    return tokenizer.get_vocab(), {form for letter in often for form in (letter, f"##{letter}")}


def main():
    options = options_of(__doc__, "pairs", "data")
    pairs = lines(options.pairs)
    # White space parts words in any text, so words stand for texts from here on.
    others = collections.defaultdict(collections.Counter)
    for _, language, _, other in pairs:
        others[language].update(other.split())
    for _, language, text in lines(REQUESTS) * REQUEST_WEIGHT:
        others[language].update(text.split())
    original = loaded(with_pieces([]))
    known = original.get_vocab()
    first = len(known)
    found, letters = trained(sum(others.values(), collections.Counter()))
    pieces = sorted((found.keys() | letters) - known.keys())
    english = english_texts(pairs, options.data)
    print(f"{len(pieces)} pieces, {len(english)} English texts", flush=True)
    english_words = list(dict.fromkeys(word for text in english for word in text.split()))
    words = english_words
    while words:
        used = {}
        for word, ids in zip(words, ids_of(loaded(with_pieces(pieces)), words)):
            if new := {at for at in ids if at >= first}:
                used[word] = new
        # Words that no new piece takes part in stay so when some are taken away.
        words, gone = list(used), set().union(*used.values())
        pieces = [piece for at, piece in enumerate(pieces, first) if at not in gone]
        print(f"{len(gone)} pieces are used by English texts", flush=True)

    def often(pieces):
        """How often each is used; every language weighs as the square root of what there is of it."""
        tokenizer, total = loaded(with_pieces(pieces)), collections.Counter()
        for counted in others.values():
            weight = counted.total() ** -0.5
            for count, ids in zip(counted.values(), ids_of(tokenizer, list(counted))):
                for at in ids:
                    if at >= first:
                        total[pieces[at - first]] += count * weight
        return total

    letters &= set(pieces)
    ranked = [piece for piece, _ in often(pieces).most_common() if piece not in letters]
    pieces = sorted(letters) + ranked[: KEPT - len(letters)]
    pieces = sorted(often(pieces).keys() | letters)
    changed = sum(one != other for one, other in zip(ids_of(original, english_words), ids_of(loaded(with_pieces(pieces)), english_words)))
    if changed:
        raise SystemExit(f"{changed} words of English texts are taken apart otherwise")
    (MODEL / "languages.txt").write_text("".join(f"{piece}\n" for piece in pieces), "utf8")
    print(f"{len(pieces)} pieces, {len(letters)} of them letters; {len(english)} English texts stay as they are")


if __name__ == "__main__":
    main()
