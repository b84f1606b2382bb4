import { hasHostedSettings } from '../config.ts';
import { exitCodes } from '../exit-codes.ts';
import { formatFindings } from './format-findings.ts';
import { runChecks } from './run-checks.ts';

/** Checks every dependency of the stack that the settings describe; answers 1 if something is wrong. */
export async function runDoctor(options: { isJson: boolean }): Promise<number> {
  const checks = hasHostedSettings()
    ? (await import('./check-hosted.ts')).checksOfHosted()
    : (await import('./check-embedded.ts')).checksOfEmbedded();
  const findings = await runChecks(checks);
  const isWell = findings.every(({ state }) => state !== 'failed');
  const output = options.isJson
    ? JSON.stringify({ ok: isWell, findings }, null, 2)
    : formatFindings(findings).join('\n');
  process.stdout.write(`${output}\n`);
  return isWell ? exitCodes.done : exitCodes.failed;
}
