import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGES = ['latin', 'arabic', 'hebrew', 'sc', 'jp'].map((script) => `@embedpdf/fonts-${script}`);

/** Writes a configuration of fontconfig that knows the fonts of the packages and no other, so that pages look the same on every machine. Returns its path. */
export async function writeFontsFile(folder: string): Promise<string> {
  const fonts = PACKAGES.map((name) => fileURLToPath(new URL('../fonts', import.meta.resolve(name))));
  const path = join(folder, 'browser-fonts.conf');
  await writeFile(
    path,
    `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
${fonts.map((each) => `  <dir>${each}</dir>`).join('\n')}
  <cachedir>${join(folder, 'browser-fonts')}</cachedir>
  <alias><family>sans-serif</family><prefer><family>Noto Sans</family></prefer></alias>
  <alias><family>serif</family><prefer><family>Noto Sans</family></prefer></alias>
  <alias><family>monospace</family><prefer><family>Noto Sans</family></prefer></alias>
</fontconfig>
`,
  );
  return path;
}
