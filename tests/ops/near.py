# SPDX-License-Identifier: Apache-2.0
"""Near duplicates in plain Python: shingles, MinHash, SimHash, groups."""
import hashlib
import random
import re
import struct
import unicodedata

import texts

PRIME, LOW = (1 << 61) - 1, (1 << 32) - 1
MASK = (1 << 64) - 1
PUNCTUATION = "[%s]" % "".join(re.escape(chr(c)) for c in range(0x20000)
                               if unicodedata.category(chr(c))[0] == "P")
WORDS = ["the", "The", "lo", "ke", "re-do", "Pel,", "42", "\u4e2d\u6587", "\u00c9t\u00e9", "a", "...",
         "(x)", "", "ston\nra", "\u0130", "vo"]


def shingles(text, params, window, ordered=False):
    if params.get("lowercase", True):
        text = text.lower()
    if params.get("ignore_pattern"):
        text = re.sub(params["ignore_pattern"].replace(r"\p{P}", PUNCTUATION), "", text)
    kind = params.get("tokenization", "space")
    if kind == "character":
        tokens, glue = list(text), ""
    elif kind == "space":
        tokens, glue = [t for t in text.split(" ") if t], " "
    else:
        tokens, glue = [""], " "
        for letter in text:
            if unicodedata.category(letter)[0] == "P":
                tokens.append("")
            else:
                tokens[-1] += letter
    width = params.get("window_size", window)
    found = [glue.join(tokens[i:i + width]).encode() for i in range(len(tokens) - width + 1)]
    return found if ordered else set(found)


class Twister:
    """NumPy's RandomState(42).randint(low, 2 ** 61 - 1, dtype=uint64)."""

    def __init__(self):
        source = random.Random()
        state = [42]
        for i in range(1, 624):
            state.append((1812433253 * (state[-1] ^ state[-1] >> 30) + i) & LOW)
        source.setstate((3, tuple(state) + (624,), None))
        self.source = source

    def draw(self, low):
        while True:
            value = self.source.getrandbits(32) << 32
            value = (value | self.source.getrandbits(32)) & PRIME
            if value <= PRIME - 1 - low:
                return value + low


def permutations(count, made=[]):
    if not made:
        twister = Twister()
        made.extend((twister.draw(1), twister.draw(0)) for _ in range(512))
    return made[:count]


def signature(text, params):
    hashes = [struct.unpack("<I", hashlib.sha1(s).digest()[:4])[0]
              for s in shingles(text, params, 5)]
    return [min([((h * a + b) & MASK) % PRIME & LOW for h in hashes] + [LOW])
            for a, b in permutations(params.get("num_permutations", 256))]


def band_hash(values):
    """How the operator tells bands apart; any good hash would do."""
    value = len(values)
    for v in values:
        value = ((value ^ v) * 0x9E3779B97F4A7C15) & MASK
        value ^= value >> 32
    return value


def bands(values, count, rows):
    return [tuple(values[i * rows:(i + 1) * rows]) for i in range(count)]


def band_keys(values, count, rows):
    """The keys that are emitted: eight hashes of bands in each."""
    hashes = [struct.pack("<Q", band_hash(band)) for band in bands(values, count, rows)]
    return [b"".join(hashes[i:i + 8]).hex() for i in range(0, count, 8)]


def simhash(text, params):
    counts, found = [0] * 64, shingles(text, params, 6, ordered=True)
    for shingle in found:
        value = struct.unpack(">Q", hashlib.md5(shingle).digest()[:8])[0]
        for i in range(64):
            counts[i] += 1 if value >> i & 1 else -1
    return sum(1 << i for i in range(64) if counts[i] > 0)


def groups(count, alike):
    """The first row of each row's group; alike: pairs."""
    first = list(range(count))
    for a, b in alike:
        low, high = sorted((first[a], first[b]))
        first = [low if f == high else f for f in first]
    return first


def minhash_groups(rows, params, count, per_band):
    seen, alike = {}, []
    for i, text in enumerate(rows):
        for band in enumerate(bands(signature(text, params), count, per_band)):
            alike.append((seen.setdefault(band, i), i))
    return groups(len(rows), alike)


def similar_texts(rng, count):
    """Texts of which some differ in a word."""
    made = []
    while len(made) < count:
        words = [rng.choice(WORDS) for _ in range(rng.choice([0, 1, 3, 8, 30]))]
        for _ in range(rng.randrange(1, 4)):
            if words and rng.random() < 0.7:
                words[rng.randrange(len(words))] = rng.choice(WORDS)
            made.append(" ".join(words))
    return made[:count]


def kept_of(host, operator, params, rows):
    answer = host.run(operator, params, rows)
    return [i for i, _ in answer["rows"]] if "rows" in answer else answer
