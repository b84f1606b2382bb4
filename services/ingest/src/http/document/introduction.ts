import type { RouteTag } from '@attache/contracts';

/** The introduction that readers see before the first route. */
export const introduction = `Attaché takes the files of your users and brings them to AI agents, in a form that each agent's model takes, with a receipt of what was sent.

## The main job

1. \`POST /v1/sessions\` makes a session with its agents.
2. \`POST\` or \`PUT /v1/sessions/{sessionId}/attachments\` uploads a file. It is inspected; \`attachment.ready\` says what it is.
3. \`POST /v1/sessions/{sessionId}/messages\` sends it to agents. A message that an agent could not take is refused with the reason; \`…/plan\` asks that beforehand.
4. \`GET /v1/sessions/{sessionId}/events\` with \`Accept: text/event-stream\` follows what happens: the delivery, and what the agent says.
5. \`GET /v1/deliveries/{deliveryId}\` has the receipt.

## What holds everywhere

- **Credentials.** \`Authorization: Bearer\` with an API key (\`atk_…\`) for a backend, or with a session token (\`ats_…\`) for a browser. A signed URL needs neither, and a ticket takes the place of either for one stream of \`EventSource\`.
- **Tenants.** The tenant comes from the credential alone. What is unknown, deleted, of another tenant or not visible is the same 404.
- **Shapes.** JSON in camelCase. Ids are a prefix and 22 letters, times ISO 8601 in UTC, sizes bytes. An answer may get new fields, and a log new kinds of events: ignore those that you do not know.
- **Pages.** A list has \`items\` and \`nextCursor\`, which is null on the last page.
- **Repeating.** A request with an \`Idempotency-Key\` may be sent again: within 24 hours it gets the first answer.
- **Errors.** Every refusal is \`application/problem+json\` with a stable \`code\`, what to do in \`detail\`, and whether \`retryable\`. Its \`type\` leads to a page about the code.
`;

const descriptions: Record<RouteTag, string> = {
  Sessions: 'Conversations, the people who take part, and their tokens.',
  Agents: 'Who gets the messages of a session.',
  Attachments: 'Files of a session: upload, list, read, delete, and URLs of their bytes.',
  Messages: 'What is sent to agents, what they would get, and the parts for a model API.',
  Deliveries: 'What became of a message for each agent, with a receipt.',
  Events: 'The log of a session, in pages and live.',
  Capabilities: 'What models take, and what a tenant says of them.',
  Access: 'Grants of agents, API keys, and secrets of a tenant.',
  Account: 'What a tenant used, and its audit log.',
};

/** The groups of routes, in the order of a reader. */
export const tags = Object.entries(descriptions).map(([name, description]) => ({ name, description }));
