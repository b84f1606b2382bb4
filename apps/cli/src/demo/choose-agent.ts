import { resolveProgram } from '@attache/agent-process';
import type { Profile } from '@attache/contracts';
import { nameWellKnownProgram } from '@attache/process-setup';
import type { StandaloneConfig } from '@attache/standalone';
import { exitCodes } from '../exit-codes.ts';

/** A real agent that the demo is shown with. */
export type DemoAgent = { profile: string; model: string | undefined; offered: Profile };

/** `sentence` says what is missing and what to do. */
export type Choice =
  | { status: 'chosen'; agent: DemoAgent }
  | { status: 'not-there'; exitCode: number; sentence: string };

type Offered = Pick<StandaloneConfig, 'profiles' | 'bundledPrograms' | 'inherited'>;

/** Models that are taken if neither the person nor the profile names one, by provider. */
const usualModels: Readonly<Record<string, string>> = {
  anthropic: 'claude-sonnet-5',
  openai: 'gpt-5.5',
  google: 'gemini-2.5-pro',
};

/** The agent of a profile that is offered and whose program is there. */
export async function chooseAgent(offered: Offered, name: string, model: string | undefined): Promise<Choice> {
  const { profiles } = offered;
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile === undefined) return explainAbsence(Object.keys(profiles), name);
  const [program = ''] = profile.command;
  if (!(await isThere(offered, profile))) {
    const sentence = `${program}, the program of the profile ${name}, is not there. Install it, or name its absolute path in the profile.`;
    return { status: 'not-there', exitCode: exitCodes.dependencyDown, sentence };
  }
  return {
    status: 'chosen',
    agent: { profile: name, model: model ?? profile.model ?? usualModelOf(profile), offered: profile },
  };
}

function explainAbsence(offered: readonly string[], name: string): Choice {
  const program = nameWellKnownProgram(name);
  if (program === undefined) {
    const sentence = `There is no profile ${name}. Name one of: ${offered.join(', ')}.`;
    return { status: 'not-there', exitCode: exitCodes.usage, sentence };
  }
  const sentence = `${program} is not on PATH. Install it, or name its absolute path in the file of ATTACHE_PROFILES, as a profile ${name}.`;
  return { status: 'not-there', exitCode: exitCodes.dependencyDown, sentence };
}

async function isThere({ bundledPrograms, inherited }: Offered, { command, env }: Profile): Promise<boolean> {
  const [program = ''] = command;
  if (Object.hasOwn(bundledPrograms, program)) return true;
  return (await resolveProgram(program, env.PATH ?? inherited.PATH)) !== undefined;
}

function usualModelOf({ provider = '' }: Profile): string | undefined {
  return Object.hasOwn(usualModels, provider) ? usualModels[provider] : undefined;
}
