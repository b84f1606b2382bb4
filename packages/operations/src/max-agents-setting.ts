import { integer } from './setting.ts';

/** Setting of whoever starts agents. */
export const maxAgentsSetting = integer({
  min: 1,
  max: 100_000,
  meaning:
    'How many agents may have a process at the same time; one that rests makes room for one that is needed. Without it, as many as there are 256 MiB of free memory for.',
});
