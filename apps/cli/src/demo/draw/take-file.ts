import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { Fault } from '@attache/contracts';
import { nameMediaType } from '@attache/domain';
import { invokedFrom } from '../../config.ts';
import { drawDocument } from './draw-document.ts';
import { drawPicture } from './draw-picture.ts';

export type DemoFile = { name: string; bytes: Uint8Array; mimeType: string };

/** The files of the demo: a person's own file, or a picture and a document that are drawn. */
export type DemoFiles = { picture?: DemoFile; document?: DemoFile };

export async function takeFiles(file: string | undefined, isTextOnly: boolean): Promise<DemoFiles> {
  if (file !== undefined) {
    const own = await readOwn(file);
    return own.mimeType === 'application/pdf' ? { document: own } : { picture: own };
  }
  const picture = { name: 'evening.png', bytes: drawPicture(), mimeType: 'image/png' };
  if (isTextOnly) return { picture };
  return { picture, document: { name: 'walk.pdf', bytes: drawDocument(), mimeType: 'application/pdf' } };
}

async function readOwn(file: string): Promise<DemoFile> {
  try {
    const mimeType = nameMediaType(file) ?? 'application/octet-stream';
    // npm runs scripts in the package's folder; people mean the one they stand in.
    return { name: basename(file), bytes: await readFile(resolve(invokedFrom(), file)), mimeType };
  } catch (cause) {
    throw new Fault('INVALID_REQUEST', `The file ${file} cannot be read. Name a picture or a PDF that is there.`, {
      cause,
    });
  }
}
