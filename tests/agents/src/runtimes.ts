import type { profileSchema } from '@attache/contracts';
import type { ProgramTrial } from '@attache/programs/program-trial';
import { triedPrograms } from '@attache/programs/tried-programs';

export type ProfileInput = (typeof profileSchema)['_input'];

/** A real program as it is driven here. */
export type RuntimeUnderTest = ProgramTrial & {
  /** Name of its profile. */
  key: string;
  /** The name of the program in its package. */
  program: string;
  runtime: ProfileInput['runtime'];
  args: readonly string[];
};

/** The keys of all programs that are driven. */
export const keysUnderTest: readonly string[] = triedPrograms.map(({ profile }) => profile.name);

/** Every program that is tried with a stub of its model's API. */
export function loadRuntimes(): Promise<RuntimeUnderTest[]> {
  return Promise.all(
    triedPrograms.map(async ({ profile, package: pinned, runtime, loadTrial }) => {
      const [, ...args] = profile.command;
      return { key: profile.name, program: pinned.key, runtime, args, ...(await loadTrial()) };
    }),
  );
}

const everything = { image: true, pdf: true, text: true, audio: true };
const wordsOnly = { image: false, pdf: false, text: true, audio: false };

/** OpenCode took more than 30 seconds to start on a loaded machine. */
const START_MS = 90_000;

const capabilities = { everything, text: wordsOnly, unstated: undefined };

/** The profile of a runtime, pointed at a stub; with a model that takes every kind, or only text, or of which the catalog alone speaks. */
export function profileOf(
  { runtime, args, listed, ...trial }: RuntimeUnderTest,
  program: string,
  stubUrl: string,
  ability: keyof typeof capabilities,
): ProfileInput {
  const { api, provider, model } = (ability === 'unstated' ? listed : undefined) ?? trial;
  const isVersioned = api === 'openai-responses' || api === 'openai-chat';
  return {
    runtime,
    command: [program, ...args],
    ...{ provider, model },
    endpoint: { api, baseUrl: isVersioned ? `${stubUrl}/v1` : stubUrl, apiKey: 'env:STUB_KEY' },
    capability: capabilities[ability],
    limits: { startMs: START_MS },
  };
}
