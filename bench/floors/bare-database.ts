import { PGlite } from '@electric-sql/pglite';

// The least start and memory of the embedded stack: Node, and PGlite open on a folder. Argument: the folder. Ends at SIGTERM and with its input.

const [folder = '.'] = process.argv.slice(2);
const database = await PGlite.create(folder);
await database.query('select 1');
process.stdout.write('Database open\n');
process.stdin.resume().once('end', () => process.exit(0));
process.once('SIGTERM', () => process.exit(0));
