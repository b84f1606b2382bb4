import { readEnvironment } from '../config.ts';
import { cacheFolderOf } from '../native/build/find-or-build-server.ts';
import { agentNames } from './agent-table.ts';
import { ensureAgents } from './ensure-agents.ts';

// `npm run agents`: shows the agents that are there, and installs those that are missing.

const say = (line: string) => process.stdout.write(`${line}\n`);

const environment = readEnvironment();
const { found, missing } = await ensureAgents({
  cacheFolder: cacheFolderOf(environment),
  environment,
  onProgress: say,
});
for (const { name, version, program } of found) say(`${name.padEnd(18)}${version.padEnd(10)}${program}`);
for (const { why } of missing) process.stderr.write(`${why}\n`);
if (missing.length > 0) {
  process.stderr.write(
    `${missing.length} of ${agentNames.length} agents are missing. Check that npm is on PATH and reaches its registry, then run npm run agents again.\n`,
  );
  process.exitCode = 1;
}
