// Does jobs with the providers' own SDKs for JavaScript.
//
//     node drive.mjs URL < JOBS
//
// A job is a line of JSON: which fixture to send, or to stream, from the mock at
// URL. What came of it is a line of JSON too; see ../jobs_test.go for the members.

import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

import * as anthropic from './anthropic.mjs';
import * as bedrock from './bedrock.mjs';
import * as genai from './genai.mjs';
import * as mistral from './mistral.mjs';
import * as ollama from './ollama.mjs';
import * as openai from './openai.mjs';

const url = process.argv[2];
const drivers = new Map();
for (const sdk of [anthropic, bedrock, genai, mistral, ollama, openai]) {
  const manifest = new URL(`node_modules/${sdk.PACKAGE}/package.json`, import.meta.url);
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
  for (const [provider, driver] of Object.entries(sdk.connect(`${url}/${sdk.NAME}`))) {
    drivers.set(provider, { sdk, version, driver });
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const job = JSON.parse(line);
  const { sdk, version, driver } = drivers.get(job.provider) ?? {};
  if (!driver?.[job.kind]) continue;
  const done = { sdk: sdk.NAME, package: sdk.PACKAGE, version, job: job.id };
  try {
    Object.assign(done, await driver[job.kind](job));
  } catch (error) {
    Object.assign(done, { error: String(error), trace: error.stack });
  }
  console.log(JSON.stringify(done));
}
