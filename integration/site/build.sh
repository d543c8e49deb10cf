#!/usr/bin/env bash
# Builds the documentation as a site below .run/site. A link that leads nowhere is an error.
set -euo pipefail
cd "$(dirname "$0")/../.."
pins=$(cat integration/site/requirements.txt <(python3 --version) | sha256sum | cut -c1-12)
env=.run/site-env/$pins
if [ ! -e "$env/ready" ]; then
	rm -rf .run/site-env
	python3 -m venv "$env"
	"$env/bin/pip" install --quiet --no-deps --require-hashes --requirement integration/site/requirements.txt
	touch "$env/ready"
fi
NO_MKDOCS_2_WARNING=1 "$env/bin/mkdocs" build --quiet --strict
# Every page of the navigation can be found by its words.
"$env/bin/python" - <<'END'
import json
import pathlib

pages = {entry["location"].partition("#")[0] for entry in json.loads(pathlib.Path(".run/site/search/search_index.json").read_text())["docs"]}
missing = [str(path) for path in pathlib.Path("docs").rglob("*.md") if "examples" not in path.parts
           and str(path.relative_to("docs").with_suffix(".html")).replace("README.html", "index.html") not in pages]
assert not missing, f"the search does not know {missing}"
print(f"{len(pages)} pages are in .run/site")
END
