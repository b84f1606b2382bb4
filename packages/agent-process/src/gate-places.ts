import path from 'node:path';
import type { DrivenRuntime } from '@attache/contracts';

/** Where the calls of an agent's own tools are asked about, as it was seen. Attaché's MCP server checks its calls itself, whatever the runtime. */
export type GatePlace = {
  place: string;
  coversEveryCall: boolean;
  /** What passes it by, or is particular about it. */
  note: string;
  /** The commands and tools that were seen to run although they named another session's file; empty where none did, or none was tried. */
  runsAnyway: readonly string[];
  /** By what `deny` leaves the program no tool of its own, as it was tried; absent where nothing is known to. */
  denial?: string;
};

const runtimes: Record<Exclude<DrivenRuntime, 'acp'>, GatePlace> = {
  'claude-stream-json': {
    place: 'the PreToolUse callback of the control protocol',
    coversEveryCall: true,
    note: 'It comes before every call, with the arguments, whatever the permission mode would let pass.',
    runsAnyway: [],
    denial: 'an empty list of tools',
  },
  'codex-app-server': {
    place: 'approvals under the policy `untrusted`',
    coversEveryCall: false,
    note: 'Every shell command and every change of a file asks; `view_image`, plans and goals, and the tools of MCP servers of its own home run without.',
    runsAnyway: ['view_image'],
    denial: 'no environment to run in, and its features switched off',
  },
};

const asks = 'session/request_permission';

/** Programs of the Agent Client Protocol, by the name of the program. */
const acpPrograms: Readonly<Record<string, GatePlace>> = {
  'attache-example-agent': {
    place: 'its socket',
    coversEveryCall: true,
    note: 'It has no tools but those of its socket, which checks every call.',
    runsAnyway: [],
    denial: 'nothing: it has none',
  },
  'claude-agent-acp': {
    place: `\`${asks}\`, with settings that make its tools ask`,
    coversEveryCall: false,
    note: 'Bash, Read, Edit, Write, NotebookEdit, Glob, Grep, WebFetch, WebSearch, Task, Monitor and MCP tools ask; its plans, schedules and worktrees do not.',
    runsAnyway: [],
    denial: 'an empty list of tools',
  },
  'codex-acp': {
    place: `\`${asks}\`, where a call wants out of its read-only sandbox`,
    coversEveryCall: false,
    note: 'Every command runs inside it without asking, and so does `view_image`: whatever its account may read, it reads. A refused call ends the turn.',
    runsAnyway: [
      'cat',
      'head',
      'tail',
      'grep',
      'sed',
      'awk',
      'sort',
      'nl',
      'tac',
      'cut',
      'echo "$(cat …)"',
      'ls',
      'ls … && cat …',
      'find',
      'git',
      'sh -c',
      'bash -lc',
      'env cat',
      'xargs …; cat < …',
      'view_image',
    ],
    denial: 'no environment to run in, and its features switched off',
  },
  gemini: {
    place: `\`${asks}\`, with a policy that makes its tools ask`,
    coversEveryCall: false,
    note: 'Shell commands that it takes for safe run without, also behind `bash -lc`. A request has the title of the call and not its arguments: what the title leaves out is not judged.',
    runsAnyway: ['cat', 'head', 'tail', 'grep', 'nl', 'tac', 'cut', 'ls', 'bash -lc'],
    denial: 'a policy that takes every tool away but those of Attaché',
  },
  opencode: {
    place: `\`${asks}\`, with the permission \`"*": "ask"\``,
    coversEveryCall: true,
    note: 'A refused call ends the turn.',
    runsAnyway: [],
    denial: 'the permission `"*": "deny"`',
  },
};

const otherAcpProgram: GatePlace = {
  place: `\`${asks}\``,
  coversEveryCall: false,
  note: 'It is asked about whatever the program chooses to ask about.',
  runsAnyway: [],
};

/** Where the gate of a profile sits. */
export function findGatePlace(runtime: DrivenRuntime, command: readonly string[]): GatePlace {
  if (runtime !== 'acp') return runtimes[runtime];
  const names = command.map((word) => path.parse(word).name);
  const known = names.find((name) => Object.hasOwn(acpPrograms, name));
  return (known === undefined ? undefined : acpPrograms[known]) ?? otherAcpProgram;
}
