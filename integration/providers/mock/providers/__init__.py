"""The providers, each with its path, schema, rules, answer and refusal.

The rules are what a provider requires of a conversation beyond the types of its
parts. They are written from its documentation and from what its endpoint is known
to answer, and on purpose not from a linter of ours: where the two differ, one of
them is wrong. rules() is given bodies that have passed schema().
"""

from providers import anthropic_messages, bedrock_converse, gemini, mistral, ollama, openai_chat, openai_responses

ALL = {
    "anthropic_messages": anthropic_messages,
    "bedrock_converse": bedrock_converse,
    "gemini": gemini,
    "mistral": mistral,
    "ollama": ollama,
    "openai_chat": openai_chat,
    "openai_responses": openai_responses,
}
