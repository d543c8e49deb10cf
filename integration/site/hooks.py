"""What MkDocs does not know: links out of docs/ lead to the repository."""

import posixpath
import re

REPOSITORY = "https://github.com/toolresult/toolresult/blob/main/"
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)(#[^)\s]*)?\)")


def on_page_markdown(markdown, page, config, files):
    """Replaces links to files that are no pages by links to the repository."""

    def target(match):
        path, fragment = match.group(1), match.group(2) or ""
        at = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page.file.src_uri), path))
        inside = at.startswith("docs/") and files.get_file_from_path(at.removeprefix("docs/"))
        return match.group(0) if inside else f"]({REPOSITORY}{at}{fragment})"

    return LINK.sub(target, markdown)
