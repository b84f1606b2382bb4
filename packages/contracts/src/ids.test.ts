import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type IdKind, idFromUuid, idPrefixes, idSchema, isId, uuidFromId } from './ids.ts';

const kinds = Object.keys(idPrefixes) as IdKind[];
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Any 16 bytes, not only those that some uuid version makes. */
const anyUuid = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) =>
  Buffer.from(bytes)
    .toString('hex')
    .replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5'),
);
const anyKind = fc.constantFrom(...kinds);

describe('public ids', () => {
  it('are 16 bytes in base64url behind the prefix of their kind, and lead back to them [AT-01]', () => {
    fc.assert(
      fc.property(anyUuid, anyKind, (uuid, kind) => {
        const id = idFromUuid(kind, uuid);
        const encoded = Buffer.from(uuid.replaceAll('-', ''), 'hex').toString('base64url');
        expect(id).toBe(`${idPrefixes[kind]}_${encoded}`);
        expect(uuidFromId(id)).toBe(uuid);
        expect(isId(kind, id)).toBe(true);
        expect(idSchema(kind).parse(id)).toBe(id);
      }),
    );
  });

  it('have one spelling: no other 22nd character names the same bytes [AT-01]', () => {
    fc.assert(
      fc.property(anyUuid, anyKind, (uuid, kind) => {
        const id = idFromUuid(kind, uuid);
        const accepted = [...BASE64URL].filter((last) => isId(kind, `${id.slice(0, -1)}${last}`));
        expect(accepted).toEqual(['A', 'Q', 'g', 'w']);
        const named = accepted.map((last) => uuidFromId(`${id.slice(0, -1)}${last}` as typeof id));
        expect(new Set(named).size).toBe(4);
      }),
      { numRuns: 30 },
    );
  });

  it('begin with a prefix of their own each', () => {
    expect(new Set(Object.values(idPrefixes)).size).toBe(kinds.length);
    expect(idPrefixes.attachment).toBe('att');
  });

  const good = idFromUuid('attachment', '3f0b8c1d-5e2a-4b7c-9d8e-1f2a3b4c5d6e');
  it.each([
    ['of another kind', idFromUuid('message', '3f0b8c1d-5e2a-4b7c-9d8e-1f2a3b4c5d6e')],
    ['a uuid', '3f0b8c1d-5e2a-4b7c-9d8e-1f2a3b4c5d6e'],
    ['without a prefix', good.slice(4)],
    ['in capitals', good.toUpperCase()],
    ['too short', good.slice(0, -1)],
    ['too long', `${good}A`],
    ['padded', `${good}==`],
    ['with plus and slash', `att_${'+/'.repeat(10)}AA`],
    ['with a line break', `${good}\n`],
    ['with a blank before', ` ${good}`],
    ['a path', 'att_../../../../etc/passwd'],
    ['a pattern of subjects', `att_${'*.'.repeat(10)}>A`],
    ['with a letter that only looks like one', `att_${'А'.repeat(21)}A`],
    ['nothing', ''],
  ])('are refused when forged: %s [AT-01 DL-95 S28]', (_name, forged) => {
    expect(isId('attachment', forged)).toBe(false);
    expect(idSchema('attachment').safeParse(forged).success).toBe(false);
  });

  it('are refused when they are no text at all [DL-95]', () => {
    for (const forged of [null, undefined, 7, {}, [good], { toString: () => good }]) {
      expect(idSchema('attachment').safeParse(forged).success).toBe(false);
    }
  });
});
