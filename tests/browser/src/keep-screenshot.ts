import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

/** The folder of this run's screenshots; git ignores it. */
export const screenshotFolder = fileURLToPath(new URL('../../../dist/browser', import.meta.url));

/** Keeps a picture of the whole page as `<name>.png`. Returns its bytes. */
export const keepScreenshot = (page: Page, name: string): Promise<Buffer> =>
  page.screenshot({ path: join(screenshotFolder, `${name}.png`), fullPage: true });
