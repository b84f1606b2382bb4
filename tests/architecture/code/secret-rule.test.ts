import { describe, expect, it } from 'vitest';
import { listShippedFiles, repositoryRoot } from '../source/source-files.ts';
import { parseSource, readSourceFile, type SyntaxViolation } from '../source/syntax-tree.ts';
import { findSecretComparisons } from './secret-rule.ts';

const shipped = listShippedFiles(repositoryRoot).filter((path) => /\.tsx?$/.test(path));
const describeViolation = ({ path, line, found }: SyntaxViolation) => `${path}:${line} ${found}`;

describe('MACs, secrets and their hashes', () => {
  it('are compared by timingSafeEqual alone [AT-07]', () => {
    expect(shipped.length).toBeGreaterThan(0);
    const found = shipped.flatMap((path) => findSecretComparisons(readSourceFile(repositoryRoot, path)));
    expect(found.map(describeViolation)).toEqual([]);
  });
});

describe('a planted comparison', () => {
  const find = (code: string) => findSecretComparisons(parseSource('services/ingest/src/planted.ts', code));

  it.each([
    'if (mac === expected) accept();',
    'const isOurs = expectedMac !== given;',
    "const isOurs = given == computeMac(key, 'cursor', text).toString('base64url');",
    "const isOurs = createHmac('sha256', key).update(text).digest('hex') === given;",
    'const isKnown = row.secretHash === hashApiKeySecret(key.secret);',
    'const isKnown = stored.tokenHash !== given;',
    "const isKnown = hash('sha256', token) === stored;",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the code under test
    "const isAgent = c.req.header('authorization') === `Bearer ${token}`;",
    'const isOurs = macOf(keys, text) === given;',
    'const isOurs = Buffer.from(mac).equals(expected);',
    'const isOurs = expected.equals(Buffer.from(signature));',
    'const isOurs = Buffer.compare(given, mac) === 0;',
    'const isOurs = (given as string) === (await readPassword())!;',
    'const isKey = settings.apiKey === given;',
    'const rows = select().where(eq(apiKey.secretHash, given));',
    "const a = computeMac(key, 'raw-url', text); if (a.toString('hex') !== b) stop();",
    "const a = computeMac(key, 'raw-url', text); const c = a.subarray(8).toString('hex'); const isOurs = b === c;",
    "function tag(id: string) { return computeMac(key, 'tenant-tag', id).subarray(0, 8); } const isOurs = tag(id).equals(b);",
    "const tag = (id: string) => computeMac(key, 'tenant-tag', id); const isOurs = tag(id).equals(b);",
  ])('is found: %s', (code) => {
    expect(find(code)).toHaveLength(1);
  });

  it.each([
    'const isOurs = timingSafeEqual(mac, expected);',
    "if (token === '' || endpoint.apiKey === undefined || null !== secret) stop();",
    'if (mac.length !== expected.length) stop();',
    'const isWhole = (await hashFile(path)) === attachment.sha256;',
    'const isSame = kept.fingerprint === fingerprintOf(body) && etag === row.etag;',
    'const key = keys.find((each) => each.kid === kid);',
    'const rows = select().where(eq(apiKey.id, keyId));',
    'const isLast = tokens[index] === end;',
    'if (error === passwordError || error === signatureMissing) stop();',
    'const isMachine = machine === stomach;',
    "const a = computeMac(key, 'raw-url', text); if (a.length !== b.length || !timingSafeEqual(a, b)) stop();",
    "const size = computeMac(key, 'raw-url', text).length; const isWhole = size === count;",
  ])('is none: %s', (code) => {
    expect(find(code)).toEqual([]);
  });
});
