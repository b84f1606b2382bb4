import type { Command } from 'commander';
import { forPrograms, type Options, run } from './operator-command.ts';

type RowOptions = Options & { program?: string; provider?: string; kind: string };
type Contradict = RowOptions & { programVersion: string; reason: string };

/** `attache capability`. */
export function addCapabilityCommands(program: Command): void {
  const capability = program
    .command('capability')
    .description('say that a program does not carry what it was known to');
  ofRow(capability.command('contradict'))
    .description('let no plan of any tenant send a kind to a program as it is')
    .requiredOption('--program-version <version>', 'of which it was seen; another one ends it')
    .requiredOption('--reason <text>', 'why; callers see it as evidence')
    .action((runtime: string, { json, ...request }: Contradict) =>
      run('capability.contradict', { runtime, ...request }, { json: json === true }),
    );
  ofRow(capability.command('restore'))
    .description('let the catalog hold again')
    .option('--tenant <name>', 'end what the turns of this tenant showed, and count them again')
    .action((runtime: string, { json, ...request }: RowOptions & { tenant?: string }) =>
      run('capability.restore', { runtime, ...request }, { json: json === true }),
    );
  forPrograms(capability.command('list'))
    .description('list what holds against the catalog for all tenants')
    .option('--tenant <name>', 'for this tenant')
    .action(({ json, ...request }: Options & { tenant?: string }) =>
      run('capability.list', request, { json: json === true }),
    );
}

const ofRow = (command: Command): Command =>
  forPrograms(command.argument('<runtime>'))
    .option('--program <name>', 'where programs of the runtime differ')
    .option('--provider <name>', 'where providers of the program differ')
    .requiredOption('--kind <kind>', 'image, document, text, audio or video');
