import { driveCells } from './src/drive-program.ts';

await driveCells('gemini');
