"""Text to word pieces. The rules below are the reference; `tokenizer_files` says the same to transformers.js."""

import json
import re
import unicodedata
from pathlib import Path

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
MAX_WORD = 40
# A boundary inside fooBar and HTTPServer. Zero width, so that isAWord becomes three words.
CAMEL = r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"

_accent = re.compile("[\u0300-\u036f]")
_camel = re.compile(CAMEL)
_word = re.compile(r"[a-z0-9]+")


def words(text: str) -> list[str]:
    """Accents off, camelCase apart, lower case; everything but a-z and 0-9 separates words."""
    if not text.isascii():
        text = _accent.sub("", unicodedata.normalize("NFD", text))
    return _word.findall(_camel.sub(" ", text).lower())


def pieces(word: str, vocabulary: dict[str, int]) -> list[int]:
    """Longest piece first; an empty list for a word that cannot be spelt."""
    if len(word) > MAX_WORD:
        return []
    ids: list[int] = []
    start = 0
    while start < len(word):
        for end in range(len(word), start, -1):
            piece = vocabulary.get(("##" if start else "") + word[start:end])
            if piece is not None:
                ids.append(piece)
                start = end
                break
        else:
            return []
    return ids


def encode(text: str, vocabulary: dict[str, int]) -> list[int]:
    return [piece for word in words(text) for piece in pieces(word, vocabulary)]


def read_vocabulary(path: Path) -> dict[str, int]:
    return {piece: index for index, piece in enumerate(path.read_text(encoding="utf8").split())}


def tokenizer_files(vocabulary: dict[str, int], max_tokens: int) -> dict[str, dict]:
    """tokenizer.json and tokenizer_config.json.

    No added tokens: `[CLS]` in somebody's text is then a word like any other. No post-processor: the static graph
    wants no [CLS] and no [SEP].
    """
    tokenizer = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                # Only for its accents: transformers.js has no NFD of its own, and its StripAccents does not decompose.
                {"type": "BertNormalizer", "clean_text": False, "handle_chinese_chars": False, "strip_accents": True, "lowercase": False},
                {"type": "Replace", "pattern": {"Regex": CAMEL}, "content": " "},
                {"type": "Lowercase"},
                {"type": "Replace", "pattern": {"Regex": "[^a-z0-9]+"}, "content": " "},
            ],
        },
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "post_processor": None,
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": False},
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": MAX_WORD,
            "vocab": vocabulary,
        },
    }
    config = {
        "tokenizer_class": "BertTokenizer",
        "model_max_length": max_tokens,
        "pad_token": "[PAD]",
        "unk_token": "[UNK]",
        "cls_token": "[CLS]",
        "sep_token": "[SEP]",
        "clean_up_tokenization_spaces": False,
    }
    return {"tokenizer.json": tokenizer, "tokenizer_config.json": config}


def write_tokenizer(vocabulary: dict[str, int], max_tokens: int, folder: Path) -> None:
    for name, content in tokenizer_files(vocabulary, max_tokens).items():
        (folder / name).write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf8")
