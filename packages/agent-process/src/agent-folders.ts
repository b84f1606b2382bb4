import path from 'node:path';

/** The folders of one agent, all inside its own. */
export type AgentFolders = {
  home: string;
  /** `TMPDIR`. */
  temporary: string;
  /** The folder in which the program starts. */
  work: string;
  /** The folder for the program's settings, sign-in and transcripts. */
  config: string;
  /** Read-only copies that its tools asked for. */
  files: string;
};

export function agentFolders(folder: string): AgentFolders {
  return {
    home: path.join(folder, 'home'),
    temporary: path.join(folder, 'tmp'),
    work: path.join(folder, 'work'),
    config: path.join(folder, 'config'),
    files: path.join(folder, 'files'),
  };
}
