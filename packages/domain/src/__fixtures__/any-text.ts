import fc from 'fast-check';

const codePoint = fc.oneof(fc.integer({ min: 0, max: 0xff }), fc.integer({ min: 0, max: 0x10ffff }));

/** Any characters, half surrogate pairs among them. `fc.string` with the unit `binary` spends most of a second on its tables. */
export const anyText = (maxLength: number): fc.Arbitrary<string> =>
  fc.array(codePoint, { maxLength }).map((codes) => String.fromCodePoint(...codes));
