"""The code that documents print, block by block, and the commands in them."""

import re
import shlex
from dataclasses import dataclass
from textwrap import dedent

from markdown_it import MarkdownIt

OTHERS = {"[": "toml", "{": "json", "<": "html"}
"""What an indented block is, by its first character; else it is commands."""
SHELLS = {"bash", "console", "sh", "shell", ""}


@dataclass(frozen=True)
class CodeBlock:
    heading: str
    language: str
    text: str

    @property
    def is_typed(self):
        return self.language in SHELLS


def blocks_of(markdown):
    """All blocks of code with the headings that they stand below."""
    heading, found = "", []
    tokens = MarkdownIt().parse(markdown)
    for token, after in zip(tokens, [*tokens[1:], None], strict=True):
        if token.type == "heading_open":
            heading = after.content
        elif token.type == "fence":
            found.append(CodeBlock(heading, token.info.strip(), token.content))
        elif token.type == "code_block":
            text = dedent(token.content)  # in an item of a list it may stand a little further to the right
            found.append(CodeBlock(heading, OTHERS.get(text[0], ""), text))
    return found


def typed(markdown, *headings):
    """What is typed below these headings, in their order, as one script."""
    return "\n".join(each.text for each in blocks_of(markdown) if each.heading in headings and each.is_typed)


def inline(markdown):
    """Each piece of code within a sentence, on one line."""
    for token in MarkdownIt().enable("table").parse(markdown):
        for child in token.children or ():
            if child.type == "code_inline":
                yield re.sub(r"\s+", " ", child.content)


def commands(text):
    """The words of each simple command of a script: without comments, redirections and what is piped to it."""
    for line in text.replace("\\\n", " ").splitlines():
        reader = shlex.shlex(line, posix=True, punctuation_chars=True)
        reader.whitespace_split = True
        words = []
        for word in reader:
            if re.fullmatch(r"[();<>|&]+", word):
                yield words
                words = []
            else:
                words.append(word)
        yield words
