# SPDX-License-Identifier: Apache-2.0
def ratio(host, text, **params):
    answer = host.run("character_repetition_filter", {"max_ratio": 2, **params}, [{"text": text}])
    return answer["rows"][0][1]["__dj__stats__"]["char_rep_ratio"] if answer.get("rows") else answer


def test_repetition(host, tap):
    for text, length, want in (("", 1, 0.0), ("abc", 4, 0.0), ("abc", 3, 0.0), ("aaaa", 1, 1.0),
                               ("aaaa", 2, 1.0), ("aab", 1, 2 / 3), ("\u4e2d\u4e2da", 1, 2 / 3)):
        got = ratio(host, text, rep_len=length)
        tap.check(got == want, f"{ascii(text)} by {length}", got)
    for length in (0, -1):
        answer = host.run("character_repetition_filter", {"rep_len": length}, [{"text": "a"}])
        tap.check("rep_len" in answer.get("error", {}).get("message", ""),
                  f"rep_len {length} is refused", answer)


def test_repetition_takes_linear_time(host, tap):
    """A table that does not grow, or that is sorted whole, does not come back in time."""
    for piece, want in (("a", 1), ("ab", 0.5), ("\u4e2d", 1), ("abcdefghij", 0.3)):
        got = ratio(host, piece * (1000000 // len(piece)))
        tap.check(abs(got - want) < 0.001, f"a million of {ascii(piece)}", got)
    text = "".join(chr(0x4E00 + (i * i + i // 7) % 20000) for i in range(300000))
    tap.check(ratio(host, text) < 0.1, "many different ones")
