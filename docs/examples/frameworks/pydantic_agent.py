"""Pydantic AI: a capability that replaces the results of tools."""

from pydantic_ai import Agent
from pydantic_ai.capabilities import AbstractCapability

from receipts import receipt


class Receipts(AbstractCapability):
    async def after_tool_execute(self, ctx, *, call, tool_def, args, result):
        return receipt(call.tool_name, result)


def agent(model, tools):
    return Agent(model, tools=tools, capabilities=[Receipts()])
