"""Google ADK: a callback behind each tool. What it returns replaces the answer; None leaves it."""

from google.adk.agents import LlmAgent

from receipts import receipt


def shortened(tool, args, tool_context, tool_response):
    if isinstance(tool_response, str):
        return {"result": receipt(tool.name, tool_response)}
    if isinstance(tool_response, dict):
        return {key: receipt(tool.name, value) for key, value in tool_response.items()}
    return None


def agent(model, tools):
    return LlmAgent(name="agent", model=model, tools=tools, after_tool_callback=shortened)
