import { hash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DeliveryId, Part } from '@attache/contracts';
import { describe, expect, it, onTestFinished } from 'vitest';
import { childMarker } from './child-marker.ts';
import type { DriverOptions } from './create-driver.ts';
import type {
  AgentDriver,
  AgentSpec,
  DeliverRequest,
  DriverHooks,
  DriverOutput,
  EmbeddedBytes,
  RunningAgent,
  ToolCall,
  TurnOutcome,
} from './index.ts';

/** A driver, and a program of its runtime that does what the lines `example: <name> [number]` of a prompt say. */
export type DriverSubject = {
  title: string;
  createDriver(options: DriverOptions): AgentDriver;
  command: readonly string[];
  /** Whether a later process continues with a conversation. */
  isResumable: boolean;
  /** Whether what comes during a turn enters it. */
  isSteerable: boolean;
  /** Whether an answer names its turn. A program whose answers do not asks for a permission after it gave two. */
  namesTurns: boolean;
  /** Told by a directive or by an error of its own. */
  signInDirective: string;
};

const MB = 1_000_000;
// Programs that are TypeScript start in half the time where a run keeps what it has compiled.
const { NODE_COMPILE_CACHE } = process.env;
const compileCache: Record<string, string> = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
const picture = Buffer.from('not really a picture');

/** The behaviour that all drivers share, whatever their runtime (DL-65). */
export function describeDriver(subject: DriverSubject): void {
  const options: DriverOptions = {
    inherited: { PATH: `${path.dirname(process.execPath)}:/usr/bin:/bin` },
    redact: (text) => text.replaceAll('secret', '***'),
    client: { name: 'contract', version: '0' },
    stallMs: 60_000,
    cancelGraceMs: 60_000,
  };

  async function start(
    rest: Partial<AgentSpec> = {},
    changed: Partial<DriverHooks> = {},
    driver = subject.createDriver(options),
  ) {
    const root = await mkdtemp(path.join(tmpdir(), 'attache-driver-'));
    onTestFinished(() => rm(root, { recursive: true, force: true }));
    const outputs: DriverOutput[] = [];
    const calls: ToolCall[] = [];
    const hooks: DriverHooks = {
      onOutput: async (item) => void outputs.push(item),
      onDelta: () => undefined,
      onToolCall: async (call) => {
        calls.push(call);
        return { decision: 'deny', reason: 'not in this test' };
      },
      onToolResult: async ({ content }) => content,
      ...changed,
    };
    const spec = specOf(path.join(root, 'agent'), { command: subject.command, ...rest });
    const outcome = await driver.start(spec, hooks);
    if (outcome.status === 'started') onTestFinished(() => outcome.agent.stop({ graceMs: 0 }));
    return { outcome, spec, root, outputs, calls };
  }

  async function startAgent(
    rest: Partial<AgentSpec> = {},
    changed: Partial<DriverHooks> = {},
    ownOptions: Partial<DriverOptions> = {},
  ) {
    const started = await start(rest, changed, subject.createDriver({ ...options, ...ownOptions }));
    if (started.outcome.status === 'failed') throw new Error(JSON.stringify(started.outcome.failure));
    return { ...started, agent: started.outcome.agent };
  }

  const saidIn = (outputs: readonly DriverOutput[]) =>
    outputs.flatMap((item) => (item.type === 'text' ? [item.text] : [])).join('');

  describe(`the driver of ${subject.title}`, () => {
    it('brings text and a file, in one turn with its proof; a second turn needs no new process [DL-61 DL-103 BX-03]', async () => {
      const { agent, outputs, root } = await startAgent();
      const file = path.join(root, "a, 'b' --settings=x\n.png");
      await writeFile(file, picture, { mode: 0o600 });
      const steps: string[] = [];
      const first = await deliver(agent, 'look', {
        file,
        onWriting: async () => void steps.push('writing'),
        onWritten: async () => void steps.push('written'),
      });
      expect(first).toMatchObject({ status: 'responded', stopReason: 'end_turn' });
      expect(steps).toEqual(['writing', 'written']);
      expect(saidIn(outputs)).toContain(hash('sha256', picture));
      expect(await deliver(agent, 'again')).toMatchObject({ status: 'responded' });
    });

    it('keeps the program in folders of its own, with an environment of its own [S26 AT-24 DL-78]', async () => {
      const { agent, outputs, spec } = await startAgent({ env: { MODEL_KEY: 'k' } });
      await deliver(agent, 'example: env-keys');
      const names = /My environment: (.*)\./.exec(saidIn(outputs))?.[1]?.split(' ') ?? [];
      expect(names).toEqual(expect.arrayContaining(['HOME', 'MODEL_KEY', 'PATH', 'TMPDIR']));
      for (const name of Object.keys(process.env)) {
        if (!/^(PATH|HOME|TMPDIR|PWD|OLDPWD|SHLVL|_|LANG|TZ)$/.test(name)) expect(names).not.toContain(name);
      }
      expect((await readdir(spec.folder)).toSorted()).toEqual(['config', 'files', 'home', 'tmp', 'work']);
    });

    it('puts a tool call to the gateway, and tells the program what it said [AT-31 BX-21]', async () => {
      const { agent, outputs, calls } = await startAgent();
      await deliver(agent, 'example: ask-permission');
      expect(calls).toMatchObject([{ callId: 'ask' }]);
      expect(JSON.stringify(calls[0]?.input)).toContain('true');
      expect(saidIn(outputs)).toContain('I asked for permission: no.');
      const allowing = await startAgent({}, { onToolCall: async () => ({ decision: 'allow' }) });
      await deliver(allowing.agent, 'example: ask-permission');
      expect(saidIn(allowing.outputs)).toContain('I asked for permission: yes.');
    });

    it('denies a tool call that the gateway fails to judge [AT-31]', async () => {
      const { agent, outputs } = await startAgent({}, { onToolCall: () => Promise.reject(new Error('database away')) });
      await deliver(agent, 'example: ask-permission');
      expect(saidIn(outputs)).toContain('I asked for permission: no.');
    });

    it('ends a turn that is interrupted, and continues', async () => {
      const { agent } = await startAgent();
      const turn = deliver(agent, 'example: hang', { onWritten: async () => void setTimeout(agent.interrupt, 50) });
      expect(await turn).toMatchObject({ status: 'responded', stopReason: 'cancelled' });
      expect((await deliver(agent, 'still there?')).status).toBe('responded');
      // Twice at once, as two deliveries that share a turn do: both calls end.
      const calls = Promise.withResolvers<unknown>();
      const again = deliver(agent, 'example: hang', {
        onWritten: async () =>
          void setTimeout(() => calls.resolve(Promise.all([agent.interrupt(), agent.interrupt()])), 50),
      });
      expect(await again).toMatchObject({ status: 'responded', stopReason: 'cancelled' });
      await calls.promise;
    });

    it('stops a program that does not end a turn, by interrupt or in time', async () => {
      const deaf = await startAgent({}, {}, { cancelGraceMs: 1_000 });
      const turn = deliver(deaf.agent, 'example: deaf', {
        onWritten: async () => void setTimeout(deaf.agent.interrupt, 50),
      });
      expect(await turn).toMatchObject(failed('delivery_cancelled'));
      expect(await deaf.agent.exited).toMatchObject({ signal: 'SIGKILL' });
      const slow = await startAgent({ turnMs: 300 }, {}, { cancelGraceMs: 1_000 });
      expect(await deliver(slow.agent, 'example: deaf')).toMatchObject(failed('delivery_turn_timeout'));
    });

    it('takes one answer for a turn, though the program gives two [W17]', async () => {
      const { agent, outputs, calls } = await startAgent();
      expect(await deliver(agent, 'example: answer-twice')).toMatchObject({ status: 'responded' });
      if (!subject.namesTurns) await expect.poll(() => calls).toHaveLength(1);
      const saidBefore = saidIn(outputs);
      // The second answer to the turn before comes before this turn ends.
      expect(await deliver(agent, 'example: slow 500')).toMatchObject({ status: 'responded' });
      expect(saidIn(outputs).slice(saidBefore.length)).toContain('I received');
    });

    describe('tells by a code', () => {
      it.each([
        ['no program', { command: ['no-such-agent'] }, 'delivery_agent_start_failed'],
        [
          'a program that ends at once',
          { command: ['sh', '-c', 'echo a secret >&2; exit 3'] },
          'delivery_agent_start_failed',
        ],
        ['a program that says nothing', { command: ['sleep', '600'], startMs: 200 }, 'delivery_agent_start_failed'],
        ['a program of another protocol', { command: ['sh', '-c', 'yes'] }, 'delivery_protocol_error'],
        [
          'a program that gives one endless line',
          { command: ['sh', '-c', 'cat /dev/zero'], incomingLineBytes: 100_000 },
          'delivery_protocol_error',
        ],
      ] as const)('at the start: %s', async (_title, rest, code) => {
        const { outcome } = await start(rest);
        expect(outcome).toMatchObject({ status: 'failed', failure: { code, agentId: expect.any(String) } });
        if (outcome.status === 'failed') expect(outcome.failure.diagnostic).not.toContain('secret');
      });

      it.each([
        ['a crash', 'crash-before-answer', 'delivery_agent_crashed'],
        ['an end in the middle of a line', 'half-frame', 'delivery_agent_crashed'],
        ['garbage', 'garbage', 'delivery_protocol_error'],
        [`a line of ${16 * MB} bytes`, `long-line ${16 * MB}`, 'delivery_protocol_error'],
        ['a flood of output', 'flood 4000000', 'delivery_protocol_error'],
        ['a missing sign-in', subject.signInDirective, 'delivery_agent_auth_required'],
      ])('in a turn: %s [DL-82]', async (_title, directive, code) => {
        const limits = { outputBytes: 3 * MB };
        const { agent } = await startAgent({
          incomingLineBytes: 2 * MB,
          ...(directive.startsWith('long') ? {} : { limits }),
        });
        expect(await deliver(agent, `example: ${directive}`)).toMatchObject(failed(code));
      });

      it('memory beyond its limit', async () => {
        const { agent } = await startAgent({ limits: { memoryBytes: 250 * MB } });
        const outcome = await deliver(agent, `example: eat-memory ${400 * MB}\nexample: hang`);
        expect(outcome).toMatchObject(
          failed('delivery_agent_crashed', { diagnostic: expect.stringContaining('memory') }),
        );
      });

      it('a program that reads nothing any more [W18]', async () => {
        const { agent } = await startAgent({ lineBytes: 64 * MB }, {}, { stallMs: 1_000 });
        await deliver(agent, 'example: stop-reading');
        await new Promise((resolve) => setTimeout(resolve, 200));
        const text = 'x'.repeat(8 * MB);
        expect(await deliver(agent, text)).toMatchObject(failed('delivery_stalled'));
      });

      it('a program that asks on and on and reads no answer, of which nothing piles up [W18]', async () => {
        const { agent, calls } = await startAgent({}, {}, { stallMs: 1_000 });
        expect(await deliver(agent, 'example: ask-endlessly')).toMatchObject(failed('delivery_stalled'));
        // The pipes hold this many calls; the program would make far more in that time.
        expect(calls.length).toBeLessThan(20_000);
        expect(await agent.exited).toBeDefined();
      });

      it.each([50, 1_500])(
        'a crash from an output that was closed, also where that is waited for %d ms',
        async (closedOutputMs) => {
          const crashing = await startAgent({}, {}, { closedOutputMs });
          expect(await deliver(crashing.agent, 'example: crash-before-answer')).toMatchObject(
            failed('delivery_agent_crashed'),
          );
          const mute = await startAgent({}, {}, { closedOutputMs });
          expect(await deliver(mute.agent, 'example: close-output')).toMatchObject(
            failed('delivery_runtime_transport_failed'),
          );
          expect(await mute.agent.exited).toMatchObject({ signal: 'SIGKILL' });
        },
      );

      it('a program that closed its input', async () => {
        const { agent } = await startAgent();
        await deliver(agent, 'example: close-input');
        const outcome = await deliver(agent, 'x'.repeat(MB));
        expect(outcome).toMatchObject({ status: 'failed' });
        expect(await agent.exited).toBeDefined();
      });

      it('a file that is not there, or a link in its place: nothing of it is sent [DL-74 S19 A29]', async () => {
        const { agent, root } = await startAgent();
        const secret = path.join(root, 'secret');
        await writeFile(secret, picture);
        const link = path.join(root, 'link.png');
        await symlink(secret, link);
        for (const file of [path.join(root, 'missing.png'), link]) {
          expect(await deliver(agent, 'look', { file })).toMatchObject(failed('attachment_artifact_missing'));
        }
        expect((await deliver(agent, 'still there?')).status).toBe('responded');
      });

      it('a line beyond its limit, before a byte of it is written [DL-62]', async () => {
        const { agent } = await startAgent({ lineBytes: 50_000 });
        const refused = await deliver(agent, 'x'.repeat(60_000), {
          onWriting: () => Promise.reject(new Error('written')),
        });
        expect(refused).toMatchObject(failed('attachment_serialized_payload_too_large'));
      });
    });

    it('leaves no process behind, though the program ignores SIGTERM and has children', async () => {
      const { agent, spec } = await startAgent({
        command: ['sh', '-c', 'sleep 600 & exec "$@"', 'w', ...subject.command],
      });
      await deliver(agent, 'example: ignore-sigterm');
      await agent.stop({ graceMs: 100 });
      expect(await agent.exited).toMatchObject({ signal: 'SIGKILL' });
      await expect.poll(() => findProcesses(spec.folder)).toEqual([]);
    });

    it('continues with an earlier conversation where the runtime can, and begins again where it is lost', async () => {
      const { agent } = await startAgent();
      await deliver(agent, 'hello');
      const { resumeReference } = agent;
      expect(agent.isResumed).toBe(false);
      if (!subject.isResumable) return expect(resumeReference).toBeUndefined();
      expect(resumeReference).toEqual(expect.any(String));
      const resumed = await startAgent({ resumeReference });
      expect(resumed.agent.isResumed).toBe(true);
      const lost = await startAgent({ resumeReference: 'unknown' });
      expect(lost.agent.isResumed).toBe(false);
      expect((await deliver(lost.agent, 'hello')).status).toBe('responded');
    });

    it('takes a second delivery during a turn only where that can be entered [DL-52 DL-61]', async () => {
      const { agent, root, outputs } = await startAgent();
      const file = path.join(root, 'late.png');
      await writeFile(file, picture);
      const written = Promise.withResolvers<void>();
      const first = deliver(agent, 'example: slow 2000', { onWritten: async () => written.resolve() });
      await written.promise;
      if (subject.isSteerable) await expect.poll(() => agent.isSteerable).toBe(true);
      else {
        expect(agent.isSteerable).toBe(false);
        await expect(deliver(agent, 'late')).rejects.toMatchObject({ code: 'INTERNAL' });
        return expect(await first).toMatchObject({ status: 'responded' });
      }
      const [early, late] = await Promise.all([first, deliver(agent, 'late', { file })]);
      expect([early, late]).toMatchObject([{ status: 'responded' }, { status: 'responded' }]);
      expect(saidIn(outputs)).toContain(hash('sha256', picture));
    });
  });
}

function specOf(folder: string, rest: Partial<AgentSpec>): AgentSpec {
  return {
    agentId: 'agt_AAAAAAAAAAAAAAAAAAAAAA',
    command: [],
    args: [],
    env: compileCache,
    folder,
    socketPath: path.join(folder, 'none'),
    token: `ata_${randomBytes(8).toString('hex')}`,
    provider: 'contract',
    model: 'default',
    modelTakes: {},
    permissionMode: 'gated',
    lineBytes: 16 * MB,
    turnMs: 90_000,
    startMs: 90_000,
    marker: childMarker({ replica: 'contract', incarnation: '1' }),
    ...rest,
  };
}

type DeliverOptions = Partial<Pick<DeliverRequest, 'onWriting' | 'onWritten'>> & { file?: string };

async function deliver(agent: RunningAgent, text: string, options: DeliverOptions = {}): Promise<TurnOutcome> {
  const { file, onWriting = async () => undefined, onWritten = async () => undefined } = options;
  const bytes = {
    attachmentId: 'att_AAAAAAAAAAAAAAAAAAAAAA',
    mimeType: 'image/png',
    sizeBytes: picture.length,
    sha256: hash('sha256', picture),
  } as const;
  const parts: Part[] = [{ type: 'text', text }, ...(file === undefined ? [] : [{ type: 'image', bytes } as const])];
  const content: EmbeddedBytes = { path: file ?? '', sizeBytes: picture.length };
  return await agent.deliver({
    deliveryId: `dlv_${randomBytes(15).toString('hex').slice(0, 21)}A` as DeliveryId,
    parts,
    contents: { embedded: () => content, text: () => '' },
    onWriting,
    onWritten,
  });
}

function failed(code: string, rest: object = {}): object {
  return { status: 'failed', failure: { code, ...rest } };
}

/** Finds processes whose working folder is in an agent's folder. */
async function findProcesses(folder: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => ((await readlink(`/proc/${pid}/cwd`).catch(() => '')).startsWith(folder) ? [pid] : [])),
  );
  return found.flat();
}
