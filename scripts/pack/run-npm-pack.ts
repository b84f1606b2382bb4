import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Packs a folder as npm does, without a registry. Returns the path of the archive, which lies in `out`. */
export function runNpmPack(folder: string, out: string): string {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', out];
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm pack failed in ${folder}: ${stderr}`);
  const packed: unknown = JSON.parse(stdout);
  const [first] = (Array.isArray(packed) ? packed : Object.values(packed as object)) as { filename: string }[];
  if (first === undefined) throw new Error(`npm pack made nothing of ${folder}`);
  return join(out, first.filename);
}
