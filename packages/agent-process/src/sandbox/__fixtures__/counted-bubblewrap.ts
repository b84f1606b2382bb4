import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The machine's bubblewrap behind a script that counts its trials, and refuses where a test says so. */
export function countBubblewrap(root: string) {
  const [bin, trials, refused] = ['bin', 'trials', 'refused'].map((name) => path.join(root, name)) as [
    ...[string, string, string],
  ];
  mkdirSync(bin);
  chmodSync(root, 0o755);
  writeFileSync(trials, '');
  chmodSync(trials, 0o666);
  const script = [
    '#!/bin/sh',
    `case "$*" in *"-- /bin/true") id -u >> ${trials};; esac`,
    `if [ -e ${refused} ]; then echo "bwrap: No permissions to create new namespace, likely because the kernel does not allow it." >&2; exit 1; fi`,
    'exec /usr/bin/bwrap "$@"',
  ].join('\n');
  writeFileSync(path.join(bin, 'bwrap'), script, { mode: 0o755 });
  return {
    PATH: `${bin}:${process.env.PATH ?? '/usr/bin:/bin'}`,
    /** The users of the trials, in order. */
    listTrials: () => readFileSync(trials, 'utf8').split('\n').filter(Boolean).map(Number),
    refuse: () => writeFileSync(refused, '', { mode: 0o644 }),
    allow: () => rmSync(refused),
  };
}
