import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { addCodePages } from './code-page.ts';
import type { HttpApp } from './context.ts';
import type { ApiDocumentBuilder } from './document/api-document.ts';

// Everything comes from the installed package: the page works without a network, under a strict policy.
const assets = {
  'swagger-ui.css': {
    type: 'text/css; charset=utf-8',
    url: import.meta.resolve('swagger-ui-dist/swagger-ui.css'),
  },
  'swagger-ui-bundle.js': {
    type: 'text/javascript; charset=utf-8',
    url: import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
  },
};

const initScript = `window.addEventListener('load', () => SwaggerUIBundle({ url: '/openapi.json', dom_id: '#docs', deepLinking: true }));\n`;

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Attaché HTTP API</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <main id="docs">The description itself is at <a href="/openapi.json">/openapi.json</a>.</main>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/init.js"></script>
  </body>
</html>
`;

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'";

const headers = (type: string) => ({
  'content-type': type,
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
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
  app.get('/docs', () => new Response(page, { headers: headers('text/html; charset=utf-8') }));
  app.get('/docs/init.js', () => new Response(initScript, { headers: headers('text/javascript; charset=utf-8') }));
  for (const [name, { type, url }] of Object.entries(assets)) {
    const file = fileURLToPath(url);
    app.get(`/docs/${name}`, () => {
      const body = Readable.toWeb(createReadStream(file)) as ReadableStream;
      return new Response(body, { headers: { ...headers(type), 'cache-control': 'public, max-age=3600' } });
    });
  }
}
