// The SDK of Anthropic: Messages.

import Anthropic from '@anthropic-ai/sdk';

export const NAME = 'node-anthropic';
export const PACKAGE = '@anthropic-ai/sdk';

export function connect(url) {
  const client = new Anthropic({ baseURL: `${url}/anthropic`, apiKey: 'none', maxRetries: 0 });
  return {
    anthropic_messages: {
      async turns({ model, messages, tools }) {
        const answer = await client.messages.create({ model, max_tokens: 1000, messages, ...(tools.length && { tools }) });
        return { content: answer.content[0].text };
      },
      async streams({ model, messages }) {
        const { content } = await client.messages.stream({ model, max_tokens: 1000, messages }).finalMessage();
        const texts = content.filter(({ type }) => type === 'text').map(({ text }) => text);
        const uses = content.filter(({ type }) => type === 'tool_use');
        return { content: texts.join(''), tool_calls: uses.map(({ id, name, input }) => ({ id, name, arguments: input })) };
      },
    },
  };
}
