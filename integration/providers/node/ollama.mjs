// The SDK of Ollama: chat.

import { Ollama } from 'ollama';

export const NAME = 'node-ollama';
export const PACKAGE = 'ollama';

export function connect(url) {
  const client = new Ollama({ host: `${url}/ollama` });
  return {
    ollama: {
      async turns({ model, messages, tools }) {
        const answer = await client.chat({ model, messages, ...(tools.length && { tools }) });
        return { content: answer.message.content };
      },
      async streams({ model, messages }) {
        let content = '';
        const tool_calls = [];
        for await (const { message } of await client.chat({ model, messages, stream: true })) {
          content += message.content ?? '';
          for (const call of message.tool_calls ?? []) {
            tool_calls.push({ name: call.function.name, arguments: call.function.arguments });
          }
        }
        return { content, tool_calls };
      },
    },
  };
}
