"""Where records of a text end: compiled loops on its bytes."""

from __future__ import annotations

from .compilation import kernel
from .decimals import NEWLINE, RETURN

QUOTE = ord('"')


@kernel
def last_record_end(text, separator):
    """Return where the last whole record ends of a text that begins with one; 0 if none ends.

    A cell that begins with a quote goes to the next one, but for two of them, which stand for one; line ends within do not
    count. A carriage return that the text ends with is not taken for the end of a record, as a newline may follow.
    """
    last = 0
    quoted, begins = False, True
    t, n = 0, text.shape[0]
    while t < n:
        c = text[t]
        if quoted:
            if c == QUOTE:
                if t + 1 < n and text[t + 1] == QUOTE:
                    t += 1
                else:
                    quoted = False
        elif c == QUOTE and begins:
            quoted, begins = True, False
        elif c == NEWLINE or (c == RETURN and t + 1 < n):
            if c == RETURN and text[t + 1] == NEWLINE:
                t += 1
            last = t + 1
            begins = True
        else:
            begins = c == separator
        t += 1
    return last
