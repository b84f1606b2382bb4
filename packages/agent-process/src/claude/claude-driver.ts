import { createDriver, type DriverOptions } from '../create-driver.ts';
import type { AgentDriver } from '../driver.ts';
import { claudeSettings } from '../settings/claude-settings.ts';
import { speakClaude } from './claude-protocol.ts';

/** Drives Claude Code by its stream-json input and its control protocol (seen with 2.1.329). */
export function createClaudeDriver(options: DriverOptions): AgentDriver {
  const definition = {
    runtime: 'claude-stream-json',
    traits: { takesFiles: false, isSelfDescribing: false },
    settingsOf: claudeSettings,
    speak: speakClaude,
  } as const;
  return createDriver(definition, options);
}
