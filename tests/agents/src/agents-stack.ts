import { rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FoundAgent, findAgents } from '@attache/infra/agents/find-agents';
import { cacheFolderOf } from '@attache/infra/native/build/find-or-build-server';
import { type Api, copyTemplateFolder, type OtlpReceiver, spawnStack, startOtlpReceiver } from '@attache/test-harness';
import { loadRuntimes, type ProfileInput, profileOf, type RuntimeUnderTest } from './runtimes.ts';
import { type ModelStub, startModelStub } from './stub/model-stub.ts';

/** The embedded stack in a process of its own, with one program in its profiles, and the model behind them. */
export type AgentsStack = {
  api: Api;
  dataDir: string;
  stub: ModelStub;
  /** The collector of its spans. */
  otlp: OtlpReceiver;
  /** Lines of its log that say this. */
  logged(message: string): Record<string, unknown>[];
  stop(): Promise<void>;
};

export type InstalledRuntime = RuntimeUnderTest & { installed: FoundAgent };

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The runtimes whose programs are installed; of those that ATTACHE_TEST_AGENTS names, if it names any. If all must be there, a
 * missing one is an error.
 */
export async function listInstalled(environment: Environment): Promise<InstalledRuntime[]> {
  const wanted = environment.ATTACHE_TEST_AGENTS?.split(',');
  const { found, missing } = await findAgents({ cacheFolder: cacheFolderOf(environment) });
  if (environment.CI === 'true' && missing.length > 0) throw new Error(missing.map(({ why }) => why).join('\n'));
  return (await loadRuntimes())
    .filter(({ key }) => wanted === undefined || wanted.includes(key))
    .flatMap((runtime) => {
      const installed = found.find(({ name }) => name === runtime.program);
      return installed === undefined ? [] : [{ ...runtime, installed }];
    });
}

// Some programs try again after a refusal, and more than twenty calls of one turn took 20 seconds on a loaded machine.
const turnMs = 120_000;
// A test waits for the end of both. On a loaded machine a program's start and first turn together took 49 seconds, and what comes
// between two turns takes one.
const limitsOfResting = { turnMs: 30_000, idleStopMs: 5_000 };

/** The key of the model API: agents have none of it. */
export const STUB_KEY = 'sk-test-key-of-the-stub';
export const secretVariables = { STUB_KEY, TRIAL_SECRET: 'trial-secret-of-nobody' };

/** The secrets that the profiles give their agents, besides their token. */
export const secretsOfProfiles: readonly string[] = Object.values(secretVariables);

/** `<key>`; `<key>-text`, whose model takes only text; `<key>-plain`, whose model is in the catalog and nowhere else; `<key>-resting`, whose process ends after a short rest; `<key>-deny`; `<key>-open`, without a sandbox; `<key>-wrapped`, resting and in an operator's wrapper. */
export type ProfileSuffix = '' | '-text' | '-plain' | '-resting' | '-deny' | '-open' | '-wrapped';

const wrapper = fileURLToPath(import.meta.resolve('@attache/agent-process/wrap.sh'));
const sandboxes: Partial<Record<ProfileSuffix, ProfileInput['sandbox']>> = {
  '-open': { mode: 'none' },
  '-wrapped': { mode: 'command', command: [wrapper, '--write={folder}', '--read={socket}', '--read={readOnly}', '--'] },
};

const abilities: Partial<Record<ProfileSuffix, 'text' | 'unstated'>> = { '-text': 'text', '-plain': 'unstated' };

export function composeProfile(runtime: InstalledRuntime, stubUrl: string, suffix: ProfileSuffix): ProfileInput {
  const profile = profileOf(runtime, runtime.installed.program, stubUrl, abilities[suffix] ?? 'everything');
  const secretEnv = { TRIAL_SECRET: 'env:TRIAL_SECRET' };
  const permissionMode = suffix === '-deny' ? 'deny' : 'gated';
  const isResting = suffix === '-resting' || suffix === '-wrapped';
  const limits = { ...profile.limits, ...(isResting ? limitsOfResting : { turnMs }) };
  return { ...profile, secretEnv, permissionMode, sandbox: sandboxes[suffix], limits };
}

/** Offers only these profiles of a program: a stack starts some programs once for each, to ask what they take. */
export async function openAgentsStack(
  runtime: InstalledRuntime,
  suffixes: readonly ProfileSuffix[],
): Promise<AgentsStack> {
  const stub = await startModelStub();
  const dataDir = await copyTemplateFolder();
  const profilesFile = join(dataDir, 'profiles.json');
  const named = suffixes.map((suffix) => [`${runtime.key}${suffix}`, composeProfile(runtime, stub.url, suffix)]);
  await writeFile(profilesFile, JSON.stringify({ profiles: Object.fromEntries(named) }));
  const otlp = await startOtlpReceiver();
  const running = await spawnStack(dataDir, {
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: otlp.url, OTEL_BSP_SCHEDULE_DELAY: '500' },
    ...{ ATTACHE_PROFILES: profilesFile, ...secretVariables },
    // As an operator's: a program that writes there leaves something behind.
    HOME: homedir(),
  });
  return {
    ...{ api: running.api, dataDir, stub, otlp },
    logged: (message) =>
      running
        .log()
        .split('\n')
        .flatMap(readLogLine)
        .filter(({ msg }) => msg === message),
    async stop() {
      await running.end('SIGTERM');
      await stub.stop();
      await otlp.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

function readLogLine(line: string): Record<string, unknown>[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}
