// The SDK of Google: Gemini.

import { GoogleGenAI } from '@google/genai';

export const NAME = 'node-genai';
export const PACKAGE = '@google/genai';

export function connect(url) {
  const client = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: `${url}/gemini` } });
  const request = ({ model, messages, tools }) => ({
    model,
    contents: messages,
    ...(tools.length && { config: { tools } }),
  });
  return {
    gemini: {
      async turns(job) {
        return { content: (await client.models.generateContent(request(job))).text };
      },
      async streams(job) {
        let content = '';
        const tool_calls = [];
        for await (const chunk of await client.models.generateContentStream(request(job))) {
          for (const { text, thought, functionCall } of chunk.candidates?.[0]?.content?.parts ?? []) {
            if (functionCall) {
              tool_calls.push({ id: functionCall.id, name: functionCall.name, arguments: functionCall.args ?? {} });
            } else if (text && !thought) {
              content += text;
            }
          }
        }
        return { content, tool_calls };
      },
    },
  };
}
