import type { HttpApp } from '../context.ts';
import { htmlResponse, prefersHtml } from './html.ts';

/** The request headers by which a page and JSON at the same address differ. */
const NEGOTIATED = 'Accept, Origin';

const links = `      <ul>
        <li><a href="/docs">The HTTP API</a>, with a form to try each request</li>
        <li><a href="/docs/errors">Errors and failures</a>: why each is raised, and what to do</li>
        <li><a href="/openapi.json">The OpenAPI document</a>, from which clients are generated</li>
      </ul>`;

const rootPage = {
  title: 'Attaché',
  body: `      <h1>Attaché</h1>
      <p>This service takes the files of people, brings them to agents and their models, and keeps what agents give back. Programs use it over HTTP.</p>
${links}`,
};

const missingPage = {
  title: 'Not found – Attaché',
  body: `      <h1>There is no such page</h1>
      <p>Check the address, or begin here:</p>
${links}`,
};

/** Lists the addresses of the service at its root: as a page for browsers, as JSON for everybody else. */
export function addRootPage(app: HttpApp, basePath: string): void {
  const places = { api: basePath, reference: '/docs', openapi: '/openapi.json' };
  app.get('/', (c) => {
    if (prefersHtml(c)) return htmlResponse(rootPage, { vary: NEGOTIATED });
    return c.json({ name: 'Attaché', ...places }, 200, { vary: NEGOTIATED });
  });
}

/** The page at an address where nothing is. It does not repeat the address. */
export const notFoundPage = (): Response =>
  htmlResponse(missingPage, { status: 404, cacheControl: 'no-store', vary: NEGOTIATED });

// A clip that holds a sheet.
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
  <rect width="32" height="32" rx="7" fill="#1f4e79"/>
  <path d="M20 9v12a4 4 0 0 1-8 0V10a2.5 2.5 0 0 1 5 0v10.5a1 1 0 0 1-2 0V11" fill="none" stroke="#fff" stroke-width="2" stroke-linecap="round"/>
</svg>
`;

/** The icon of all pages. Browsers that ask for the old name get the same picture. */
export function addIcon(app: HttpApp): void {
  const headers = {
    'content-type': 'image/svg+xml',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'x-content-type-options': 'nosniff',
    'cache-control': 'public, max-age=86400',
  };
  for (const path of ['/favicon.svg', '/favicon.ico']) app.get(path, () => new Response(icon, { headers }));
}
