# SPDX-License-Identifier: Apache-2.0
from facts import failure, mapped


def test_macros_in_great_number_take_linear_time(host, tap):
    """A search of the whole text per macro does not come back in time."""
    text = "".join(f"\\def\\m{i}{{v{i}}}\n\\m{i} " for i in range(40000))
    got = mapped(host, "expand_macro_mapper", {}, text)
    tap.check(got.endswith("\\defv39999{v39999}\nv39999 ") and len(got) < len(text),
              "40,000 macros", got[-60:])
    chain = "".join(f"\\def\\c{i}{{\\c{i + 1} }}\n" for i in range(1000))
    got = mapped(host, "expand_macro_mapper", {}, chain + "\\c0 .")
    tap.check(got.rstrip().endswith("."), "a chain of 1,000", got[-40:])


def test_a_text_that_doubles_itself_fails(host, tap):
    text = "".join(f"\\def\\d{i}{{\\d{i + 1} \\d{i + 1} }}\n" for i in range(60)) + "\\d0 "
    message = failure(host, "expand_macro_mapper", {}, {"text": text})
    tap.check("macros" in message and "16 times" in message, "sixty doublings", message)


def test_names_grow_when_values_come_to_stand_behind_them(host, tap):
    for text, want in (("\\def\\a{x}\n\\def\\bx{y}\n\\b\\a ", "\\defx{x}\n\\defy{y}\ny "),
                       ("\\def\\a{x}\n\\a\\a\\a ", "\\defx{x}\nx\\ax "),
                       ("\\def\\a{x}\n\\a", "\\defx{x}\n\\a"),
                       ("\\def\\a{}\n\\a b", "\\def{}\n b")):
        got = mapped(host, "expand_macro_mapper", {}, text)
        tap.check(got == want, f"macros of {ascii(text)}", ascii(got))
