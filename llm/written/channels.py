"""Reads the channels in which gpt-oss writes its thoughts, calls and answer (OpenAI's Harmony format)."""

import re

_CHANNEL = re.compile(
    r"""(?:
        # a name of a tool, which may stand in front of the channel
        (?P<to>(?:to=(?!assistant|user|self) | <\|channel\|>(?!analysis|commentary|final)) [\w.:-]{1,64}\s*)?
        <\|channel\|>
      | \A(?=\s*(?:analysis|commentary|final)\b)  # some servers drop the first token
      | (?:\A|<\|start\|>assistant)(?=\s*to=)
    )
    (?P<head> [^<]{0,100}(?:<\|constrain\|>[^<]{0,100})?) <\|message\|>
    (?P<body> .*?) (?=<\|(?:end|start|channel|return|call|eo[mt]|eot_id)\|>|\Z)""",
    re.DOTALL | re.VERBOSE,
)
_TO_TOOL = re.compile(r"to=(?!assistant|user|self)")
# Between messages. A header that still arrives is no text.
_BOUNDARY = re.compile(r"<\|(?:end|start|return)\|>(?:assistant\b|a[sitan]{0,7}\Z)?(?:\s*t(?:o(?:=\S*)?)?\Z)?")


def extract_final_channel(text: str) -> str | None:
    """Return the final channel and the calls in other channels, or None if the text has no channels.

    If there is neither, return the text after the last channel, or else the text before the first.
    """
    first = _CHANNEL.search(text)
    if first is None or text.count("`", 0, first.start()) % 2:  # in code
        return None
    parts = []
    for channel in _CHANNEL.finditer(text):
        end = channel.end()
        if channel["head"].partition("<|")[0].strip().lower() in ("final", "to=user"):
            parts.append(channel["body"])
        elif channel["to"] or _TO_TOOL.search(channel["head"]):
            header = f"{channel['head'].strip()} {channel['to'] or ''}".strip()
            parts.append(f"{header}<|message|>{channel['body']}")
    if parts:
        return "\n".join(parts)
    # Some models leave out the header of their final channel.
    return _BOUNDARY.sub("", text[end:]).strip() or _BOUNDARY.sub("", text[: first.start()])
