import type { StackLimits } from '@attache/standalone';
import { Argument, Command, CommanderError } from 'commander';
import { addDemoCommand } from './demo/add-demo-command.ts';
import type { OpenPlace } from './demo/run-demo.ts';
import { exitCodes } from './exit-codes.ts';
import { addExplainCommand } from './explain/add-explain-command.ts';
import { explainError } from './explain-error.ts';
import { type HostedService, hostedServices } from './hosted-services.ts';
import { addOperatorCommands } from './operator/add-operator-commands.ts';
import { RELEASE } from './release.ts';

export type CliOptions = {
  /** A stack for the demo. */
  demoPlace?: OpenPlace | undefined;
  /** Limits of the stacks that it starts; the real ones without it. */
  limits?: StackLimits | undefined;
};

/** Runs one command; returns the exit code. Each command's code is loaded when it is called. */
export async function runCli(argv: readonly string[], { demoPlace, limits }: CliOptions = {}): Promise<number> {
  let exitCode: number = exitCodes.done;
  const program = new Command('attache')
    .description('Attachment infrastructure for AI-agent platforms.')
    .version(RELEASE)
    .exitOverride();
  program
    .command('start')
    .description('start the embedded stack, or one service of the hosted stack, and keep it running')
    .addArgument(new Argument('[service]', 'a service of the hosted stack').choices(hostedServices))
    .action(async (service: HostedService | undefined) => {
      if (service === undefined) return (await import('./start.ts')).start(limits);
      return (await import('./start-hosted.ts')).startHosted(service, limits);
    });
  program
    .command('migrate')
    .description('bring the database of the hosted stack to the newest schema; make its logins and its bucket')
    .action(async () => {
      const { migrate } = await import('./migrate.ts');
      await migrate();
    });
  const endWith = (code: number) => {
    exitCode = code;
  };
  addDemoCommand(program, demoPlace, endWith);
  addExplainCommand(program, endWith);
  program
    .command('doctor')
    .description('check every dependency, version, permission, clock and port, and every agent; say what to do')
    .option('--json', 'for programs')
    .option('--no-start', 'start no agent')
    .action(async (options: { json?: boolean; start: boolean }) => {
      const { runDoctor } = await import('./doctor/run-doctor.ts');
      exitCode = await runDoctor({ isJson: options.json === true, isStarting: options.start });
    });
  program
    .command('openapi')
    .description('print the OpenAPI document of the public HTTP surface')
    .action(async () => {
      const { describeOpenApi } = await import('@attache/standalone');
      process.stdout.write(`${JSON.stringify(describeOpenApi(), null, 2)}\n`);
    });
  addOperatorCommands(program);
  try {
    await program.parseAsync(argv);
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    const { message, exitCode: failedCode } = explainError(error);
    process.stderr.write(`${message}\n`);
    return failedCode;
  }
}
