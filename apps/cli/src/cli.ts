import { Argument, Command, CommanderError } from 'commander';
import type { OpenPlace } from './demo/run-demo.ts';
import { exitCodes } from './exit-codes.ts';
import { addExplainCommand } from './explain/add-explain-command.ts';
import { explainError } from './explain-error.ts';
import { type HostedService, hostedServices } from './hosted-services.ts';
import { addOperatorCommands } from './operator/add-operator-commands.ts';

/** Runs one command; answers the exit code. Each command's code is loaded when it is called. `demoPlace` is a stack for the demo. */
export async function runCli(argv: readonly string[], demoPlace?: OpenPlace): Promise<number> {
  let exitCode: number = exitCodes.done;
  const program = new Command('attache')
    .description('Attachment infrastructure for AI-agent platforms.')
    .exitOverride();
  program
    .command('start')
    .description('start the embedded stack, or one service of the hosted stack, and keep it running')
    .addArgument(new Argument('[service]', 'a service of the hosted stack').choices(hostedServices))
    .action(async (service: HostedService | undefined) => {
      if (service === undefined) return (await import('./start.ts')).start();
      return (await import('./start-hosted.ts')).startHosted(service);
    });
  program
    .command('migrate')
    .description('bring the database of the hosted stack to the newest schema; make its logins and its bucket')
    .action(async () => {
      const { migrate } = await import('./migrate.ts');
      await migrate();
    });
  program
    .command('demo')
    .description('the main job on a real file: upload, delivery to an agent, its answer, the trace')
    .argument('[file]', 'a picture or a PDF; one of each is drawn without it')
    .option('--text-only-model', 'a model that takes text alone: it refuses a picture, and gets the text of a PDF')
    .option('--profile <profile>', 'a real agent in the place of the example agent, such as claude, codex or gemini')
    .option('--model <model>', 'another model than that of its profile')
    .action(
      async (file: string | undefined, options: { textOnlyModel?: boolean; profile?: string; model?: string }) => {
        const { runDemo } = await import('./demo/run-demo.ts');
        const { textOnlyModel: isTextOnly = false, profile, model } = options;
        exitCode = await runDemo({ file, isTextOnly, profile, model }, demoPlace);
      },
    );
  addExplainCommand(program, (code) => {
    exitCode = code;
  });
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
      const { printOpenApi } = await import('./print-openapi.ts');
      printOpenApi();
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
