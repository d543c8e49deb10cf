"""What an SDK changed of the messages that it was given to send."""


def between(given, sent, where="turn"):
    """Yields what was given and not sent. An SDK may add members, of which the
    schema judges, leave out what is empty, and make a block of a text."""
    if isinstance(given, dict) and isinstance(sent, dict):
        for member, content in given.items():
            if member in sent:
                yield from between(content, sent[member], f"{where}.{member}")
            elif content not in (None, "", False, [], {}):
                yield f"{where}.{member} was not sent"
    elif isinstance(given, list) and isinstance(sent, list) and len(given) == len(sent):
        for i, (one, other) in enumerate(zip(given, sent)):
            yield from between(one, other, f"{where}.{i}")
    elif given != sent and [{"type": "text", "text": given}] != sent:
        yield f"{where} was sent as {sent!r}, not as {given!r}"
