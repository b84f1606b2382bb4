// Made by npm run docs.
import { driveOwnCalls } from '../../src/drive-program.ts';

await driveOwnCalls('codex');
