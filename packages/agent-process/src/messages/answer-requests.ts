import { createFrame } from '../frames/create-frame.ts';
import type { FrameWriter } from '../frames/write-frame.ts';

/** Requests of an agent that may be in work at once; with so many nothing more of it is read. */
const MAX_REQUESTS_IN_WORK = 32;

/** Responds to what an agent asks of its host, side by side: an answer may need a person, and its other messages must not wait for it. */
export type RequestAnswering = {
  /** Resolves as soon as another message may be read. `compose` makes the message that answers, and never throws. */
  answer(compose: () => Promise<object>): Promise<void>;
};

/** `onStalled` is called where the agent does not take an answer: what it asks on would only pile up here. */
export function createRequestAnswering(writer: FrameWriter, onStalled: () => void): RequestAnswering {
  const inWork = new Set<Promise<void>>();
  const answerOne = async (compose: () => Promise<object>) => {
    const answer = await compose();
    const { status } = await writer.write(createFrame(() => answer));
    if (status === 'stalled') onStalled();
  };
  return {
    async answer(compose) {
      const work = answerOne(compose).finally(() => inWork.delete(work));
      inWork.add(work);
      if (inWork.size >= MAX_REQUESTS_IN_WORK) await Promise.race(inWork);
    },
  };
}
