// The backend of the example: opens the chat of a user, and keeps the API key. Run it with ATTACHE_API_KEY set: node backend.mjs
import { createServer } from 'node:http';

const { ATTACHE_URL = 'http://127.0.0.1:4100', ATTACHE_API_KEY, PORT = '4200' } = process.env;
const agents = [{ name: 'painter', role: 'lead', target: { profile: 'example' } }];
const rights = [
  'attachments:read',
  'attachments:write',
  'attachments:delete',
  'urls:create',
  'messages:send',
  'events:read',
];

async function call(method, route, body) {
  const headers = { authorization: `Bearer ${ATTACHE_API_KEY}`, 'content-type': 'application/json' };
  const response = await fetch(`${ATTACHE_URL}/v1${route}`, { method, headers, body: JSON.stringify(body) });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${answer.code}: ${answer.detail}`);
  return answer;
}

/** The session of a user: the one that is active, or a new one. */
async function findSession(externalUserId) {
  const externalId = `chat-of-${externalUserId}`;
  const { items } = await call('GET', `/sessions?status=active&externalId=${externalId}`);
  return items[0] ?? (await call('POST', '/sessions', { externalId, agents })).session;
}

/** A session, and a token that lets this user act in it for an hour. One after the other, so that a user gets one session. */
let last = Promise.resolve();
function openChat(externalUserId) {
  const opened = last.then(async () => {
    const { id: sessionId } = await findSession(externalUserId);
    const { token } = await call('POST', `/sessions/${sessionId}/tokens`, { externalUserId, rights, ttlSeconds: 3600 });
    return { url: ATTACHE_URL, sessionId, token };
  });
  last = opened.catch(() => {});
  return opened;
}

const server = createServer(async (request, response) => {
  // Your own sign-in says who asks; here it is always the same user.
  const user = 'user-7';
  if (request.method !== 'POST' || request.url !== '/api/chat') return response.writeHead(404).end();
  try {
    const chat = JSON.stringify(await openChat(user));
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end(chat);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    response.writeHead(502).end();
  }
});
server.listen(Number(PORT), '127.0.0.1');
