import type { Context } from 'hono';
import { accepts } from 'hono/accepts';

/** One of our own pages: its text, without the frame. `body` is HTML. */
export type Page = { title: string; body: string };

const style = `
      :root { color-scheme: light dark }
      body { max-width: 44rem; margin: 3rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; background: Canvas; color: CanvasText }
      dt { font-weight: 600 }
      a:focus-visible { outline: 3px solid Highlight; outline-offset: 2px }
    `;

// Nothing is loaded but the icon, and nothing runs: the page is its text.
const policy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** A page as an answer. It holds nothing of the request. `vary` names what else decides about it, besides the origin. */
export function htmlResponse(
  page: Page,
  { status = 200, cacheControl = 'public, max-age=3600', vary = 'Origin' } = {},
): Response {
  return new Response(composePage(page), {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': cacheControl,
      vary,
    },
  });
}

function composePage({ title, body }: Page): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escapeHtml(title)}</title>
    <link rel="icon" href="/favicon.svg" type="image/svg+xml">
    <style>${style}</style>
  </head>
  <body>
    <main>
${body}
    </main>
  </body>
</html>
`;
}

/** Whether whoever asks is a browser that shows a page, rather than a program. */
export function prefersHtml(c: Context): boolean {
  const supports = ['application/json', 'text/html'];
  return accepts(c, { header: 'Accept', supports, default: 'application/json' }) === 'text/html';
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => entities[char] ?? char);
}
