# SPDX-License-Identifier: Apache-2.0
import texts

MAP = {
    "\u00ab": "\"", "\u00b4": "'", "\u00bb": "\"", "\u2013": "-", "\u2014": " - ", "\u2019": "'",
    "\u201c": "\"", "\u201d": "\"", "\u201e": "\"", "\u2026": "...", "\u2236": ":", "\u2501": "-",
    "\u25ba": "-", "\u3001": ",", "\u3002": ".", "\u3008": "<", "\u3009": ">", "\u300a": "\"",
    "\u300b": "\"", "\u300c": "\"", "\u300d": "\"", "\u3010": "[", "\u3011": "]", "\uff01": "!",
    "\uff05": "%", "\uff08": "(", "\uff09": ")", "\uff0c": ",", "\uff0e": ". ", "\uff11": "\"",
    "\uff1a": ":", "\uff1b": ";", "\uff1f": "?", "\uff5e": "~",
}


def normalize(text):
    return "".join(MAP.get(c, c) for c in text)


def differs(host, rng):
    near = [chr(ord(c) + d) for c in MAP for d in (-1, 1)]
    rows = [texts.text_of(rng, list(MAP) + near + texts.LETTERS) for _ in range(texts.ROWS)]
    expected = [{"text": normalize(t)} for t in rows]
    return texts.compare(host, "punctuation_normalization_mapper", {}, rows, expected, batch=100)
