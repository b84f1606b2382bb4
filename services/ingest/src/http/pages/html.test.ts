import { Hono } from 'hono';
import { expect, it } from 'vitest';
import type { HttpEnv } from '../context.ts';
import { escapeHtml, htmlResponse, prefersHtml } from './html.ts';
import { addIcon, addRootPage, notFoundPage } from './own-pages.ts';

const app = new Hono<HttpEnv>();
app.get('/which', (c) => c.text(prefersHtml(c) ? 'page' : 'json'));
addRootPage(app, '/v1');
addIcon(app);

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

it.each([
  [browser, 'page'],
  ['text/html', 'page'],
  ['application/json;q=0.5, text/html', 'page'],
  ['*/*', 'json'],
  ['application/json', 'json'],
  ['text/html;q=0.5, application/json', 'json'],
  ['image/svg+xml', 'json'],
  ['', 'json'],
])('%j gets a %s', async (accept, kind) => {
  const answer = await app.request('/which', { headers: accept === '' ? {} : { accept } });
  expect(await answer.text()).toBe(kind);
});

it('a page is HTML in which nothing is loaded from elsewhere and nothing runs, for light and dark', async () => {
  for (const answer of [await app.request('/', { headers: { accept: browser } }), notFoundPage()]) {
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none';.*frame-ancestors 'none'$/);
    expect(answer.headers.get('vary')).toBe('Accept, Origin');
    const text = await answer.text();
    expect(text).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(text).toContain('color-scheme: light dark');
    expect(text.match(/<h1>/g)).toHaveLength(1);
    expect(text).toMatch(/<title>[^<]+<\/title>/);
    expect(text).not.toMatch(/<script|\ssrc=|\son\w+=|https?:|url\(/);
  }
});

it('the root is JSON for programs', async () => {
  const answer = await app.request('/');
  expect(await answer.json()).toEqual({ name: 'Attaché', api: '/v1', reference: '/docs', openapi: '/openapi.json' });
  expect(answer.headers.get('vary')).toBe('Accept, Origin');
});

it('the icon is a picture that runs nothing, under both of its names', async () => {
  for (const path of ['/favicon.svg', '/favicon.ico']) {
    const answer = await app.request(path);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    expect(await answer.text()).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"(?!.*script)/);
  }
});

it('a title and a text are escaped', async () => {
  const page = await htmlResponse({ title: `</title><b a='1'>`, body: escapeHtml('<i>&"') }).text();
  expect(page).toContain('<title>&lt;/title&gt;&lt;b a=&#39;1&#39;&gt;</title>');
  expect(page).toContain('&lt;i&gt;&amp;&quot;');
});
