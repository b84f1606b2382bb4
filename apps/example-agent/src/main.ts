#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { readConfig } from './config.ts';

enableCompileCache();

const config = readConfig();

if (config.start === 'exit') {
  process.exitCode = 3;
} else if (config.start === 'garbage') {
  const { writeGarbage } = await import('./misbehave.ts');
  await writeGarbage();
} else {
  const { serveAgent } = await import('./serve-agent.ts');
  await serveAgent(config);
}
