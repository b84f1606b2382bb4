import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { SerializedError, UserConsoleLog } from 'vitest';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';
import { formatFailure, type TestFailure } from './record/format-failure.ts';
import type { FileRecord, RunRecord, TestRecord } from './record/test-record.ts';

type Settings = {
  /** Takes the record of the run. */
  recordFile: string;
  /** Printed with each failure: how to run it again. */
  repeat: string;
};

/** Vitest's reporter: a line for each file as it ends, each failure in at most forty lines, and a record of all of it. */
export default class ProgressReporter implements Reporter {
  readonly #settings: Settings = {
    recordFile: process.env.ATTACHE_TEST_RECORD ?? '',
    repeat: process.env.ATTACHE_TEST_REPEAT ?? '',
  };
  readonly #files: FileRecord[] = [];
  #root = '';

  onInit({ config }: Vitest): void {
    this.#root = config.root;
  }

  onUserConsoleLog({ content }: UserConsoleLog): void {
    process.stdout.write(content);
  }

  onTestCaseResult(test: TestCase): void {
    const { state, errors = [] } = test.result();
    if (state !== 'failed') return;
    const file = test.module.moduleId;
    const line = errors[0]?.stacks?.find((frame) => frame.file === file)?.line;
    const place = `${relative(this.#root, file)}${line === undefined ? '' : `:${line}`}`;
    this.#printFailure({ name: test.fullName, place, errors, log: test.meta().stackLog ?? [] });
  }

  onTestModuleEnd(module: TestModule): void {
    const file = relative(this.#root, module.moduleId);
    const errors = [...module.errors(), ...[...module.children.allSuites()].flatMap((suite) => suite.errors())];
    const tests = [...module.children.allTests()].map(recordTest);
    const isBroken = errors.length > 0 || (!module.ok() && tests.every(({ state }) => state !== 'failed'));
    const { duration, setupDuration, collectDuration } = module.diagnostic();
    this.#files.push({ file, durationMs: duration + setupDuration + collectDuration, tests, isBroken });
    if (errors.length > 0) this.#printFailure({ name: 'outside its tests', place: file, errors, log: [] });
    const mark = module.ok() ? 'ok    ' : 'FAILED';
    const seconds = (duration / 1000).toFixed(1).padStart(6);
    process.stdout.write(`${mark} ${seconds} s ${String(tests.length).padStart(4)} tests  ${file}\n`);
  }

  onTestRunEnd(_: readonly TestModule[], errors: readonly SerializedError[]): void {
    if (errors.length > 0) this.#printFailure({ name: 'outside of any file', place: '', errors, log: [] });
    const record: RunRecord = { files: this.#files };
    if (this.#settings.recordFile !== '') writeFileSync(this.#settings.recordFile, JSON.stringify(record));
  }

  #printFailure(failure: Omit<TestFailure, 'repeat'>): void {
    process.stdout.write(`\n${formatFailure({ ...failure, repeat: this.#settings.repeat }).join('\n')}\n\n`);
  }
}

function recordTest(test: TestCase): TestRecord {
  const { state } = test.result();
  const durationMs = Math.round(test.diagnostic()?.duration ?? 0);
  return { name: test.fullName, state: state === 'passed' || state === 'failed' ? state : 'skipped', durationMs };
}
