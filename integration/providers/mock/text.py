"""What the rules of all providers say of texts."""


def matches(pattern, value, where):
    if not pattern.fullmatch(value):
        yield f"{where}: {value!r} does not match {pattern.pattern}"


def not_blank(text, where):
    if not text.strip():
        yield f"{where}: text must not be empty nor only white space"
