import type { HttpApp } from './context.ts';

/** Says where things are, for whoever opens the address of the service. */
export function addRootPage(app: HttpApp, basePath: string): void {
  const places = { api: basePath, reference: '/docs', openapi: '/openapi.json' };
  app.get('/', (c) => c.json({ name: 'Attaché', ...places }));
}
