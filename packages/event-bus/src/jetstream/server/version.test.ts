import { describe, expect, it } from 'vitest';
import { isSupportedVersion } from './version.ts';

describe('isSupportedVersion', () => {
  it.each(['2.11.16', '2.11.20', '2.12.7', '2.12.7-RC.1', '2.14.0', '2.15.2', '3.0.0'])('takes %s', (version) => {
    expect(isSupportedVersion(version)).toBe(true);
  });

  it.each(['2.9.10', '2.10.29', '2.11.15', '2.12.0', '2.12.6', '1.4.1', '', 'new', '2.12'])('refuses %j', (version) => {
    expect(isSupportedVersion(version)).toBe(false);
  });
});
