import { type CodePage, codePages, type ExplainedCode } from '@attache/contracts';
import type { HttpApp } from './context.ts';

// Nothing is loaded and nothing runs: the page is its text.
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'public, max-age=3600',
};

const style =
  'body { max-width: 44rem; margin: 3rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui } dt { font-weight: 600 }';

/** A page for each code of an error or a failure: the `type` of a problem leads to it. */
export function addCodePages(app: HttpApp): void {
  const pages = new Map(codePages.map((page) => [page.name, composePage(page)]));
  app.get('/docs/errors/:name', (c) => {
    const page = pages.get(c.req.param('name'));
    return page === undefined ? c.notFound() : new Response(page, { headers });
  });
}

function composePage({ name, explained }: CodePage): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escapeHtml(name)} – Attaché</title>
    <style>${style}</style>
  </head>
  <body>
    <main>
${explained.map(describeCode).join('\n')}
      <p><a href="/docs">The HTTP API</a></p>
    </main>
  </body>
</html>
`;
}

function describeCode({ code, lines }: ExplainedCode): string {
  const rows = lines.map(({ heading, text }) => `        <dt>${escapeHtml(heading)}</dt><dd>${escapeHtml(text)}</dd>`);
  return [`      <h1><code>${escapeHtml(code)}</code></h1>`, '      <dl>', ...rows, '      </dl>'].join('\n');
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => entities[char] ?? char);
}
