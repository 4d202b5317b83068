# SPDX-License-Identifier: Apache-2.0
from facts import failure, mapped
from models.chinese_convert_mapper import is_missing


def test_a_config_in_the_current_directory_is_not_taken(host, tap):
    """The folder of the dictionaries is named; what a job does never depends on where it starts."""
    message = failure(host, "chinese_convert_mapper", {"mode": "../s2t"}, {"text": "a"})
    tap.check("mode" in message or is_missing(host), "a mode that is a path is refused", message)


def test_texts_in_other_scripts_stay(host, tap):
    if is_missing(host):
        tap.skip("chinese_convert_mapper", "this build has no OpenCC")
        return
    for text in ("", "plain", "\u00e9t\u00e9 \u043f\u0440\u0438\u0432\u0435\u0442", "\0", "a\0b",
                 "\u20ac \u2019", "\u4e2d\0\u56fd", "\0\u56fd\0\0"):
        want = text.replace("\u56fd", "\u570b")
        got = mapped(host, "chinese_convert_mapper", {}, text)
        tap.check(got == want, ascii(text), ascii(got))


def test_long_texts_take_linear_time(host, tap):
    if is_missing(host):
        tap.skip("chinese_convert_mapper", "this build has no OpenCC")
        return
    for piece in ("\u56fd", "\u53f0\u6e7e", "a\u56fd", "\0\u56fd", "\u4e00", "\u4e00\u53ea"):
        text = piece * (300000 // len(piece))
        got = mapped(host, "chinese_convert_mapper", {}, text)
        tap.check(isinstance(got, str), f"{len(text)} characters of {ascii(piece)}")
