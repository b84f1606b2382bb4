import type { Attachment, Delivery, Failure, FailureCode } from '@attache/contracts';
import { profileSchema } from '@attache/contracts';
import type { Api } from '@attache/test-harness';
import { expect } from 'vitest';
import type { File } from './failing-files.ts';

const program = ['attache-example-agent'];
export const acpProfile = (profile: object) => profileSchema.parse({ runtime: 'acp', command: program, ...profile });

export type SceneOptions = { profile?: string; model?: string; conversions?: 'allow' | 'deny'; files: File[] };
export type Scene = { sessionId: string; agentId: string; attachments: Attachment[] };

/** A session with one agent and inspected files, and what is done with them. */
export function createScenes(api: () => Api) {
  const send = ({ sessionId, agentId, attachments }: Scene) => {
    const body = { to: [agentId], text: 'look', attachmentIds: attachments.map(({ id }) => id) };
    return api().call('POST', `/sessions/${sessionId}/messages`, { body });
  };
  return {
    async open({
      profile = 'example',
      model = 'example-vision',
      conversions = 'allow',
      files,
    }: SceneOptions): Promise<Scene> {
      const agents = [{ name: 'a', role: 'lead', target: { profile, model } }];
      const { body } = await api().call('POST', '/sessions', { body: { agents, conversions } });
      const session = body.session as { id: string; agents: { id: string }[] };
      const attachments: Attachment[] = [];
      for (const { bytes, name, type } of files) {
        const { attachment } = await api().upload(session.id, bytes, { name, type });
        attachments.push(await api().inspected(attachment.id));
      }
      return { sessionId: session.id, agentId: session.agents[0]?.id ?? '', attachments };
    },
    send,
    /** Sends it and waits for the end of its delivery. */
    async deliver(scene: Scene): Promise<Delivery> {
      const answer = await send(scene);
      expect(answer.status, JSON.stringify(answer.body)).toBe(202);
      return api().settled((answer.body.deliveries as { id: string }[])[0]?.id ?? '');
    },
  };
}

/** A failure of this code that says what to do and tells nothing of the machine. */
export function expectFailure(failure: Failure | undefined, code: FailureCode): void {
  expect(failure?.code, JSON.stringify(failure)).toBe(code);
  expect(failure?.userMessage).toMatch(/[.!]$/);
  expect(JSON.stringify(failure)).not.toMatch(/\/tmp|\/work|\n\s+at /);
}
