// The SDK of OpenAI: Chat Completions and Responses.

import OpenAI from 'openai';

export const NAME = 'node-openai';
export const PACKAGE = 'openai';

export function connect(url) {
  const client = new OpenAI({ baseURL: `${url}/openai/v1`, apiKey: 'none', maxRetries: 0 });
  return {
    openai_chat: {
      async turns({ model, messages, tools }) {
        const answer = await client.chat.completions.create({ model, messages, ...(tools.length && { tools }) });
        return { content: answer.choices[0].message.content };
      },
      async streams({ model, messages }) {
        const stream = client.chat.completions.stream({ model, messages });
        const { message } = (await stream.finalChatCompletion()).choices[0];
        return { content: message.content ?? '', tool_calls: (message.tool_calls ?? []).map(chatCall) };
      },
    },
    openai_responses: {
      async turns({ model, messages, tools }) {
        const answer = await client.responses.create({ model, input: messages, ...(tools.length && { tools }) });
        return { content: answer.output_text };
      },
      async streams({ model, messages }) {
        const response = await client.responses.stream({ model, input: messages }).finalResponse();
        const calls = response.output.filter(({ type }) => type === 'function_call' || type === 'custom_tool_call');
        return { content: response.output_text, tool_calls: calls.map(itemCall) };
      },
    },
  };
}

function chatCall({ id, type, custom, function: called }) {
  if (type === 'custom') return { id, name: custom.name, input: custom.input };
  return { id, name: called.name, arguments: called.arguments };
}

function itemCall({ call_id, type, name, input, arguments: given }) {
  if (type === 'custom_tool_call') return { id: call_id, name, input };
  return { id: call_id, name, arguments: given };
}
