// Made by npm run docs.
import { driveSizes } from '../../src/drive-program.ts';

await driveSizes('opencode');
