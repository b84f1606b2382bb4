import { json } from 'node:stream/consumers';
import { type Attack, attack } from './attack.ts';

// A gateway of any user with one hostile agent: reads the attack on standard input, and says what was reached.
process.stdout.write(JSON.stringify(await attack((await json(process.stdin)) as Attack)));
