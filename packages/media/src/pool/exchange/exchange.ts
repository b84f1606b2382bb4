import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ExchangeFolders, Layer, MediaSandbox } from './media-sandbox.ts';
import { openLinks } from './open-links.ts';
import { openOwned } from './open-owned.ts';

export type Exchange = ExchangeFolders & {
  lay: Layer;
  /** When the worker is gone. */
  remove(): void;
};

/** Makes the folders of one worker. */
export function openExchange({
  exchangeFolder,
  places,
  user,
}: Pick<MediaSandbox, 'exchangeFolder' | 'places' | 'user'>): Exchange {
  const folder = join(exchangeFolder, randomUUID());
  const folders = { inFolder: join(folder, 'in'), outFolder: join(folder, 'out') };
  const lay = user === undefined ? openLinks(folders, places) : openOwned(folder, folders, places, user);
  return { ...folders, lay, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
