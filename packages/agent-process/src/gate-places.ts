import path from 'node:path';
import type { DrivenRuntime } from '@attache/contracts';

/** Where the calls of an agent's own tools are asked about, as it was seen. Attaché's MCP server checks its calls itself, whatever the runtime. */
export type GatePlace = {
  place: string;
  coversEveryCall: boolean;
  /** What passes it by, or is particular about it. */
  note: string;
};

const runtimes: Record<Exclude<DrivenRuntime, 'acp'>, GatePlace> = {
  'claude-stream-json': {
    place: 'the PreToolUse callback of the control protocol',
    coversEveryCall: true,
    note: 'It comes before every call, with the arguments, whatever the permission mode would let pass.',
  },
  'codex-app-server': {
    place: 'approvals under the policy `untrusted`',
    coversEveryCall: false,
    note: 'Every shell command and every change of a file asks; `view_image` and the tools of MCP servers of its own home run without.',
  },
};

const asks = 'session/request_permission';

/** Programs of the Agent Client Protocol, by the name of the program. */
const acpPrograms: Readonly<Record<string, GatePlace>> = {
  'attache-example-agent': {
    place: 'its socket',
    coversEveryCall: true,
    note: 'It has no tools but those of its socket, which checks every call.',
  },
  'claude-agent-acp': {
    place: `\`${asks}\`, with settings that make its tools ask`,
    coversEveryCall: false,
    note: 'Bash, Read, Edit, Write, NotebookEdit, Glob, Grep, WebFetch, WebSearch, Task and MCP tools ask; tools that only keep its own notes do not.',
  },
  'codex-acp': {
    place: `\`${asks}\`, where a call wants out of its read-only sandbox`,
    coversEveryCall: false,
    note: 'What only reads runs without asking. A refused call ends the turn.',
  },
  gemini: {
    place: `\`${asks}\`, with a policy that makes every tool ask`,
    coversEveryCall: true,
    note: 'A request has the title of the call and not its arguments: what the title leaves out is not judged.',
  },
  opencode: {
    place: `\`${asks}\`, with the permission \`"*": "ask"\``,
    coversEveryCall: true,
    note: 'A refused call ends the turn.',
  },
};

const otherAcpProgram: GatePlace = {
  place: `\`${asks}\``,
  coversEveryCall: false,
  note: 'It is asked about whatever the program chooses to ask about.',
};

/** Where the gate of a profile sits. */
export function findGatePlace(runtime: DrivenRuntime, command: readonly string[]): GatePlace {
  if (runtime !== 'acp') return runtimes[runtime];
  const names = command.map((word) => path.parse(word).name);
  const known = names.find((name) => Object.hasOwn(acpPrograms, name));
  return (known === undefined ? undefined : acpPrograms[known]) ?? otherAcpProgram;
}
