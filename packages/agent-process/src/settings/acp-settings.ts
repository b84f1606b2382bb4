import path from 'node:path';
import { rawMessages } from '../acp/raw-troubles.ts';
import { agentFolders } from '../agent-folders.ts';
import type { AgentSpec } from '../driver.ts';
import { type JsonRecord, recordOf } from '../messages/json-values.ts';
import { ATTACHE_TOOLS } from './attache-tools.ts';
import { claudeEnvironment } from './claude-settings.ts';
import { codexAcpFiles } from './codex-files.ts';
import { CODEX_PROVIDER, codexConfig, codexEnvironment } from './codex-settings.ts';
import { geminiSettings } from './gemini-settings.ts';
import { openCodeSettings } from './opencode-settings.ts';
import type { ProgramSettings } from './program-settings.ts';

/** What is known of a program beyond what it declares. */
export type ProgramTraits = {
  authMethod: string | undefined;
  isLoadable: boolean;
  /** Whether images and sound must go as resources. */
  embedsMedia: boolean;
  /** Whether a file that its provider refused goes out again with every later turn of the conversation. */
  resendsRefusedFiles: boolean;
  /** Whether a request for permission is about a tool of Attaché's MCP server, on the program's own word and not its model's. */
  isAboutAttache(toolCall: JsonRecord, told: ToldOfCall): boolean;
  /** What its sessions are opened with, beside the protocol. */
  metaOf(spec: Pick<AgentSpec, 'permissionMode'>): JsonRecord | undefined;
};

/** What a program says of a call beside the call itself. */
export type ToldOfCall = {
  /** Of the request. */
  meta: JsonRecord;
  /** The arguments, as an update before the request told them. */
  earlier: JsonRecord;
};

type AcpProgram = ProgramTraits & { settingsOf(spec: AgentSpec): ProgramSettings };

// Its own list of what needs no permission is longer: what only reads would run without asking.
const askedTools = [
  'Bash',
  'Read',
  'Edit',
  'Write',
  'Glob',
  'Grep',
  'NotebookEdit',
  'WebFetch',
  'WebSearch',
  'Task',
  'mcp__attache',
];

const OPENCODE_TITLE = new RegExp(`^attache_(${ATTACHE_TOOLS.join('|')})$`);

/** Programs of the Agent Client Protocol whose settings are known, by the name of the program. */
const programs: Readonly<Record<string, AcpProgram>> = {
  'claude-agent-acp': {
    authMethod: undefined,
    isLoadable: true,
    embedsMedia: false,
    resendsRefusedFiles: false,
    isAboutAttache: ({ _meta }) => recordOf(recordOf(recordOf(_meta).claudeCode).mcpServer).name === 'attache',
    metaOf: ({ permissionMode }) => {
      const denied = permissionMode === 'deny' ? { options: { tools: [], strictMcpConfig: true } } : {};
      return { claudeCode: { emitRawSDKMessages: rawMessages, ...denied } };
    },
    settingsOf: (spec) => {
      const base = claudeEnvironment(spec);
      const model = spec.model === 'default' ? {} : { ANTHROPIC_MODEL: spec.model };
      const file = path.join(agentFolders(spec.folder).config, 'settings.json');
      const files = [{ path: file, json: { permissions: { ask: askedTools } } }];
      return { ...base, env: { ...base.env, ...model }, args: [], files };
    },
  },
  'codex-acp': {
    authMethod: 'api-key',
    isLoadable: true,
    embedsMedia: false,
    resendsRefusedFiles: true,
    isAboutAttache: (_, { meta, earlier }) => meta.is_mcp_tool_approval === true && earlier.server === 'attache',
    metaOf: () => undefined,
    settingsOf: (spec) => {
      const base = codexEnvironment(spec);
      const provider = spec.endpoint === undefined ? {} : { MODEL_PROVIDER: CODEX_PROVIDER };
      const key = spec.endpoint?.apiKey === undefined ? {} : { CODEX_API_KEY: spec.endpoint.apiKey };
      const config = { CODEX_CONFIG: JSON.stringify(codexConfig(spec)), NO_BROWSER: '1' };
      // It asks only about what its sandbox does not let pass.
      const defaults = { ...base.defaults, INITIAL_AGENT_MODE: 'read-only', CODEX_ACP_PROMPT_SUGGESTIONS: 'false' };
      const env = { ...base.env, ...config, ...provider, ...key };
      return { ...base, defaults, env, args: [], files: codexAcpFiles(spec) };
    },
  },
  // Its `session/load` fails in a new process and empties what was stored (seen with 0.61.0).
  gemini: {
    authMethod: 'gemini-api-key',
    isLoadable: false,
    // Beside a resource, images and sound of the same prompt are lost without a word (seen with 0.61.0).
    embedsMedia: true,
    resendsRefusedFiles: false,
    // Its ids of calls begin with the name of the tool that will run.
    isAboutAttache: ({ toolCallId }) => String(toolCallId).startsWith('mcp_attache_'),
    metaOf: () => undefined,
    settingsOf: geminiSettings,
  },
  opencode: {
    authMethod: undefined,
    isLoadable: true,
    embedsMedia: false,
    resendsRefusedFiles: true,
    // A command has itself as its title, and says so in its arguments; a tool of a server has its name, and none.
    isAboutAttache: ({ kind, title, rawInput }) =>
      kind === 'other' && OPENCODE_TITLE.test(String(title)) && Object.keys(recordOf(rawInput)).length === 0,
    metaOf: () => undefined,
    settingsOf: openCodeSettings,
  },
};

const UNKNOWN_ENDPOINT =
  'its profile has an endpoint, but how this program is given one is not known: use env and secretEnv instead';

const unknownProgram: AcpProgram = {
  authMethod: undefined,
  isLoadable: true,
  embedsMedia: false,
  resendsRefusedFiles: false,
  isAboutAttache: () => false,
  metaOf: () => undefined,
  settingsOf: (spec) => ({
    defaults: {},
    env: {},
    args: [],
    files: [],
    homeFolder: agentFolders(spec.folder).home,
    refusal: spec.endpoint === undefined ? undefined : UNKNOWN_ENDPOINT,
  }),
};

function findProgram(command: readonly string[]): AcpProgram {
  const names = command.map((word) => path.parse(word).name);
  const known = names.find((name) => Object.hasOwn(programs, name));
  return (known === undefined ? undefined : programs[known]) ?? unknownProgram;
}

export const acpSettings = (spec: AgentSpec): ProgramSettings => findProgram(spec.command).settingsOf(spec);

export const traitsOfProgram = (command: readonly string[]): ProgramTraits => findProgram(command);
