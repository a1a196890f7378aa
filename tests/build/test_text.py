"""lesson.md is read as cells, and every cell knows its lines."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learning.build.text import Block, TextError, read, write

PAGE = """## One

Text, with `code`.

| a | b |
|---|---|
| 1 | 2 |

```text
shown only
```


A second cell under the same heading.
```python role="check" pull="checks.a"
```
## Two
<!-- #region role="explain" -->
Why?


Because.
<!-- #endregion -->

```python role="show" name="x"
s = '''
text
'''
```
"""


def test_a_page_is_cut_at_headings_fences_regions_and_two_blank_lines():
    blocks = read(PAGE)
    assert [(b.kind, b.heading) for b in blocks] == [
        ("markdown", "One"),
        ("markdown", ""),
        ("code", ""),
        ("markdown", "Two"),
        ("markdown", ""),
        ("code", ""),
    ]
    assert blocks[2].attributes == {"role": "check", "pull": "checks.a"}
    assert blocks[4].source == "Why?\n\n\nBecause."


def test_every_line_that_is_not_blank_belongs_to_one_cell():
    lines, blocks = PAGE.split("\n"), read(PAGE)
    owned = [i for b in blocks for i in range(b.first, b.last)]
    assert len(owned) == len(set(owned))
    assert [i for i, line in enumerate(lines) if line.strip() and i not in owned] == []
    assert lines[blocks[5].first].startswith("```python") and lines[blocks[5].last - 1] == "```"


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("Text\n\n```bash\nls\n```\n", "line 3: a bash fence"),
        ("---\ntitle: a\n---\n\n## One\n", "line 1: a raw cell or a header"),
    ],
    ids=["a_shell_fence_would_become_a_cell", "a_header_says_what_the_card_says"],
)
def test_what_would_become_a_surprising_cell_is_named_with_its_line(page, message):
    with pytest.raises(TextError, match=message):
        read(page)


def test_windows_line_ends_change_nothing():
    assert [b.source for b in read(PAGE.replace("\n", "\r\n"))] == [b.source for b in read(PAGE)]


_WORDS = st.text("abc #`|-*_[]():.,\n", min_size=1, max_size=60).filter(lambda s: s.strip() == s and s)
_CODE = st.lists(
    st.sampled_from(
        ["x = 1", "# `note`", "%time f()", "!ls", "s = '''\n```\n'''", "def f():\n    return 2", "", '"# no"']
    )
).map(lambda lines: "\n".join(lines).strip("\n"))
_BLOCKS = st.one_of(
    _WORDS.map(lambda s: Block("markdown", s)),
    _CODE.map(lambda s: Block("code", s, {"role": "show", "name": "n"})),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(_BLOCKS, min_size=1, max_size=4))
def test_whatever_is_written_is_read_back(blocks):
    page = "\n\n\n".join(write(block) for block in blocks) + "\n"
    assert [(b.kind, b.source) for b in read(page)] == [(b.kind, b.source) for b in blocks]
