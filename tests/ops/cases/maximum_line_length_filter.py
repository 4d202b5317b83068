# SPDX-License-Identifier: Apache-2.0
def lines_of(host, text):
    row = {"text": text}
    longest = host.run("maximum_line_length_filter", {"min_len": 0}, [row])["rows"][0][1]
    average = host.run("average_line_length_filter", {"min_len": 0}, [row])["rows"][0][1]
    return (longest["__dj__stats__"]["max_line_length"],
            average["__dj__stats__"]["avg_line_length"])


def test_line_ends(host, tap):
    for text, want in (("", (0, 0)), ("abc", (3, 3)), ("abc\n", (3, 4)), ("\n", (0, 1)),
                       ("a\r\nb", (1, 2)), ("a\r\rb", (1, 4 / 3)), ("a\n\rb", (1, 4 / 3)),
                       ("a\u0085bb\u2028c\u2029", (2, 7 / 3)), ("a\u2027b", (3, 3)),
                       ("x" * 63 + "\r\n" + "y", (63, 33)), ("x" * 64 + "\r\n", (64, 66)),
                       ("x" * 63 + "\u2028", (63, 64)), ("\u4e2d" * 50, (50, 50))):
        got = lines_of(host, text)
        tap.check(got == want, f"lines of {ascii(text[:20])}", got)
