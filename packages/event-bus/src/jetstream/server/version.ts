/** The NATS server versions that the hosted stack supports, in words. */
export const SUPPORTED_VERSIONS = '2.11.16 or newer in the 2.11 line, else 2.12.7 or newer';

/** Whether a NATS server of this version has what is used here and no known hole in it. */
export function isSupportedVersion(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/, 3).map(Number);
  if (![major, minor, patch].every(Number.isInteger)) return false;
  if (major !== 2) return major > 2;
  if (minor === 11) return patch >= 16;
  return minor > 12 || (minor === 12 && patch >= 7);
}
