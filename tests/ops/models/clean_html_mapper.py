# SPDX-License-Identifier: Apache-2.0
"""HTML without what moves text (tables, selects) or hides it: there, the text nodes are what a
tokenizer finds between the tags."""
from html.parser import HTMLParser

import texts

PIECES = ["<p>", "</p >", "<b>", "</b>", "<i class='a>b'>", "</i>", "<div id=x>", "</div>", "<li>",
          "</li>", "<ol>", "</ol>", "<li class=x>", "<LI>", "<br>", "<br/>", "<img alt=\"<p>\">",
          "<hr>", "<span\n>", "</span>", "<!-- <p> -->", "<!x>", "<?x?>", "<script>a<b></script>",
          "<style>&amp;</style>", "<title>&lt;</title>", "<template>x<p>y</p></template>",
          "<template><template>x</template>y</template>", "<em/>",
          "&amp;", "&lt;p&gt;", "&#65;", "&#x4e2d;", "&nbsp;", "&copy", "&bogus;", "&", "& ", "a", "b",
          "x y", " ", "\n", "\t", "\r\n", "\r", "\0", "\u4e2d", "\u00e9", "\u00a0", "\x01", "\x85",
          "\ufffe", "\ud800", "\U0010fffd", "\U0001f600", "/", ">", "=\"", "1"]
START = " \t\n\f"


class Nodes(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.found = []
        self.templates = 0
        self.has_begun = False

    def handle_starttag(self, tag, attrs):
        self.has_begun = True
        self.templates += tag == "template"

    def handle_endtag(self, tag):
        self.templates -= tag == "template"

    def handle_data(self, data):
        if not self.has_begun:
            data = data.lstrip(START)
        self.has_begun |= bool(data)
        if not self.templates:
            self.found.append(data.replace("\0", ""))


def clean_html(text):
    for tag, instead in (("<li>", "\n*"), ("</li>", ""), ("<ol>", "\n*"), ("</ol>", "")):
        text = text.replace(tag, instead)
    nodes = Nodes()
    nodes.feed(text.replace("\r\n", "\n").replace("\r", "\n"))
    nodes.close()
    return "".join(nodes.found)


def differs(host, rng):
    rows = [texts.pieces_of(rng, PIECES) for _ in range(texts.ROWS)]
    return texts.mapper_differs(host, "clean_html_mapper", {}, rows, clean_html)
