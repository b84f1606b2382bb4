import { spawn } from 'node:child_process';
import { openAsBlob } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { request } from 'undici';

/** An upload that is sent whole, as far as its client continues sending. Nothing of it is held in memory. */
export type Upload = {
  url: string;
  apiKey: string;
  route: 'raw' | 'form';
  /** Whether the client says its length; else it comes in chunks. */
  isDeclared: boolean;
  sizeBytes: number;
  /** A file of `sizeBytes`, for clients that send files. */
  file: string;
};

/** Sends an upload; answers its status, or what the client says in the place of one. */
export type UploadClient = (upload: Upload) => Promise<number | string>;

const PIECE = new Uint8Array(64 * 1024);
const BOUNDARY = 'refused-boundary';
const HEAD = Buffer.from(
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\nContent-Type: application/octet-stream\r\n\r\n`,
);
const TAIL = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);

const methodOf = ({ route }: Upload) => (route === 'raw' ? 'PUT' : 'POST');

function headersOf({ route, apiKey }: Upload): Record<string, string> {
  const type = route === 'raw' ? 'application/octet-stream' : `multipart/form-data; boundary=${BOUNDARY}`;
  return { authorization: `Bearer ${apiKey}`, 'content-type': type };
}

function lengthOf({ route, sizeBytes }: Upload): number {
  return route === 'raw' ? sizeBytes : HEAD.length + sizeBytes + TAIL.length;
}

function* generate({ route, sizeBytes }: Upload): Generator<Uint8Array> {
  if (route === 'form') yield HEAD;
  for (let left = sizeBytes; left > 0; left -= PIECE.length) yield PIECE.subarray(0, Math.min(left, PIECE.length));
  if (route === 'form') yield TAIL;
}

/** A file of this length that takes no space. */
export async function makeSparseFile(path: string, sizeBytes: number): Promise<string> {
  const file = await open(path, 'w');
  await file.truncate(sizeBytes);
  await file.close();
  return path;
}

const explain = (error: unknown): string => {
  const { cause } = error as { cause?: { code?: string; message: string } };
  return cause?.code ?? cause?.message ?? String(error);
};

async function bodyOfFetch(upload: Upload): Promise<Pick<RequestInit, 'body'> & { duplex?: 'half' }> {
  if (!upload.isDeclared)
    return { body: Readable.toWeb(Readable.from(generate(upload))) as ReadableStream, duplex: 'half' };
  const file = await openAsBlob(upload.file);
  return { body: upload.route === 'raw' ? file : new Blob([HEAD, file, TAIL]) };
}

const sendByFetch: UploadClient = async (upload) => {
  const init = { method: methodOf(upload), headers: headersOf(upload), ...(await bodyOfFetch(upload)) };
  const response = await fetch(upload.url, init as RequestInit);
  await response.text();
  return response.status;
};

const sendByUndici: UploadClient = async (upload) => {
  const length = upload.isDeclared ? { 'content-length': String(lengthOf(upload)) } : {};
  const headers = { ...headersOf(upload), ...length };
  const { statusCode, body } = await request(upload.url, {
    ...{ method: methodOf(upload), headers, body: Readable.from(generate(upload)) },
  });
  await body.text();
  return statusCode;
};

/** Standard output of a program that ended well; else how it ended. */
async function run(program: string, args: readonly string[], input?: Readable): Promise<string> {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const said: string[] = [];
  child.stdout.on('data', (chunk) => said.push(String(chunk)));
  child.stderr.on('data', (chunk) => said.push(String(chunk)));
  // It need not read to the end.
  child.stdin.on('error', () => input?.destroy());
  if (input) input.pipe(child.stdin);
  else child.stdin.end();
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) =>
      resolve(code === 0 ? said.join('') : `${program} ended with ${code}: ${said.join('')}`),
    );
  });
}

const toStatus = (said: string): number | string => (/^\d{3}$/.test(said.trim()) ? Number(said) : said);

/** `waits`: whether it waits for `100 Continue`, as it does of itself. */
const sendByCurl =
  (waits: boolean): UploadClient =>
  async (upload) => {
    const body = upload.isDeclared ? [`-T${upload.file}`] : ['-T-'];
    const headers = Object.entries(headersOf(upload)).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
    const sent =
      upload.route === 'form' && upload.isDeclared
        ? ['-H', headers[1] as string, '-F', `file=@${upload.file}`]
        : [...headers, '-X', methodOf(upload), ...body];
    const expect = waits ? [] : ['-H', 'Expect:'];
    const args = ['-sS', '-o/dev/null', '-w%{http_code}', ...expect, ...sent, upload.url];
    return toStatus(await run('curl', args, upload.isDeclared ? undefined : Readable.from(generate(upload))));
  };

// It writes the whole body before it reads anything.
const PYTHON = `
import http.client, sys, urllib.parse
url, method, key, kind, head, tail, size, declared = sys.argv[1:]
size, declared = int(size), declared == 'true'
at = urllib.parse.urlsplit(url)
def body():
    yield head.encode()
    left, piece = size, bytes(65536)
    while left > 0:
        yield piece[:left]
        left -= len(piece)
    yield tail.encode()
headers = {'Authorization': 'Bearer ' + key, 'Content-Type': kind}
if declared: headers['Content-Length'] = str(len(head) + size + len(tail))
connection = http.client.HTTPConnection(at.netloc)
connection.request(method, at.path + '?' + at.query, body(), headers, encode_chunked=not declared)
answer = connection.getresponse()
answer.read()
print(answer.status)
`;

const sendByPython: UploadClient = async (upload) => {
  const { url, apiKey, route, sizeBytes, isDeclared } = upload;
  const around = route === 'raw' ? ['', ''] : [String(HEAD), String(TAIL)];
  const type = headersOf(upload)['content-type'] as string;
  const said = ['-c', PYTHON, url, methodOf(upload), apiKey, type, ...around, String(sizeBytes), String(isDeclared)];
  return toStatus(await run('python3', said));
};

const clients: Record<string, UploadClient> = {
  fetch: sendByFetch,
  undici: sendByUndici,
  curl: sendByCurl(true),
  'curl that waits for nothing': sendByCurl(false),
  Python: sendByPython,
};

/** The clients of this machine by name, and the programs that it lacks. */
export async function findClients(): Promise<{ found: [string, UploadClient][]; missing: string[] }> {
  const programs = ['curl', 'python3'];
  const answers = await Promise.all(programs.map((program) => run(program, ['--version']).catch(() => undefined)));
  const missing = programs.filter((_, index) => answers[index] === undefined);
  const isFound = (name: string) => !missing.some((program) => name.toLowerCase().startsWith(program.replace('3', '')));
  const found = Object.entries(clients).filter(([name]) => isFound(name));
  return {
    missing,
    found: found.map(([name, send]) => [name, (upload) => send(upload).catch((error) => explain(error))]),
  };
}
