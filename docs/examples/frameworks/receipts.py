"""Receipts for what tools answer. Without a sidecar, or with one that is stopped, the answer stays as it is."""

import os

import grpc
from toolresult.v1 import envelope_pb2, payload_pb2, service_pb2, service_pb2_grpc, text_pb2

SHORT = 4096  # bytes: what is no longer stays as it is
PATIENCE = 1  # second

# What `toolresult ensure` prints; without it, where nobody answers.
address = os.environ.get("TOOLRESULT_ADDRESS", "unix:///dev/null")
stub = service_pb2_grpc.ToolResultServiceStub(grpc.insecure_channel(address))


def receipt(tool, answer):
    if not isinstance(answer, str) or len(answer) <= SHORT:
        return answer
    text = text_pb2.TextOutput(content=payload_pb2.Payload(inline=answer.encode(errors="replace")))
    output = envelope_pb2.CompleteToolOutput(tool_name=tool, text=text)
    try:
        return stub.Project(service_pb2.ProjectRequest(output=output), timeout=PATIENCE).receipt.text
    except grpc.RpcError:
        return answer
