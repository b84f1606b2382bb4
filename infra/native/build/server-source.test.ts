import { describe, expect, it } from 'vitest';
import { isNatsVersionAllowed, parseServerSource, readServerSource } from './server-source.ts';

describe('the version of a NATS server', () => {
  it.each(['2.11.16', '2.11.20', '2.12.7', '2.13.0', 'nats-server: v2.15.2', '3.0.0'])('is allowed: %s', (version) => {
    expect(isNatsVersionAllowed(version)).toBe(true);
  });

  it.each(['2.9.10', '2.10.29', '2.11.15', '2.12.0', '2.12.6', '1.4.1', 'unknown', ''])('is refused: %s', (version) => {
    expect(isNatsVersionAllowed(version)).toBe(false);
  });
});

describe('the source of a server', () => {
  it.each(['nats-server', 'minio', 'mc', 'versitygw'] as const)('is pinned by the go.mod of %s', async (name) => {
    const { goPackage, version } = await readServerSource(name);
    expect(goPackage).toContain(name);
    expect(version).toMatch(/^v\d+\.\d+\.\d+/);
  });

  it('is of a NATS version that is allowed', async () => {
    expect(isNatsVersionAllowed((await readServerSource('nats-server')).version)).toBe(true);
  });

  it('takes the version of the module that holds the package, not of one with a like name', () => {
    const goMod = [
      'module x',
      'tool example.test/gw/cmd/gw',
      'require (',
      '\texample.test/g v9.9.9',
      '\texample.test/gw v1.2.3 // indirect',
      ')',
    ];
    expect(parseServerSource(goMod.join('\n'), 'gw')).toEqual({
      goPackage: 'example.test/gw/cmd/gw',
      version: 'v1.2.3',
    });
  });

  it('says what a go.mod lacks', () => {
    expect(() => parseServerSource('module x', 'gw')).toThrow('no tool line');
    expect(() => parseServerSource('tool example.test/gw\n', 'gw')).toThrow('requires no module of example.test/gw');
  });
});
