import { type CodePage, codePages, type ExplainedCode } from '@attache/contracts';
import type { HttpApp } from '../context.ts';
import { escapeHtml, htmlResponse } from './html.ts';

/** A page for each code of an error or a failure, to which the `type` of a problem leads, and one that lists them. */
export function addCodePages(app: HttpApp): void {
  const pages = new Map(codePages.map((page) => [page.name, describePage(page)]));
  const list = { title: 'Errors and failures – Attaché', body: listCodes() };
  for (const path of ['/docs/errors', '/docs/errors/']) app.get(path, () => htmlResponse(list));
  app.get('/docs/errors/:name', (c) => {
    const page = pages.get(c.req.param('name'));
    return page === undefined ? c.notFound() : htmlResponse(page);
  });
}

function listCodes(): string {
  const items = codePages.map(({ name, explained }) => {
    const codes = explained.map(({ code }) => `<code>${escapeHtml(code)}</code>`).join(', ');
    const [first] = explained;
    const when = escapeHtml(first?.lines[0]?.text ?? '');
    return `        <li><a href="/docs/errors/${escapeHtml(name)}">${codes}</a>: ${when}</li>`;
  });
  return [
    '      <h1>Errors and failures</h1>',
    '      <p>The codes that a problem, a plan or a delivery may name. <a href="/docs">The HTTP API</a></p>',
    ...['      <ul>', ...items, '      </ul>'],
  ].join('\n');
}

function describePage({ name, explained }: CodePage) {
  const links =
    '      <nav aria-label="More"><p><a href="/docs/errors">All codes</a> · <a href="/docs">The HTTP API</a></p></nav>';
  return { title: `${name} – Attaché`, body: [...explained.map(describeCode), links].join('\n') };
}

function describeCode({ code, lines }: ExplainedCode): string {
  const rows = lines.map(({ heading, text }) => `        <dt>${escapeHtml(heading)}</dt><dd>${escapeHtml(text)}</dd>`);
  return [`      <h1><code>${escapeHtml(code)}</code></h1>`, '      <dl>', ...rows, '      </dl>'].join('\n');
}
