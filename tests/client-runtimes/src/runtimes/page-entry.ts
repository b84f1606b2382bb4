import { runSuite } from '../suite.ts';

Object.assign(globalThis, { runSuite });
