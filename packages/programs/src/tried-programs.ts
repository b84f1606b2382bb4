import type { Runtime } from '@attache/contracts';
import type { Program, ProgramPackage, WellKnownProfile } from './program.ts';
import { programs } from './programs.ts';

/** A program that is tried with a stub of its model's API. */
export type TriedProgram = {
  runtime: Runtime;
  profile: WellKnownProfile;
  package: ProgramPackage;
  loadTrial: NonNullable<Program['loadTrial']>;
};

export const triedPrograms: readonly TriedProgram[] = programs.flatMap((program) => {
  const { runtime, profile, package: pinned, loadTrial } = program;
  return profile && pinned && loadTrial ? [{ runtime, profile, package: pinned, loadTrial }] : [];
});
