import { on } from 'node:events';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { copyTemplateFolder } from '../../tests/harness/src/stack/template-folder.ts';
import { type BundleFixture, makeBundleFixture, uploadPicture } from './bundle-fixture.ts';

let bundle: BundleFixture;
beforeAll(async () => {
  bundle = await makeBundleFixture('all');
});
afterAll(() => bundle?.remove());

// A database is made on the way, which takes its time on a busy machine.
describe('the bundle', () => {
  it('is plain JavaScript with the migrations and licences that belong to it', () => {
    const files = readdirSync(bundle.bare, { recursive: true, encoding: 'utf8' });
    expect(files).toEqual(
      expect.arrayContaining([
        'attache.js',
        'media-worker-main.js',
        'example-agent-main.js',
        'agent-kit-mcp-bridge-main.js',
        'model-relay-threads-thread.js',
        'package.json',
      ]),
    );
    const boxes = files.filter((name) => name.endsWith('/attache-box'));
    expect(boxes.map((name) => statSync(join(bundle.bare, name)).mode & 0o111)).toEqual([0o111, 0o111]);
    expect(files.filter((name) => name.endsWith('.ts'))).toEqual([]);
    expect(files.filter((name) => name.endsWith('.sql')).length).toBeGreaterThan(1);
    expect(readFileSync(join(bundle.bare, 'THIRD-PARTY-LICENCES.txt'), 'utf8')).toMatch(
      /^hono .+ \(MIT\)$[\s\S]*^musl .+ \(MIT\)$/m,
    );
  });

  it('names its commands', async () => {
    const { exitCode, stdout } = await bundle.run(['--help']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('openapi');
  });

  it('describes its HTTP surface', async () => {
    const { exitCode, stdout } = await bundle.run(['openapi']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout).openapi).toBe('3.1.0');
  });

  it('runs the embedded stack outside the workspace: a picture is inspected, the API page is served', async () => {
    // One that was started before: the demo below makes its own.
    const dataDir = await copyTemplateFolder();
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const stack = bundle.start(['start'], { environment: { ATTACHE_DATA_DIR: dataDir } });
    const url = await stack.findLine(/Attaché ready on (http:\S+)\n/);
    const apiKey = readFileSync(join(dataDir, 'api-key'), 'utf8').trim();
    expect(await uploadPicture(url, apiKey)).toMatchObject({ status: 'ready', facts: { width: 1, height: 1 } });
    expect((await fetch(`${url}/docs/elements.css`)).headers.get('content-type')).toContain('text/css');
    expect(await stack.stop()).toBe(0);
  });

  it.each(['ingest', 'runner-gateway', 'migrate'])('needs no package beside it for %s', async (name) => {
    const environment = {
      ATTACHE_DATABASE_URL: 'postgres://login:word@127.0.0.1:1/attache',
      ATTACHE_NATS_URL: 'nats://127.0.0.1:1',
      ATTACHE_S3_ENDPOINT: 'http://127.0.0.1:1',
      ATTACHE_S3_BUCKET: 'attache',
      ATTACHE_S3_ACCESS_KEY: 'a',
      ATTACHE_S3_SECRET_KEY: 'b',
      ATTACHE_SIGNING_KEYS: `k1:${'x'.repeat(32)}`,
      ATTACHE_PUBLIC_URL: 'http://127.0.0.1:4100',
    };
    const args = name === 'migrate' ? [name] : ['start', name];
    const { exitCode, stderr } = await bundle.run(args, { from: bundle.bare, environment });
    // All of it was loaded: it goes as far as the servers, which are not there.
    expect(stderr).toContain('127.0.0.1:1');
    expect(stderr).not.toContain('Cannot find');
    expect(exitCode).not.toBe(0);
  });

  it('brings the thread that reads large requests to models', async () => {
    const thread = new Worker(join(bundle.bare, 'model-relay-threads-thread.js'));
    onTestFinished(() => void thread.terminate());
    const body = Buffer.from(JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }] }));
    const step = new ArrayBuffer(body.length);
    Buffer.from(step).set(body);
    const access = { model: 'm', errands: [], endpoint: { api: 'anthropic' } };
    thread.postMessage({ kind: 'begin', id: 1, reading: { access, question: { kind: 'generate', isInTurn: true } } });
    thread.postMessage({ kind: 'read', id: 1, step, sizeBytes: body.length }, [step]);
    thread.postMessage({ kind: 'end', id: 1 });
    const said = on(thread, 'message');
    expect((await said.next()).value?.[0]).toMatchObject({ kind: 'free', id: 1 });
    expect((await said.next()).value?.[0]).toMatchObject({ kind: 'read', content: { blocks: [{ kind: 'text' }] } });
  });

  it('does the main job with the agent that it brings', async () => {
    const { exitCode, stdout } = await bundle.run(['demo']);
    expect(stdout).toContain('responded');
    expect(exitCode).toBe(0);
  });
});
