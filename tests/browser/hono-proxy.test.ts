import { fileURLToPath } from 'node:url';
import { attacheProxy } from '@attache/example-hono-proxy';
import { getRequestListener } from '@hono/node-server';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type OpenedBrowser, openBrowser } from './src/open-browser.ts';
import { type ServedPage, servePage } from './src/serve-page.ts';
import { openBrowserTenant } from './src/shared-stack.ts';

const pageOf = (name: string) => fileURLToPath(new URL(`pages/${name}.ts`, import.meta.url));
const rights = ['events:read', 'attachments:read', 'attachments:write', 'messages:send'];

let browser: OpenedBrowser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

/** A page whose server knows a person by a cookie, and has the proxy. */
async function serveWithProxy(): Promise<{
  served: ServedPage;
  sessionId: string;
  answered: string[];
  secrets: string[];
}> {
  const api = await openBrowserTenant();
  const { session } = await api.createSession();
  const app = attacheProxy({
    ...{ baseUrl: api.url, key: api.apiKey },
    authorize({ headers }) {
      const isSignedIn = headers.get('cookie') === 'login=yes';
      return isSignedIn ? { sessionId: session.id, externalUserId: 'user-7', rights } : null;
    },
  });
  const answered: string[] = [];
  const fallback = getRequestListener(async (request) => {
    const response = await app.fetch(request);
    answered.push(`${request.method} ${response.status} ${request.headers.get('cookie')}`);
    return response;
  });
  const served = await servePage({ entry: pageOf('behind-proxy') }, { origin: 'other', fallback });
  onTestFinished(() => served.close());
  return { served, sessionId: session.id, answered, secrets: [api.apiKey, 'Bearer'] };
}

async function signIn({ origin }: ServedPage, url: string) {
  const opened = await browser.open('about:blank');
  const { page } = opened;
  await page.context().addCookies([{ name: 'login', value: 'yes', url: origin }]);
  return { ...opened, visit: () => page.goto(url) };
}

it('a page without a key or a token uploads, follows its events and shows its file', async () => {
  const { served, sessionId, secrets } = await serveWithProxy();
  const { page, faults, visit } = await signIn(served, `${served.url}#${sessionId}`);
  const sent: string[] = [];
  page.on('request', (request) => sent.push(JSON.stringify(request.headers())));
  await visit();
  await expect.poll(() => page.textContent('#shown, #fault'), { timeout: 60_000 }).toBe('8 × 8');
  expect(faults).toEqual([]);
  for (const secret of secrets) expect(sent.join()).not.toContain(secret);
});

it('a page of another origin is refused, though the cookie comes along', async () => {
  const { served, sessionId, answered } = await serveWithProxy();
  const other = await servePage({ entry: pageOf('other-site') }, { origin: 'other' });
  onTestFinished(() => other.close());
  const target = `${served.origin}/attache/v1/sessions/${sessionId}/messages`;
  const { page, visit } = await signIn(served, `${other.url}#${encodeURIComponent(target)}`);
  await visit();
  await expect.poll(() => page.textContent('output'), { timeout: 60_000 }).toBe('opaque');
  expect(answered).toEqual(['POST 403 login=yes']);
});
