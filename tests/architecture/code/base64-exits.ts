/** A file that may turn bytes into base64, and which exit it is. */
export type Base64Exit = { path: string; exit: string };

/**
 * The only files that may produce base64. Content leaves in base64 through four exits: a driver's native block, a tool result
 * marked for re-inspection, projections asked for with their bytes inline, and the replay of a session to an ACP client.
 * `spelling of ids` is no exit for content: sixteen bytes, written as base64url. Nor is `password verifier`: what Postgres stores of a
 * service's password, as RFC 5803 spells it. `images of a message` is of the sender: a browser writes its own files so. Nor is `words about a refused file`: a text of ours where Google takes files alone.
 */
export const base64Exits: Base64Exit[] = [
  { path: 'packages/agent-process/src/frames/write-frame.ts', exit: "a driver's native block" },
  { path: 'services/runner-gateway/src/mcp/view/answer-image.ts', exit: 'a tool result marked for re-inspection' },
  { path: 'services/ingest/src/http/bytes/stream-projection.ts', exit: 'projections with their bytes inline' },
  { path: 'packages/contracts/src/ids.ts', exit: 'spelling of ids' },
  { path: 'packages/database/src/migrate/scram-verifier.ts', exit: 'password verifier' },
  { path: 'packages/client/src/draft/to-image-contents.ts', exit: 'images of a message' },
  { path: 'packages/model-relay/src/splice/list-pieces.ts', exit: 'words about a refused file' },
];
