/** A new key for one piece of work, however often it is tried. Pages without TLS have it too, where browsers leave `crypto.randomUUID` out. */
export function createIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
