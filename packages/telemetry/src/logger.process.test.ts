import { beforeAll, describe, expect, it } from 'vitest';
import { createLogger } from './logger.ts';
import { startTelemetry } from './setup.ts';
import { withSpan } from './spans.ts';

const redact = (text: string) => text.replaceAll('canary', '[redacted]');

beforeAll(async () => {
  await startTelemetry({ serviceName: 'test', isExporting: false });
});

/** Creates a logger, and collects its lines. */
function listen() {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => lines.push(JSON.parse(line)) };
  return { log: createLogger({ service: 'test', level: 'trace', redact, destination }), lines };
}

/** The error of a database driver: the statement's values are in the message and in fields of the error. */
function databaseError(): Error {
  const cause = Object.assign(new Error('duplicate key\n    at canary (canary.ts:1:1)'), {
    code: '23505',
    detail: 'Key (name)=(canary)',
  });
  return Object.assign(new Error('Failed query: insert\nparams: canary', { cause }), { query: 'canary' });
}

describe('a log line', () => {
  it('names the span in which it was written [BX-12]', async () => {
    const { log, lines } = listen();
    log.info({}, 'outside');
    const ids = await withSpan({ name: 'inside', parent: 'root' }, async (span) => {
      log.info({ attachmentId: 'att_1' }, 'inside');
      return span.spanContext();
    });
    expect(lines[0]).not.toHaveProperty('traceId');
    expect(lines[1]).toMatchObject({
      service: 'test',
      msg: 'inside',
      attachmentId: 'att_1',
      traceId: ids.traceId,
      spanId: ids.spanId,
    });
  });

  it('says of an error its class, its code and where, and nothing that it says itself [S27]', () => {
    const { log, lines } = listen();
    log.error({ err: databaseError() }, 'request.failed');
    log.error({ err: databaseError() });
    log.error(databaseError());
    log.warn({ deep: { list: [databaseError()] } }, 'deep');
    expect(JSON.stringify(lines)).not.toContain('canary');
    expect(lines.map(({ msg }) => msg)).toEqual(['request.failed', 'failed', 'failed', 'deep']);
    for (const { err } of lines.slice(0, 3)) expect(err).toMatchObject({ type: 'Error', cause: { code: '23505' } });
    expect((lines[0] as { err: { stack: string[] } }).err.stack[0]).toContain('logger.process.test.ts');
  });

  it('keeps what a fault says, redacted', () => {
    const { log, lines } = listen();
    const fault = Object.assign(new Error('The canary is gone.'), { name: 'Fault', code: 'STORAGE_UNAVAILABLE' });
    log.error({ err: fault }, 'failed');
    expect(lines[0]?.err).toMatchObject({ code: 'STORAGE_UNAVAILABLE', message: 'The [redacted] is gone.' });
  });

  it('is redacted in every text: fields, messages, and what is formatted into them [S27]', () => {
    const { log, lines } = listen();
    log.info({ a: 'canary', b: { c: ['canary'] } }, 'said %s', 'canary');
    log.info('canary');
    expect(lines).toHaveLength(2);
    expect(JSON.stringify(lines)).not.toContain('canary');
  });

  it('shows no bytes and no endless text [S27]', () => {
    const { log, lines } = listen();
    log.info({ bytes: Buffer.from('canary'), long: 'x'.repeat(100_000), count: 3n }, 'much');
    expect(lines[0]).toMatchObject({ bytes: '[6 bytes]', count: '3' });
    expect(String(lines[0]?.long)).toHaveLength(2049);
  });
});
