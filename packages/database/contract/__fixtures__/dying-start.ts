import { PGlite } from '@electric-sql/pglite';
import { connectPglite } from '../../src/connect-pglite.ts';

// Opens a data folder, and ends by SIGKILL right before one of the messages that it sends to the database. Arguments: the folder, and the number of that
// message. Without a number it opens the folder, and prints how many messages that took.

const [, , folder = '', deadly] = process.argv;
const { execProtocolRawSync: send } = PGlite.prototype;
let count = 0;
PGlite.prototype.execProtocolRawSync = function sendOrDie(message) {
  count += 1;
  if (count === Number(deadly)) process.kill(process.pid, 'SIGKILL');
  return send.call(this, message);
};
const db = await connectPglite({ folder });
await db.close();
process.stdout.write(String(count));
