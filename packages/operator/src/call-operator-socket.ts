import { lstat } from 'node:fs/promises';
import { request } from 'node:http';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { Fault, type OperatorCommand, type OperatorInput, type OperatorOutput } from '@attache/contracts';
import { readOperatorAnswer } from './operator-protocol.ts';

/** Whether nothing listens: there is no socket, or its server died. */
function isSilent(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'ENOTDIR';
}

// Root may talk to anyone's stack; everyone else only to a socket in a folder of their own.
async function refuseForeignFolder(path: string): Promise<void> {
  const uid = process.getuid?.();
  const { uid: ownerId } = await lstat(dirname(path));
  if (uid === 0 || uid === ownerId) return;
  throw new Fault('FORBIDDEN', `The stack on ${path} belongs to another user. Run the command as that user.`);
}

function post(path: string, name: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request({ socketPath: path, path: `/${name}`, method: 'POST', headers }, (response) => {
      text(response).then(resolve, reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Runs a command in the stack that listens on this socket. Undefined: nothing listens there. */
export async function callOperatorSocket<C extends OperatorCommand>(call: {
  path: string;
  name: C;
  input: OperatorInput<C>;
}): Promise<{ output: OperatorOutput<C> } | undefined> {
  try {
    await refuseForeignFolder(call.path);
    const answer = await post(call.path, call.name, JSON.stringify(call.input));
    return { output: readOperatorAnswer(answer) as OperatorOutput<C> };
  } catch (error) {
    if (isSilent(error)) return undefined;
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    throw new Fault('FORBIDDEN', `The stack on ${call.path} belongs to another user. Run the command as that user.`);
  }
}
