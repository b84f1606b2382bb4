import { basename } from 'node:path';
import { listPublished } from './list-published.ts';
import { packCli } from './pack-cli.ts';
import { packLibrary } from './pack-library.ts';

export type PackedArchive = { name: string; version: string; archive: string };

/** Packs every package that anybody may install into `out`, each after those of ours that it needs. */
export async function packPublished(root: string, out: string): Promise<PackedArchive[]> {
  const packed: PackedArchive[] = [];
  for (const { folder, manifest, isBundled } of listPublished(root)) {
    const archive = isBundled ? await packCli({ root, out }) : packLibrary({ root, out, name: basename(folder) });
    packed.push({ name: manifest.name, version: manifest.version, archive });
  }
  return packed;
}
