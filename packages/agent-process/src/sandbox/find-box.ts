import { fileURLToPath } from 'node:url';

// Each is named in full, so that a bundle takes it in.
const programs: Readonly<Record<string, URL>> = {
  arm64: new URL('../../native/arm64/attache-box', import.meta.url),
  x64: new URL('../../native/x64/attache-box', import.meta.url),
};

/** The program that is the first process of a sandbox, built for `architecture`; undefined where there is none for it. */
export function findBox(architecture: string = process.arch): string | undefined {
  const program = programs[architecture];
  return program && fileURLToPath(program);
}
