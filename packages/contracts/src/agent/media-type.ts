// Grammar of RFC 6838, which also bounds the length.
const shape = /^([a-z0-9][a-z0-9!#$&^_.+-]{0,126})\/([a-z0-9][a-z0-9!#$&^_.+-]{0,126})$/;

/** A media type in lower case without its parameters; undefined where it is malformed. */
export function essenceOf(mimeType: string): string | undefined {
  const end = mimeType.indexOf(';');
  const essence = (end < 0 ? mimeType : mimeType.slice(0, end)).trim().toLowerCase();
  return shape.test(essence) ? essence : undefined;
}
