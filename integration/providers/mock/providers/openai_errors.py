"""What both APIs of OpenAI share."""


def refusal(message):
    return 400, {}, {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}}
