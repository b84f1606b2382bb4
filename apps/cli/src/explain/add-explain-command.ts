import type { Command } from 'commander';
import type { ExplainOptions } from './run-explain.ts';

export function addExplainCommand(program: Command, onEnd: (exitCode: number) => void): void {
  program
    .command('explain')
    .description('what a target would get of a file, and why; nothing is sent')
    .argument('<file>', 'any file')
    .option('--profile <profile>', 'a profile that is offered here')
    .option('--model <model>', 'a model other than the profile’s own')
    .option('--all', 'every profile, and every way to a model that the catalog knows')
    .option('--json', 'for programs')
    .action(async (file: string, options: ExplainOptions) => {
      const { runExplain } = await import('./run-explain.ts');
      onEnd(await runExplain(file, options));
    });
}
