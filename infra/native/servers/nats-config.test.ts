import { describe, expect, it } from 'vitest';
import { formatNatsConfig } from './nats-config.ts';

const users = [{ service: 'ingest', password: 'a"b', permissions: { publish: ['work.>'], subscribe: ['_INBOX.>'] } }];

describe('formatNatsConfig', () => {
  it('names each user with the subjects it may use', () => {
    expect(formatNatsConfig({ users })).toBe(`authorization {
  users = [
    {
      user: "ingest"
      password: "a\\"b"
      permissions {
        publish { allow: ["work.>"] }
        subscribe { allow: ["_INBOX.>"] }
      }
    }
  ]
}
`);
  });

  it('writes each message to disk where it must outlive the machine', () => {
    expect(formatNatsConfig({ users, isDurable: true })).toContain('jetstream { sync_interval: always }');
  });
});
