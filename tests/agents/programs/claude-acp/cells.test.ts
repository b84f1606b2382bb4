// Made by npm run docs.
import { driveCells } from '../../src/drive-program.ts';

await driveCells('claude-acp');
