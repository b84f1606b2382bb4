import { programs } from '@attache/programs';

/** Files that may name programs of agents, and why. */
export const namingFiles: readonly { path: string; why: string }[] = [
  { path: 'packages/contracts/src/session/target.ts', why: 'names of runtimes are part of the public surface' },
  {
    path: 'packages/domain/src/catalog/model-rows.ts',
    why: 'models have names of their own, and some of them those of programs',
  },
];

const products = ['Claude Code', 'Codex', 'OpenCode', 'Gemini CLI', 'Gemini'];
// A model is no program.
const MODEL = '(?!-(?:\\d|sonnet|opus|haiku|fable))';

const names = [...new Set(programs.flatMap(namesOf))].sort((a, b) => b.length - a.length);
const NAMED = new RegExp(
  `(?<![\\w@/.-])(?:${[...names, ...products].map(escapeName).join('|')})(?![\\w])${MODEL}`,
  'g',
);

/** The programs that a text names, comments included. The bundled agent is ours, and `acp` a protocol of many. */
export function findProgramNames(text: string): string[] {
  return [...new Set(text.match(NAMED) ?? [])];
}

function namesOf({ name, runtime, profile, package: pinned, isBundled }: (typeof programs)[number]): string[] {
  if (isBundled) return [];
  return [name, profile?.name, pinned?.key, pinned?.npmPackage, runtime].flatMap((each) =>
    each === undefined || each === 'acp' ? [] : [each],
  );
}

function escapeName(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
