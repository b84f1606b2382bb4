// Made by npm run docs.
import { driveLimits } from '../../src/drive-program.ts';

await driveLimits('claude');
