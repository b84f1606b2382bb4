import { driveProgram } from './src/drive-program.ts';

await driveProgram('codex-acp');
