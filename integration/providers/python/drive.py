"""Does jobs with the providers' own SDKs for Python.

    python drive.py URL < JOBS

A job is a line of JSON: which fixture to send, or to stream, from the mock at URL.
What came of it is a line of JSON too; see ../jobs_test.go for the members of both.
"""

import importlib.metadata
import json
import sys
import traceback

import with_anthropic
import with_boto3
import with_genai
import with_mistral
import with_ollama
import with_openai

SDKS = (with_anthropic, with_boto3, with_genai, with_mistral, with_ollama, with_openai)


def main(url):
    drivers = {}
    for sdk in SDKS:
        name = f"python-{sdk.PACKAGE}"
        version = importlib.metadata.version(sdk.PACKAGE)
        for provider, driver in sdk.connect(f"{url}/{name}").items():
            drivers[provider] = sdk, name, version, driver
    for line in sys.stdin:
        job = json.loads(line)
        if job["provider"] not in drivers:
            continue
        sdk, name, version, driver = drivers[job["provider"]]
        action = getattr(driver, job["kind"], None)
        if action is None:
            continue
        done = {"sdk": name, "package": sdk.PACKAGE, "version": version, "job": job["id"]}
        try:
            done |= action(job)
        except Exception as e:
            done |= {"error": "".join(traceback.format_exception_only(e)).strip(), "trace": traceback.format_exc(limit=-3)}
        print(json.dumps(done), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
