// hosted: every – the pages are part of every image of ingest
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStack, type Stack } from '../stack/stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await openStack();
});
afterAll(() => stack.stop());

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

async function visit(path: string, accept = browser, method = 'GET') {
  const answer = await fetch(`${stack.api.url}${path}`, { method, headers: { accept } });
  const { status, headers } = answer;
  return { status, headers, type: headers.get('content-type'), text: await answer.text() };
}

const HTML = 'text/html; charset=utf-8';

describe('a browser', () => {
  it.each([
    ['/', 'Attaché'],
    ['/docs', 'Attaché HTTP API'],
    ['/docs/', 'Attaché HTTP API'],
    ['/docs/errors', 'Errors and failures'],
    ['/docs/errors/', 'Errors and failures'],
    ['/docs/errors/origin_not_allowed', 'ORIGIN_NOT_ALLOWED'],
  ])('finds a page at %s', async (path, words) => {
    const { status, type, text, headers } = await visit(path);
    expect([status, type]).toEqual([200, HTML]);
    expect(text).toContain(words);
    const policy = headers.get('content-security-policy');
    expect(policy).toMatch(/^default-src 'none'/);
    for (const rule of ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"])
      expect(policy).toContain(rule);
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('reaches every page that its links name', async () => {
    const seen = new Set<string>();
    const waiting = ['/', '/docs/errors'];
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      if (seen.has(path)) continue;
      seen.add(path);
      const { status, type, text } = await visit(path);
      expect([path, status]).toEqual([path, 200]);
      if (type === HTML) waiting.push(...[...text.matchAll(/href="(\/[^"]*)"/g)].map(([, link = '']) => link));
    }
    expect(seen.size).toBeGreaterThan(90);
    expect(seen).toContain('/favicon.svg');
  });

  it('gets a page where nothing is, which repeats nothing of the address', async () => {
    for (const path of ['/nothing', '/v1/%3Cscript%3Ealert(1)%3C/script%3E?x=<b>', '/docs/errors/nothing']) {
      const { status, type, text, headers } = await visit(path);
      expect([status, type, headers.get('vary')]).toEqual([404, HTML, 'Accept, Origin']);
      expect(text).not.toMatch(/alert|<b>|nothing/);
    }
    expect((await visit('/nothing', browser, 'HEAD')).status).toBe(404);
  });
});

describe('a program', () => {
  it.each(['*/*', 'application/json', 'image/png'])('gets JSON as ever, with Accept %s', async (accept) => {
    const root = await visit('/', accept);
    expect([root.status, JSON.parse(root.text)]).toMatchObject([200, { name: 'Attaché', api: '/v1' }]);
    const missing = await visit('/nothing', accept);
    expect([missing.status, missing.type]).toEqual([404, 'application/problem+json']);
    expect(missing.headers.get('vary')).toBe('Accept, Origin');
  });

  it('gets the problem of a route, and of a method that is none, as JSON whatever it accepts', async () => {
    const refused = await visit('/v1/sessions');
    expect([refused.status, refused.type]).toEqual([401, 'application/problem+json']);
    const method = await visit('/nothing', browser, 'POST');
    expect([method.status, method.type]).toEqual([404, 'application/problem+json']);
  });
});
