import type { ProgramDriver } from '@attache/agent-process/create-driver';
import { claudeSettings } from './claude-settings.ts';
import { speakClaude } from './stream-json/claude-protocol.ts';

/** Claude Code as a process that takes a line a turn (seen with 2.1.329). */
export const claudeDriver: ProgramDriver = {
  traits: { takesFiles: false, isSelfDescribing: false },
  settingsOf: claudeSettings,
  speak: speakClaude,
};
