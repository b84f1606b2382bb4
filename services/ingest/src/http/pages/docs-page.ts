import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { HttpApp } from '../context.ts';
import type { ApiDocumentBuilder } from '../document/api-document.ts';
import { addCodePages } from './code-page.ts';

// Everything comes from the installed package: the page works without a network, under a strict policy.
const assets = {
  'elements.css': {
    type: 'text/css; charset=utf-8',
    url: import.meta.resolve('@stoplight/elements/styles.min.css'),
  },
  'elements.js': {
    type: 'text/javascript; charset=utf-8',
    url: import.meta.resolve('@stoplight/elements/web-components.min.js'),
  },
};

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Attaché HTTP API</title>
    <link rel="icon" href="/favicon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="/docs/elements.css">
    <script src="/docs/elements.js" defer></script>
    <style>body { margin: 0; } elements-api { display: block; height: 100vh; }</style>
  </head>
  <body>
    <noscript>The description itself is at <a href="/openapi.json">/openapi.json</a>.</noscript>
    <elements-api apiDescriptionUrl="/openapi.json" router="hash" layout="responsive"></elements-api>
  </body>
</html>
`;

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const headers = (type: string) => ({
  'content-type': type,
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
});

/** The OpenAPI document as a page for people, and a page for each code. */
export function addDocsPage(app: HttpApp, document: ApiDocumentBuilder): void {
  // Composed for the first who asks: a start does not wait for it.
  let text: string | undefined;
  app.get('/openapi.json', () => {
    text ??= JSON.stringify(document.compose());
    return new Response(text, { headers: { 'content-type': 'application/json' } });
  });
  addCodePages(app);
  for (const path of ['/docs', '/docs/'])
    app.get(path, () => new Response(page, { headers: headers('text/html; charset=utf-8') }));
  for (const [name, { type, url }] of Object.entries(assets)) {
    const file = fileURLToPath(url);
    app.get(`/docs/${name}`, () => {
      const body = Readable.toWeb(createReadStream(file)) as ReadableStream;
      return new Response(body, { headers: { ...headers(type), 'cache-control': 'public, max-age=3600' } });
    });
  }
}
