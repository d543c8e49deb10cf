"""Runs an agent of a framework for each file: drive.py FRAMEWORK FILE... Its tool answers the content of the file. Its model is a
script: it calls the tool, says a word, and keeps what it was shown. Prints, for each file, what each call of the model was shown of
the tool."""

import asyncio
import json
import os
import sys

framework, paths = sys.argv[1], sys.argv[2:]
shown, path = [], ""


def run_tests() -> str:
    """Runs the tests."""
    with open(path, encoding="utf-8") as f:
        return f.read()


def langchain():
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.outputs import ChatGeneration, ChatResult
    from langchain_core.tools import tool
    from langchain_agent import agent

    class Script(BaseChatModel):
        _llm_type = "script"

        def bind_tools(self, tools, **kwargs):
            return self

        def _generate(self, messages, *args, **kwargs):
            answers = [m.content for m in messages if m.type == "tool"]
            shown.append(answers)
            message = AIMessage("done") if answers else AIMessage("", tool_calls=[{"name": "run_tests", "args": {}, "id": "1"}])
            return ChatResult(generations=[ChatGeneration(message=message)])

    run = agent(Script(), [tool(run_tests)])
    run.invoke({"messages": [{"role": "user", "content": "test"}]})
    asyncio.run(run.ainvoke({"messages": [{"role": "user", "content": "test"}]}))


def pydantic():
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel
    from pydantic_agent import agent

    def script(messages, info):
        answers = [p.content for m in messages for p in m.parts if p.part_kind == "tool-return"]
        shown.append(answers)
        return ModelResponse(parts=[TextPart("done") if answers else ToolCallPart("run_tests", {})])

    agent(FunctionModel(script), [run_tests]).run_sync("test")


def openai():
    from agents import Agent, ModelResponse, Runner, Usage, function_tool, set_tracing_disabled
    from agents.models.interface import Model
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText
    from openai_agent import receipts

    set_tracing_disabled(True)

    class Script(Model):
        async def get_response(self, system_instructions, input, *args, **kwargs):
            answers = [i["output"] for i in input if isinstance(i, dict) and i.get("type") == "function_call_output"]
            shown.append(answers)
            if len(answers) > 1:
                text = ResponseOutputText(type="output_text", text="done", annotations=[])
                item = ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[text])
            else:  # twice, so that the filter sees a result again
                item = ResponseFunctionToolCall(type="function_call", call_id=f"c{len(answers)}", name="run_tests", arguments="{}")
            return ModelResponse(output=[item], usage=Usage(), response_id=None)

        def stream_response(self, *args, **kwargs):
            raise NotImplementedError

    agent = Agent(name="agent", model=Script(), tools=[function_tool(run_tests)])
    Runner.run_sync(agent, "test", run_config=receipts())


def adk():
    from google.adk.models import BaseLlm, LlmResponse
    from google.adk.runners import InMemoryRunner
    from google.genai import types
    from adk_agent import agent

    class Script(BaseLlm):
        async def generate_content_async(self, llm_request, stream=False):
            parts = [p for c in llm_request.contents for p in c.parts or []]
            answers = [p.function_response.response["result"] for p in parts if p.function_response]
            shown.append(answers)
            part = types.Part(text="done") if answers else types.Part(function_call=types.FunctionCall(name="run_tests", args={}))
            yield LlmResponse(content=types.Content(role="model", parts=[part]))

    asyncio.run(InMemoryRunner(agent(Script(model="script"), [run_tests]), app_name="test").run_debug("test", quiet=True))


run = {"langchain": langchain, "pydantic": pydantic, "openai": openai, "adk": adk}[framework]
files = []
for path in paths:
    shown = []
    run()
    files.append(shown)
print(json.dumps(files))
sys.stdout.flush()
os._exit(0)  # no framework waits for its exporters
