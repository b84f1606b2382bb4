import { driveProgram } from './src/drive-program.ts';

await driveProgram('gemini');
