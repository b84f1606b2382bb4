import { programs } from '@attache/programs';
import type { Command } from 'commander';
import type { OpenPlace } from './run-demo.ts';

type DemoFlags = { textOnlyModel?: boolean; profile?: string; model?: string };

/** `place` is a stack for it; the embedded one without. `onEnd` gets its exit code. */
export function addDemoCommand(
  program: Command,
  place: OpenPlace | undefined,
  onEnd: (exitCode: number) => void,
): void {
  program
    .command('demo')
    .description('the main job on a real file: upload, delivery to an agent, its answer, the trace')
    .argument('[file]', 'a picture or a PDF; one of each is drawn without it')
    .option('--text-only-model', 'a model that takes text alone: it refuses a picture, and gets the text of a PDF')
    .option(
      '--profile <profile>',
      `a real agent in the place of the example agent: ${listProfiles()}, or one of your own`,
    )
    .option('--model <model>', 'another model than that of its profile')
    .action(async (file: string | undefined, { textOnlyModel: isTextOnly = false, profile, model }: DemoFlags) => {
      const { runDemo } = await import('./run-demo.ts');
      onEnd(await runDemo({ file, isTextOnly, profile, model }, place));
    });
}

const listProfiles = (): string =>
  programs.flatMap(({ profile, isBundled }) => (profile === undefined || isBundled ? [] : [profile.name])).join(', ');
