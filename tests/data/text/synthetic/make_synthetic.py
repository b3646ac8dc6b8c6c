#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the made-up tokenizers of this folder, and in cases.jsonl what their references make of random texts.

pip install tokenizers==0.22.2 sentencepiece; python3 make_synthetic.py FOLDER
"""
import json
import os
import random
import sys
import tempfile

import sentencepiece
from tokenizers import AddedToken, Regex, Tokenizer, decoders as D, models, normalizers as N
from tokenizers import pre_tokenizers as P, processors, trainers

OUT = sys.argv[1]
RANDOM = random.Random(20261129)
WORDS = (
    "the quick brown fox jumps over lazy dog hello world don't we're I'LL can't naïve café Ünïcode İstanbul "
    "Straße ΑΣ ὈΔΥΣΣΕΎΣ привет мир 你好 世界 日本語 こんにちは 안녕하세요 مرحبا שלום ไทย हिन्दी 😀 👩‍👩‍👧 🇫🇷 ① ² ½ ４ ٣ 12345 "
    "3.14 x_y foo.bar() {a:[1,2]} <a> <ab> ﬁ ﬀ Ａｂｃ é e\u0301 a\u0308\u0323 \u1100\u1161\u11a8 각 — … “q” ‘x’ ! ?? ,, ; "
    "-- \u200b \ufeff \u00a0 \u3000 \u2028 \t \n \r\n \n\n ▁ ▁▁ Ġ <unk> <0x41> [MASK]").split(" ")
GAPS = ["", " ", " ", "  ", "   ", "\n", "\t", " \n ", "\u00a0"]


def some_text(words=None):
    return "".join(RANDOM.choice(WORDS) + RANDOM.choice(GAPS) for _ in range(words or RANDOM.randint(0, 9)))


CORPUS = [some_text(30) for _ in range(300)]
TEXTS = [some_text() for _ in range(24)] + ["", " ", "  a ", "▁", "\n", "12345678 1234"]
BYTES = [f"<0x{b:02X}>" for b in range(256)]
ALPHABET = P.ByteLevel.alphabet()
ADDED = [AddedToken("<a>", special=True), AddedToken("<ab>", special=False, rstrip=True),
         AddedToken("fox", normalized=True, single_word=True), AddedToken("CAFÉ", normalized=True),
         AddedToken("[MASK]", special=True, lstrip=True),
         AddedToken("world", normalized=False, lstrip=True, rstrip=True)]
LLAMA = N.Sequence([N.Prepend("▁"), N.Replace(" ", "▁")])
LLAMA_DECODER = D.Sequence([D.Replace("▁", " "), D.ByteFallback(), D.Fuse(), D.Strip(" ", 1, 0)])
O200K = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
         r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|"
         r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
KIMI_WORD = r"[\p{Han}]+|[\p{L}\p{M}&&[^\p{Han}]]+|\p{N}{1,3}|[^\p{L}\p{N}]"
rows = []


def bpe(size=420, **options):
    return trainers.BpeTrainer(vocab_size=size, show_progress=False, **options)


def make(name, model, trainer, norm=None, pre=None, dec=None, post=None, added=(), change=None):
    tokenizer = Tokenizer(model)
    if norm is not None:
        tokenizer.normalizer = norm
    if pre is not None:
        tokenizer.pre_tokenizer = pre
    if dec is not None:
        tokenizer.decoder = dec
    tokenizer.train_from_iterator(CORPUS, trainer)
    if post is not None:
        tokenizer.post_processor = post
    for token in added:
        (tokenizer.add_special_tokens if token.special else tokenizer.add_tokens)([token])
    if change is not None:
        text = json.loads(tokenizer.to_str())
        change(text)
        tokenizer = Tokenizer.from_str(json.dumps(text))
    tokenizer.save(os.path.join(OUT, name + ".json"), pretty=False)
    for text in TEXTS:
        add, parse, skip = (RANDOM.random() < 0.5 for _ in range(3))
        tokenizer.encode_special_tokens = not parse
        ids = tokenizer.encode(text, add_special_tokens=add).ids
        rows.append({"file": name + ".json", "text": text, "add_special": add, "parse_special": parse, "ids": ids,
                     "skip_special": skip, "decoded": tokenizer.decode(ids, skip_special_tokens=skip)})


def split(pattern, behavior="isolated", invert=False):
    return P.Split(Regex(pattern), behavior, invert)


def byte_level(*stages, added=ADDED, name="", **options):
    last = P.ByteLevel(add_prefix_space=False, use_regex=False)
    make(name, models.BPE(), bpe(initial_alphabet=ALPHABET), pre=P.Sequence([*stages, last]), dec=D.ByteLevel(),
         added=added, **options)


def byte_level_cases():
    make("prefix_space", models.BPE(), bpe(initial_alphabet=ALPHABET), pre=P.ByteLevel(add_prefix_space=True),
         dec=D.ByteLevel(), post=processors.ByteLevel(), added=ADDED)
    falcon = [P.Punctuation("contiguous"), P.ByteLevel(add_prefix_space=False), P.Digits(False),
              split("[0-9][0-9][0-9]")]
    make("stages_behind_byte_level", models.BPE(), bpe(initial_alphabet=ALPHABET), pre=P.Sequence(falcon),
         dec=D.ByteLevel(), added=ADDED)
    byte_level(split(O200K), name="cased_words")
    byte_level(split(KIMI_WORD), name="class_intersection")
    byte_level(split(r"\p{N}+"), split(r"(?=(\d{3})+(?!\d))"), name="empty_matches")
    byte_level(split(r"\w+|\W+"), name="word_classes")
    byte_level(P.Digits(True), name="nfkc_lower_case", norm=N.Sequence([N.NFKC(), N.Lowercase()]))

    def ignore_merges(text):
        text["model"]["ignore_merges"] = True
    byte_level(split(r"[a-z]+| ?\S|\s"), name="whole_pieces", change=ignore_merges)
    make("bytes_without_token", models.BPE(), bpe(limit_alphabet=60), pre=P.ByteLevel(add_prefix_space=False),
         dec=D.ByteLevel())
    make("unknown_bytes", models.BPE(unk_token="<unk>"), bpe(special_tokens=["<unk>"], limit_alphabet=60),
         pre=P.ByteLevel(add_prefix_space=False), dec=D.ByteLevel())
    make("end_of_word", models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"),
         bpe(special_tokens=["<unk>"], end_of_word_suffix="</w>", initial_alphabet=ALPHABET),
         norm=N.Sequence([N.NFC(), N.Replace(Regex(r"\s+"), " "), N.Lowercase()]),
         pre=P.Sequence([split(r"'s|'t|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+", "removed", True),
                         P.ByteLevel(add_prefix_space=False)]))
    make("byte_level_normalizer", models.BPE(), bpe(initial_alphabet=ALPHABET), norm=N.ByteLevel(), dec=D.ByteLevel())
    make("roberta", models.BPE(), bpe(initial_alphabet=ALPHABET, special_tokens=["<s>", "</s>"]),
         pre=P.ByteLevel(add_prefix_space=True), dec=D.ByteLevel(),
         post=processors.RobertaProcessing(("</s>", 1), ("<s>", 0)))


def character_cases():
    fallback = dict(unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    make("byte_fallback", models.BPE(**fallback), bpe(special_tokens=["<unk>", "<s>", "</s>"] + BYTES, limit_alphabet=70),
         norm=LLAMA, dec=LLAMA_DECODER, added=ADDED,
         post=processors.TemplateProcessing("<s> $A </s>", special_tokens=[("<s>", 1), ("</s>", 2)]))
    make("fused_unknown", models.BPE(unk_token="<unk>", fuse_unk=True), bpe(special_tokens=["<unk>"], limit_alphabet=50),
         norm=LLAMA, dec=LLAMA_DECODER)
    make("each_unknown", models.BPE(unk_token="<unk>"), bpe(special_tokens=["<unk>"], limit_alphabet=50), norm=LLAMA,
         dec=LLAMA_DECODER)
    make("no_unknown", models.BPE(), bpe(limit_alphabet=50), norm=LLAMA, dec=LLAMA_DECODER)
    make("merged_spaces", models.BPE(**fallback), bpe(special_tokens=["<unk>"] + BYTES, limit_alphabet=90),
         norm=N.Replace(" ", "▁"), pre=P.Split(" ", "merged_with_previous"),
         dec=D.Sequence([D.Replace("▁", " "), D.ByteFallback(), D.Fuse()]),
         added=[AddedToken("\n\n", normalized=False), AddedToken("▁▁", normalized=False),
                AddedToken("  ", normalized=True)])
    for scheme in ("always", "first", "never"):
        for cut in (True, False):
            make(f"metaspace_{scheme}_{cut}".lower(), models.BPE(unk_token="<unk>", byte_fallback=True),
                 bpe(special_tokens=["<unk>"] + BYTES, limit_alphabet=80), added=ADDED,
                 pre=P.Metaspace("▁", scheme, cut), dec=D.Metaspace("▁", scheme, cut))
    make("continuing_prefix", models.BPE(unk_token="[UNK]", continuing_subword_prefix="##"),
         bpe(700, special_tokens=["[UNK]"], continuing_subword_prefix="##"), pre=P.Whitespace(), dec=D.WordPiece())
    pieces = {f"split_{b}_{i}".lower(): split(r"[aeiou]|\d+|\s", b, i)
              for b in ("removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous")
              for i in (False, True)}
    pieces |= {"punctuation": P.Punctuation("merged_with_next"), "delimiter": P.CharDelimiterSplit("e"),
               "white_space": P.WhitespaceSplit(), "words_and_digits": P.Sequence([P.Whitespace(), P.Digits(True)])}
    for name, pre in pieces.items():
        make(name, models.BPE(unk_token="?"), bpe(300, special_tokens=["?"]), pre=pre)
    norms = {"nfc": N.NFC(), "nfd": N.NFD(), "nfkd": N.NFKD(), "strip": N.Strip(), "strip_left": N.Strip(True, False),
             "accents": N.Sequence([N.NFD(), N.StripAccents()]), "nmt": N.Nmt(),
             "replace": N.Replace(Regex(r"\s{2,}|l+"), " "), "bert": N.BertNormalizer(),
             "bert_cased": N.BertNormalizer(True, True, True, False)}
    for name, norm in norms.items():
        make("normalizer_" + name, models.BPE(unk_token="?"), bpe(300, special_tokens=["?"]), norm=norm,
             pre=P.WhitespaceSplit(), added=ADDED)


def other_models(charsmap):
    unigram = trainers.UnigramTrainer(vocab_size=700, show_progress=False, unk_token="<unk>",
                                      special_tokens=["<pad>", "<eos>", "<unk>"])
    end = processors.TemplateProcessing("$A <eos>", special_tokens=[("<eos>", 1)])
    make("unigram", models.Unigram(), unigram, norm=N.Sequence([N.Nmt(), N.NFKC(), N.Replace(Regex(" {2,}"), " ")]),
         pre=P.Metaspace(), dec=D.Metaspace(), post=end)
    make("precompiled", models.Unigram(), unigram, norm=N.Precompiled(charsmap), pre=P.Metaspace(), dec=D.Metaspace())

    def fall_back(text):
        vocab = text["model"]["vocab"]
        text["model"]["byte_fallback"] = True
        text["model"]["vocab"] = [v for v in vocab if v[0].isascii() or RANDOM.random() < 0.6] + [[b, 0.0] for b in BYTES]
        text["model"]["unk_id"] = 2
    make("unigram_bytes", models.Unigram(), unigram, pre=P.Metaspace("▁", "first", False), dec=LLAMA_DECODER,
         change=fall_back)
    make("word_piece", models.WordPiece(unk_token="[UNK]"),
         trainers.WordPieceTrainer(vocab_size=400, special_tokens=["[UNK]", "[CLS]", "[SEP]", "[MASK]"],
                                   show_progress=False, limit_alphabet=100),
         norm=N.BertNormalizer(), pre=P.BertPreTokenizer(), dec=D.WordPiece(),
         post=processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1)),
         added=[AddedToken("[MASK]", special=True, lstrip=True)])
    make("word_level", models.WordLevel(unk_token="[UNK]"),
         trainers.WordLevelTrainer(vocab_size=200, special_tokens=["[UNK]"], show_progress=False),
         pre=P.WhitespaceSplit())


def fields(data):
    """The fields of a protocol buffer message."""
    at = 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(data):
        tag = number()
        size = {0: None, 1: 8, 2: None, 5: 4}[tag & 7]
        if tag & 7 == 0:
            yield tag >> 3, number()
            continue
        size = number() if size is None else size
        yield tag >> 3, data[at:at + size]
        at += size


def sentencepiece_cases():
    options = {
        "sp_unigram": dict(model_type="unigram"),
        "sp_unigram_bytes": dict(model_type="unigram", byte_fallback=True, normalization_rule_name="identity",
                                 user_defined_symbols=["foo", "<ab>", "日本"], remove_extra_whitespaces=False),
        "sp_bpe": dict(model_type="bpe", normalization_rule_name="identity"),
        "sp_bpe_bytes": dict(model_type="bpe", byte_fallback=True, normalization_rule_name="identity",
                             user_defined_symbols=["fox", "jum", "\n", "  ", "ö"], remove_extra_whitespaces=False),
        "sp_bpe_suffix": dict(model_type="bpe", normalization_rule_name="identity", treat_whitespace_as_suffix=True),
        "sp_bpe_sentences": dict(model_type="bpe", normalization_rule_name="identity", split_by_whitespace=False,
                                 add_dummy_prefix=False),
    }
    with tempfile.TemporaryDirectory() as folder:
        corpus = os.path.join(folder, "corpus.txt")
        with open(corpus, "w", encoding="utf-8") as file:
            file.write("\n".join(t.replace("\n", " ") for t in CORPUS))
        for name, extra in options.items():
            sentencepiece.SentencePieceTrainer.train(
                input=corpus, model_prefix=os.path.join(OUT, name), vocab_size=700, character_coverage=0.985,
                hard_vocab_limit=False, minloglevel=2, **extra)
            os.remove(os.path.join(OUT, name + ".vocab"))
            processor = sentencepiece.SentencePieceProcessor(model_file=os.path.join(OUT, name + ".model"))
            for text in TEXTS:
                rows.append({"file": name + ".model", "text": text, "add_special": False, "parse_special": False,
                             "ids": processor.encode(text)})
    with open(os.path.join(OUT, "sp_unigram.model"), "rb") as file:
        normalizer = dict(fields(dict(fields(file.read()))[3]))
    return normalizer[2]


charsmap = sentencepiece_cases()
byte_level_cases()
character_cases()
other_models(charsmap)
with open(os.path.join(OUT, "cases.jsonl"), "w", encoding="utf-8") as file:
    for row in rows:
        file.write(json.dumps(row, ensure_ascii=False) + "\n")
