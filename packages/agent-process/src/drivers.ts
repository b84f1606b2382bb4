import type { DrivenRuntime } from '@attache/contracts';
import { createAcpDriver } from './acp/acp-driver.ts';
import { createClaudeDriver } from './claude/claude-driver.ts';
import { createCodexDriver } from './codex/codex-driver.ts';
import type { DriverOptions } from './create-driver.ts';
import type { AgentDriver } from './driver.ts';

/** Every driver there is, by its runtime. */
export function createDrivers(options: DriverOptions): Record<DrivenRuntime, AgentDriver> {
  return {
    'claude-stream-json': createClaudeDriver(options),
    'codex-app-server': createCodexDriver(options),
    acp: createAcpDriver(options),
  };
}
