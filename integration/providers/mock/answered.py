"""Whether every tool call is answered: once, and directly after it."""


def calls(body):
    for i, message in enumerate(body["messages"]):
        for j, call in enumerate(message.get("tool_calls") or []):
            yield f"messages.{i}.tool_calls.{j}", call


def by_messages(body):
    """Every call of an assistant message has one tool message, and they follow it directly."""
    pending, seen = [], set()
    for i, message in enumerate(body["messages"] + [{"role": "end"}]):
        if message["role"] == "tool":
            if message.get("tool_call_id") not in pending:
                call = message.get("tool_call_id")
                yield f"messages.{i}.tool_call_id: {call!r} answers no call directly before it, or one that is answered"
            else:
                pending.remove(message["tool_call_id"])
            continue
        if pending:
            yield f"messages.{i}: tool messages must come before it, directly after the calls {', '.join(pending)}"
        pending = [call.get("id") for call in message.get("tool_calls") or []]
        for call in pending:
            if call in seen:
                yield f"messages.{i}: more than one call has the id {call!r}"
            seen.add(call)


def by_blocks(messages, call_type, call_id, result_type, result_id):
    """Every call block has one result block in the next message, a user's, and there
    the results come before all else."""
    pending, seen = [], set()
    for i, message in enumerate(messages + [{"role": "end", "content": []}]):
        blocks = [] if isinstance(message["content"], str) else message["content"]
        results = [block[result_id] for block in blocks if block["type"] == result_type]
        for result in results:
            if result not in pending or message["role"] != "user":
                before = f"{call_type} of the message before, or one that is answered"
                yield f"messages.{i}: the {result_type} {result!r} answers no {before}"
            else:
                pending.remove(result)
        if pending:
            yield f"messages.{i}: no {result_type} directly after the {call_type} {', '.join(pending)}"
        if any(block["type"] == result_type for block in blocks[len(results) :]):
            yield f"messages.{i}: {result_type} blocks come before all others"
        pending = [block[call_id] for block in blocks if block["type"] == call_type]
        if pending and message["role"] != "assistant":
            yield f"messages.{i}: a {call_type} of the role {message['role']}"
        for call in pending:
            if call in seen:
                yield f"messages.{i}: more than one {call_type} has the id {call!r}"
            seen.add(call)
