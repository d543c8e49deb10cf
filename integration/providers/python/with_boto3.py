"""The SDK of Amazon: Converse of Bedrock."""

import base64

import boto3
import botocore.config

PACKAGE = "boto3"


def connect(url):
    client = boto3.client(
        "bedrock-runtime",
        endpoint_url=f"{url}/bedrock",
        region_name="us-east-1",
        aws_access_key_id="none",
        aws_secret_access_key="none",
        config=botocore.config.Config(retries={"total_max_attempts": 1}),
    )
    return {"bedrock_converse": Converse(client)}


class Converse:
    def __init__(self, client):
        self.client = client

    def turns(self, job):
        tools = {"toolConfig": {"tools": job["tools"]}} if job["tools"] else {}
        answer = self.client.converse(modelId=job["model"], messages=decoded(job["messages"]), **tools)
        return {"content": answer["output"]["message"]["content"][0]["text"]}


def decoded(value):
    """Returns messages with bytes where their JSON has base64: the SDK encodes them."""
    if isinstance(value, list):
        return [decoded(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {member: decoded_member(member, content) for member, content in value.items()}


def decoded_member(member, content):
    if member in ("input", "json"):  # the tool's own
        return content
    return base64.b64decode(content) if member == "bytes" else decoded(content)
