import { createServer } from 'node:http';
import { S3Store } from '@tus/s3-store';
import { Server } from '@tus/server';

// @tus/server as its documentation starts it, on the object store of the bench. Argument: where that is. Prints its address when it listens; ends at
// SIGTERM and with its input.

const { endpoint, accessKey, secretKey, bucket } = JSON.parse(process.argv[2] ?? '{}');
const credentials = { accessKeyId: accessKey, secretAccessKey: secretKey };
const datastore = new S3Store({
  s3ClientConfig: { bucket, endpoint, region: 'us-east-1', forcePathStyle: true, credentials },
});
const tus = new Server({ path: '/files', datastore });
const server = createServer((request, response) => tus.handle(request, response));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}\n`);
});
process.once('SIGTERM', () => process.exit(0));
process.stdin.once('end', () => process.exit(0)).resume();
