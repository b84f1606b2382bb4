import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** The versions that this repository is tried with, by package. */
export function readVersions(root: string): Readonly<Record<string, string>> {
  const { catalog } = parse(readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8'));
  return catalog;
}
