import { Command, CommanderError } from 'commander';
import { exitCodes } from './exit-codes.ts';
import { explainError } from './explain-error.ts';

/** Runs one command; answers the exit code. Each command's code is loaded when it is called. */
export async function runCli(argv: readonly string[]): Promise<number> {
  let exitCode: number = exitCodes.done;
  const program = new Command('attache')
    .description('Attachment infrastructure for AI-agent platforms.')
    .exitOverride();
  program
    .command('start')
    .description('start the embedded stack and keep it running')
    .action(async () => {
      const { start } = await import('./start.ts');
      await start();
    });
  program
    .command('demo')
    .description('the main job on a real file: upload, delivery to an agent, its answer, the trace')
    .argument('[file]', 'a picture; one is drawn without it')
    .option('--text-only-model', 'show the refusal by a model that takes no images')
    .action(async (file: string | undefined, options: { textOnlyModel?: boolean }) => {
      const { runDemo } = await import('./demo/run-demo.ts');
      exitCode = await runDemo({ file, isTextOnly: options.textOnlyModel === true });
    });
  program
    .command('openapi')
    .description('print the OpenAPI document of the public HTTP surface')
    .action(async () => {
      const { printOpenApi } = await import('./print-openapi.ts');
      printOpenApi();
    });
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
