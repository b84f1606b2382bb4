import { styleText } from 'node:util';
import type { Finding } from './finding.ts';

const signs = { ok: ['✓', 'green'], warning: ['!', 'yellow'], failed: ['✗', 'red'] } as const;

/** One line per finding, and under those that are not well what to do. */
export function formatFindings(findings: readonly Finding[]): string[] {
  const width = Math.max(...findings.map(({ name }) => name.length));
  return findings.flatMap(({ name, state, detail, fix }) => {
    const [sign, colour] = signs[state];
    const line = `${styleText(colour, sign, { stream: process.stdout })} ${name.padEnd(width)}  ${detail}`;
    return fix === undefined || state === 'ok' ? [line] : [line, `${' '.repeat(width + 4)}→ ${fix}`];
  });
}
