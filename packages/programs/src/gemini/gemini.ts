import { asText, notCarried, type TransportRow } from '@attache/domain';
import { anyPdf, anySpeech, overAcp, seenOn } from '../evidence.ts';
import { PERMISSION_REQUEST } from '../gate-place.ts';
import type { Program } from '../program.ts';

const PROGRAM = 'gemini';

const row: TransportRow = {
  ...overAcp,
  program: PROGRAM,
  tools: 'yes',
  readsFiles: seenOn(
    '2026-11-22',
    'Gemini CLI 0.61.0 --acp: its shell read a .docx and read_file an SVG by the path that attachment_file told, in a folder that its settings name.',
  ),
  kinds: {
    // Forwarded as they are, whatever their size.
    image: { carried: 'yes', mimeTypes: ['image/png', 'image/jpeg', 'image/webp'] },
    document: anyPdf,
    text: asText,
    audio: anySpeech,
    video: notCarried,
  },
  evidence: seenOn(
    '2026-11-21',
    'Gemini CLI 0.61.0 --acp: images, embedded PDF and sound reached the model with the same digest.',
  ),
};

/** Gemini CLI as an agent of the Agent Client Protocol. */
export const gemini: Program = {
  name: PROGRAM,
  runtime: 'acp',
  takesAnyCommand: false,
  rows: [row],
  providers: ['google'],
  gate: {
    place: `${PERMISSION_REQUEST}, with a policy that makes its tools ask`,
    coversEveryCall: false,
    note: 'Shell commands that it takes for safe run without, also behind `bash -lc`. A request has the title of the call and not its arguments: what the title leaves out is not judged.',
    runsAnyway: ['cat', 'head', 'tail', 'grep', 'nl', 'tac', 'cut', 'ls', 'bash -lc'],
    denial: 'a policy that takes every tool away but those of Attaché',
  },
  listsToolsAtStart: true,
  isBundled: false,
  profile: { name: 'gemini', command: [PROGRAM, '--acp'], provider: 'google' },
  package: { key: 'gemini-cli', npmPackage: '@google/gemini-cli', version: '0.61.0', bin: PROGRAM },
  hosts: ['generativelanguage.googleapis.com:443', 'cloudcode-pa.googleapis.com:443', 'oauth2.googleapis.com:443'],
  errands: [{ kind: 'count-tokens' }],
  // It took 2 MB, and of 8 MB it made no request.
  maxTurnCharacters: 2_000_000,
  turnRequests: { carryTools: true, errandTexts: [] },
  memory: {
    // It opens a file that is named by this minute before it reads, and a second look at what it left itself deletes that (seen with 0.61.0).
    isOnlyRestored: true,
    files: [
      {
        path: 'config/.gemini/tmp/*/chats/session-*-{reference8}.jsonl',
        form: 'lines',
        isNeeded: true,
        restoredAs: 'session-2026-01-01T00-00-{reference8}.jsonl',
      },
    ],
    hindrances: ['config/.gemini/projects.json', 'config/.gemini/tmp/*/chats/*', 'config/.gemini/tmp/*/.project_root'],
  },
  words: {
    endpoint: { apis: ['google'], by: 'variables', model: 'told' },
    resumesBy: '`session/load`, from its checkpoint alone',
    homeUnderDeny: 'its policies do not count',
  },
  loadDriver: async () => (await import('./gemini-driver.ts')).geminiDriver,
  loadTrial: async () => (await import('./gemini-trial.ts')).geminiTrial,
};
