import type { AgentSpec } from '../driver.ts';

/** A value that begins as a flag would be read as one, whatever is before it. Callers' names were refused long before. */
export function refuseFlags({ model, resumeReference }: AgentSpec): string | undefined {
  const isFlag = [model, resumeReference].some((value) => value?.startsWith('-'));
  return isFlag ? 'its model or its conversation has a name that begins with a dash' : undefined;
}
