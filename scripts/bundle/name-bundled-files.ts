import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin, PluginContext } from 'rolldown';

const URL_OF_FILE = /new URL\(\s*'(\.[^']*)',\s*import\.meta\.url,?\s*\)/g;
const URL_IN_PACKAGE = /new URL\(\s*'(\.[^']*)',\s*import\.meta\.resolve\(\s*'([^']+)',?\s*\),?\s*\)/g;
const RESOLVED_NAME = /import\.meta\.resolve\(\s*'([^']+)',?\s*\)/g;
const LEFT_OVER = /import\.meta\.(?:url|resolve)\b/;
// Replaces `import.meta.url` until what is left over has been looked for.
const HERE = '__here__';

/**
 * Takes files that our code names by URL into the bundle: a program becomes a file of its own next to the others, an asset or a folder is
 * copied. All output lies in one folder, so that a name relative to the module that asks is right whichever file that ends up in.
 * A use of `import.meta.url` that is not a plain `new URL('<path>', import.meta.url)` fails the build.
 */
export function nameBundledFiles(root: string): Plugin {
  const isOurs = (id: string) => id.startsWith(root) && !id.includes('/node_modules/');
  return {
    name: 'name-bundled-files',
    transform: {
      filter: { code: LEFT_OVER },
      handler(code, id) {
        if (!isOurs(id)) return undefined;
        const take = (path: string) => `./${takeIn(this, root, path)}`;
        const locate = (specifier: string) => createRequire(pathToFileURL(id)).resolve(specifier);
        const rewritten = code
          .replace(URL_OF_FILE, (_, path: string) => `new URL('${take(resolve(dirname(id), path))}', ${HERE})`)
          .replace(
            URL_IN_PACKAGE,
            (_, path: string, name: string) => `new URL('${take(resolve(dirname(locate(name)), path))}', ${HERE})`,
          )
          .replace(RESOLVED_NAME, (_, name: string) => `new URL('${take(locate(name))}', ${HERE}).href`);
        if (LEFT_OVER.test(rewritten)) {
          throw new Error(
            `${relative(root, id)} names a file in a way that cannot be bundled: use new URL('<path>', import.meta.url).`,
          );
        }
        return rewritten.replaceAll(HERE, 'import.meta.url');
      },
    },
  };
}

/** Adds a program, an asset or a folder to the output; answers its path there. */
function takeIn(context: PluginContext, root: string, path: string): string {
  const name = nameOf(root, path);
  if (statSync(path).isDirectory()) {
    for (const entry of readdirSync(path)) takeIn(context, root, join(path, entry));
    return name;
  }
  if (path.endsWith('.ts')) {
    const fileName = `${name.replace(/\.ts$/, '').replaceAll('/', '-')}.js`;
    context.emitFile({ type: 'chunk', id: path, fileName });
    return fileName;
  }
  context.emitFile({ type: 'asset', fileName: name, originalFileName: path, source: readFileSync(path) });
  return name;
}

// `packages/media/src/worker/main.ts` is `media/worker/main.ts`; a file of an installed package begins with the package's name.
function nameOf(root: string, path: string): string {
  const installed = path.lastIndexOf('/node_modules/');
  if (installed >= 0) return path.slice(installed + '/node_modules/'.length);
  return relative(root, path)
    .replace(/^(packages|services|apps)\//, '')
    .replace(/^([^/]+)\/src\//, '$1/');
}
