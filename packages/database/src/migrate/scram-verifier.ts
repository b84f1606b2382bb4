import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

const ITERATIONS = 4096;

/** The form in which Postgres stores a password (RFC 5803). It is sent instead of the password, so that no log of statements contains the password. */
export function createScramVerifier(password: string, salt: Uint8Array = randomBytes(16)): string {
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256');
  const sign = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(sign('Client Key')).digest('base64');
  const encodedSalt = Buffer.from(salt).toString('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${encodedSalt}$${storedKey}:${sign('Server Key').toString('base64')}`;
}
