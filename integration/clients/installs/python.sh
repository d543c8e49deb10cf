#!/usr/bin/env bash
# Installs the wheel of the Python client, built from its sdist, alone and beside common agent frameworks.
set -euo pipefail
cat >project.py <<'EOF'
import toolresult

with toolresult.connect() as client:
    print(client.project_text("echo", "hello\n").receipt)
EOF
mkdir clone
git -C "$CLONE" ls-files -z proto clients/python | (cd "$CLONE" && xargs -0 cp --parents -t "$OLDPWD/clone")
python3 -m venv build
build/bin/pip install --quiet build==1.3.0
build/bin/python -m build --outdir wheels clone/clients/python >/dev/null

# Project: an environment that has nothing else
python3 -m venv alone
alone/bin/pip install --quiet wheels/toolresult-*.whl
alone/bin/python project.py

# Project: one with LangChain, Google ADK, Pydantic AI and the OpenAI Agents SDK
python3 -m venv beside
beside/bin/pip install --quiet --no-deps --require-hashes --cache-dir "$CLONE/.run/frameworks/pip" \
	--requirement "$CLONE/integration/frameworks/python/requirements.txt"
beside/bin/pip install --quiet wheels/toolresult-*.whl
beside/bin/python - <<'EOF'
import agents, google.adk.agents, langchain.agents, pydantic_ai, toolresult  # in one process
EOF
beside/bin/python project.py
