import { readFile } from 'node:fs/promises';
import { rolldown } from 'rolldown';

export type PageFile = { type: string; body: string | Buffer };
export type PageFiles = ReadonlyMap<string, PageFile>;

/** The source of a page: an entry in TypeScript, which finds an element `#root`, and stylesheets, each as an absolute path. */
export type PageSource = {
  entry: string;
  stylesheets?: readonly string[];
  /** Language and direction of the page. */
  lang?: string;
  dir?: 'ltr' | 'rtl';
  /** Development builds of libraries warn about wrong uses, and React runs every effect twice in its strict mode. */
  mode?: 'production' | 'development';
  /** Modules in the place of others, by name. */
  alias?: Record<string, string>;
};

/** Bundles the entry, and returns the files of a page by their names; the page itself has the empty one. */
export async function bundlePage({
  entry,
  stylesheets = [],
  lang = 'en',
  dir = 'ltr',
  mode = 'production',
  alias = {},
}: PageSource): Promise<PageFiles> {
  const bundle = await rolldown({
    input: entry,
    platform: 'browser',
    resolve: { alias },
    // Such a directive is for frameworks that render on a server.
    onLog: (level, log, handle) => log.code !== 'MODULE_LEVEL_DIRECTIVE' && handle(level, log),
    transform: { define: { 'process.env.NODE_ENV': JSON.stringify(mode) }, jsx: { development: false } },
  });
  const { output } = await bundle.generate({ format: 'esm', entryFileNames: 'page.js', chunkFileNames: '[name].js' });
  await bundle.close();
  const scripts = output.flatMap((each): [string, PageFile][] =>
    each.type === 'chunk' ? [[each.fileName, { type: 'text/javascript', body: each.code }]] : [],
  );
  const styles = await Promise.all(
    stylesheets.map(async (path, index): Promise<[string, PageFile]> => {
      return [`${index}.css`, { type: 'text/css', body: await readFile(path) }];
    }),
  );
  const links = styles.map(([name]) => `<link rel="stylesheet" href="${name}">`).join('');
  const body = `<!doctype html>
<html lang="${lang}" dir="${dir}"><head><meta charset="utf-8"><title>Test page</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">${links}</head>
<body><main id="root"></main><script type="module" src="page.js"></script></body></html>
`;
  return new Map([['', { type: 'text/html; charset=utf-8', body }], ...scripts, ...styles]);
}
