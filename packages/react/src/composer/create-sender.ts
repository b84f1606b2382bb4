import { type AttacheError, type Draft, isAttacheError, type SentAnswer, type SessionClient } from '@attache/client';

export type SendOutcome = { status: 'sent'; answer: SentAnswer } | { status: 'failed'; error: AttacheError };

type Message = { text: string; to?: readonly string[] | undefined };

export type Sender = {
  /**
   * Sends the text with the files of the draft. Undefined during a send, so that two clicks send once. A failed send keeps the files; the next one of the
   * same message repeats its idempotency key where the server may have taken it.
   */
  send(message: Message): Promise<SendOutcome> | undefined;
};

type Sending = {
  session: Pick<SessionClient, 'send'>;
  draft: Pick<Draft, 'take' | 'settle' | 'recheck'>;
  makeKey: () => string;
};

export function createSender({ session, draft, makeKey }: Sending): Sender {
  let isRunning = false;
  let uncertain: { key: string; content: string } | undefined;
  const attempt = async ({ text, to }: Message): Promise<SendOutcome> => {
    const { generation, attachmentIds } = draft.take();
    const content = JSON.stringify([text, to, attachmentIds]);
    const idempotencyKey = uncertain?.content === content ? uncertain.key : makeKey();
    uncertain = undefined;
    try {
      const answer = await session.send({ text, to, attachmentIds }, { idempotencyKey });
      draft.settle(generation, 'sent');
      return { status: 'sent', answer };
    } catch (error) {
      draft.settle(generation, 'failed');
      if (!isAttacheError(error)) throw error;
      if (error.code === 'ATTACHMENT_NOT_FOUND') void draft.recheck();
      if (mayHaveArrived(error)) uncertain = { key: idempotencyKey, content };
      return { status: 'failed', error };
    }
  };
  return {
    send(message) {
      if (isRunning) return undefined;
      isRunning = true;
      return attempt(message).finally(() => {
        isRunning = false;
      });
    },
  };
}

// A refusal with a status below 500 is certain, but for those that tell of an attempt before.
const mayHaveArrived = ({ status }: AttacheError) => status === undefined || status >= 500 || status === 409;
