# SPDX-License-Identifier: Apache-2.0
"""The library itself, called from Python a character of zero apart. Its dictionaries change from
version to version, so no plain rules stand beside it; KNOWN are the cases whose answer is that of
other dictionaries."""
import ctypes
import ctypes.util

import texts

MODES = ("s2t t2s s2tw tw2s s2hk hk2s s2twp tw2sp t2tw tw2t hk2t t2hk t2jp jp2t").split()
KNOWN = {("jp2t", "\u6253\u5370\u673a\u7684\u5185\u5b58")}
LETTERS = [chr(c) for c in (
    0x53F0, 0x6E7E, 0x9762, 0x91CC, 0x5E72, 0x53D1, 0x5934, 0x53D1, 0x540E, 0x7687, 0x8F6F, 0x4EF6,
    0x5185, 0x5B58, 0x9F20, 0x6807, 0x6253, 0x5370, 0x673A, 0x4E00, 0x5E79, 0x767C, 0x88CF, 0x81FA,
    0x6EAB, 0x5668, 0x56FD, 0x570B, 0x6A2A, 0x20AC, 0xFF0C, 0x3042, 0x1F600, 0x20000, 0xE9)]


def library():
    lib = ctypes.CDLL(ctypes.util.find_library("opencc"))
    lib.opencc_open.restype = ctypes.c_void_p
    lib.opencc_convert_utf8.restype = ctypes.c_void_p
    lib.opencc_convert_utf8.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
    lib.opencc_convert_utf8_free.argtypes = [ctypes.c_void_p]
    lib.opencc_close.argtypes = [ctypes.c_void_p]
    return lib


def converted(lib, converter, piece):
    made = lib.opencc_convert_utf8(converter, piece, len(piece))
    copy = ctypes.string_at(made)
    lib.opencc_convert_utf8_free(made)
    return copy


def convert(lib, converter, text):
    pieces = text.encode("utf-8", "surrogatepass").split(b"\0")
    whole = b"\0".join(converted(lib, converter, piece) for piece in pieces)
    return whole.decode("utf-8", "surrogatepass")


def is_missing(host):
    """A build without the library refuses the operator."""
    return "no OpenCC" in host.run("chinese_convert_mapper", {}, []).get("error", {}).get(
        "message", "")


def differs(host, rng):
    if is_missing(host):
        print("# chinese_convert_mapper: this build has no OpenCC")
        return []
    lib, wrong = library(), []
    letters = LETTERS + ["\0", "a", " ", "\n", "\u4e2d", "\u6587"] + texts.SURROGATES
    for mode in MODES:
        converter = lib.opencc_open((mode + ".json").encode())
        rows = [texts.text_of(rng, letters) for _ in range(texts.ROWS // len(MODES) + 1)]
        expected = [{"text": convert(lib, converter, t)} for t in rows]
        wrong += texts.compare(host, "chinese_convert_mapper", {"mode": mode}, rows, expected)
        lib.opencc_close(converter)
    return wrong


def agrees(host, case):
    """A case known to be another dictionary's is one only as long as it differs."""
    if is_missing(host):
        return True, {}
    params, row = case["params"], case.get("row", {})
    if (params.get("mode", "s2t"), row.get(params.get("text_key", "text"))) not in KNOWN:
        return None
    answer = host.run("chinese_convert_mapper", params, [row])
    return answer["rows"] != [[0, case["expect"]["row"]]], answer
