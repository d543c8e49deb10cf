// The SDK of Mistral: chat completions.

import { Mistral } from '@mistralai/mistralai';

export const NAME = 'node-mistralai';
export const PACKAGE = '@mistralai/mistralai';

export function connect(url) {
  const client = new Mistral({ apiKey: 'none', serverURL: `${url}/mistral`, retryConfig: { strategy: 'none' } });
  return {
    mistral: {
      async turns({ model, messages, tools }) {
        const answer = await client.chat.complete({ model, messages: messages.map(camel), ...(tools.length && { tools }) });
        return { content: answer.choices[0].message.content };
      },
      // The SDK parses the chunks, and leaves it to its user to put calls together.
      async streams({ model, messages }) {
        let content = '';
        const calls = new Map();
        const at = new Map();
        for await (const { data } of await client.chat.stream({ model, messages: messages.map(camel) })) {
          for (const { delta } of data.choices) {
            content += delta.content ?? '';
            for (const { id, index, function: called } of delta.toolCalls ?? []) {
              // The first part of a call has its id; "null" stands for none.
              const key = id === 'null' ? at.get(index) : id;
              at.set(index, key);
              const call = calls.get(key) ?? { id: key, name: called.name, arguments: '' };
              call.arguments = typeof called.arguments === 'string' ? call.arguments + called.arguments : called.arguments;
              calls.set(key, call);
            }
          }
        }
        return { content, tool_calls: [...calls.values()] };
      },
    },
  };
}

// A message as the SDK names its members, and those of the parts of its content.
function camel({ content, ...message }) {
  return renamed({ ...message, content: Array.isArray(content) ? content.map(renamed) : content });
}

function renamed(members) {
  const name = (member) => member.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(members).map(([member, content]) => [name(member), content]));
}
