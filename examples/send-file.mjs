// Sends a file to an agent and prints the answer: node send-file.mjs FILE
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';

const { ATTACHE_URL = 'http://127.0.0.1:4100', ATTACHE_API_KEY = '' } = process.env;
const [path] = process.argv.slice(2);
if (!path || !ATTACHE_API_KEY) {
  process.stderr.write('Usage: ATTACHE_API_KEY=atk_… node send-file.mjs FILE\n');
  process.exit(2);
}

async function call(method, route, body, contentType = 'application/json') {
  const response = await fetch(`${ATTACHE_URL}/v1${route}`, {
    method,
    headers: { authorization: `Bearer ${ATTACHE_API_KEY}`, ...(body && { 'content-type': contentType }) },
    body: contentType === 'application/json' ? JSON.stringify(body) : body,
  });
  const answer = await response.json();
  // A refusal says what is wrong and what to do.
  if (!response.ok) throw new Error(`${answer.code}: ${answer.detail}`);
  return answer;
}

const agent = { name: 'reader', role: 'lead', target: { profile: 'example' } };
const { session } = await call('POST', '/sessions', { agents: [agent] });

const upload = `/sessions/${session.id}/attachments?name=${encodeURIComponent(basename(path))}`;
const { attachment } = await call('PUT', upload, await readFile(path), 'application/octet-stream');

const message = { to: [session.agents[0].id], text: 'What is this?', attachmentIds: [attachment.id] };
let [delivery] = (await call('POST', `/sessions/${session.id}/messages`, message)).deliveries;

while (!['responded', 'failed', 'cancelled'].includes(delivery.status)) {
  await new Promise((wake) => setTimeout(wake, 200));
  ({ delivery } = await call('GET', `/deliveries/${delivery.id}`));
}
if (delivery.status !== 'responded') throw new Error(delivery.failure?.userMessage ?? delivery.status);

const { items } = await call('GET', `/sessions/${session.id}/transcript`);
for (const { type, item } of items)
  if (type === 'agent-item' && item.type === 'text') process.stdout.write(`${item.text}\n`);
