"""OpenAI Agents SDK: a filter over everything that a model is about to read. It runs before each call, so it remembers."""

from agents import RunConfig
from agents.run import ModelInputData

from receipts import receipt


def receipts():
    known = {}  # by the id of the call

    def shortened(item):
        if item.get("type") != "function_call_output":
            return item
        if item["call_id"] not in known:
            known[item["call_id"]] = receipt("tool", item["output"])
        return {**item, "output": known[item["call_id"]]}

    def keep_short(data):
        items = [shortened(item) for item in data.model_data.input]
        return ModelInputData(input=items, instructions=data.model_data.instructions)

    return RunConfig(call_model_input_filter=keep_short)
