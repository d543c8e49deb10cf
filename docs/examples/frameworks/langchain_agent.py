"""LangChain: a middleware that replaces the content of tool messages."""

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import ToolMessage

from receipts import receipt


class Receipts(AgentMiddleware):
    def wrap_tool_call(self, request, handler):
        return self.shortened(request, handler(request))

    async def awrap_tool_call(self, request, handler):
        return self.shortened(request, await handler(request))

    def shortened(self, request, message):
        if not isinstance(message, ToolMessage):
            return message
        return message.model_copy(update={"content": receipt(request.tool_call["name"], message.content)})


def agent(model, tools):
    return create_agent(model, tools, middleware=[Receipts()])
