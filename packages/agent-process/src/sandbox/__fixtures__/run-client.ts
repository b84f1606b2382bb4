import { type Client, clients } from './box-clients.ts';
import { reachBox } from './reach-box.ts';

// A program inside a box: `node run-client.ts <name> <port> <path>` writes what it has seen as JSON.

const [name = '', port = '', path = ''] = process.argv.slice(2);
const all: Record<string, Client> = { ...clients, 'reach-box': reachBox };
const run = all[name];
if (run === undefined) throw new Error(`There is no client named ${name}.`);
process.stdout.write(JSON.stringify(await run(Number(port), path)));
