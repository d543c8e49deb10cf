// The SDK of Amazon: Converse of Bedrock.

import { BedrockRuntimeClient, ConverseCommand } from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';

export const NAME = 'node-bedrock-runtime';
export const PACKAGE = '@aws-sdk/client-bedrock-runtime';

export function connect(url) {
  const client = new BedrockRuntimeClient({
    endpoint: `${url}/bedrock`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
    maxAttempts: 1,
    requestHandler: new NodeHttpHandler(), // the default speaks HTTP/2 alone
  });
  return {
    bedrock_converse: {
      async turns({ model, messages, tools }) {
        const toolConfig = tools.length ? { toolConfig: { tools } } : {};
        const command = new ConverseCommand({ modelId: model, messages: decoded(messages), ...toolConfig });
        const answer = await client.send(command);
        return { content: answer.output.message.content[0].text };
      },
    },
  };
}

// Messages with bytes where their JSON has base64: the SDK encodes them.
function decoded(value, member) {
  if (member === 'input' || member === 'json') return value;
  if (member === 'bytes') return Buffer.from(value, 'base64');
  if (Array.isArray(value)) return value.map((one) => decoded(one));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, content]) => [name, decoded(content, name)]));
}
