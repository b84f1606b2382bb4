import { driveLimits } from './src/drive-program.ts';

await driveLimits('claude-acp');
