import type { UploadAnswer } from '../answers.ts';
import { AttacheError } from '../errors/attache-error.ts';
import { type PlainAnswer, readProblem } from '../errors/read-problem.ts';
import { parseAnswer } from '../request/requester.ts';
import { putByFetch } from './put-by-fetch.ts';
import { findXhr, putByXhr } from './put-by-xhr.ts';
import type { UploadJob, UploadWay } from './upload-way.ts';

/** The whole file as the body of one PUT: by XMLHttpRequest where there is one, since it reports progress, and by fetch elsewhere. */
export const rawPut: UploadWay = {
  supports: () => true,
  send(job) {
    const { sessionId, name, source, encoding, requester } = job;
    const path = `/sessions/${encodeURIComponent(sessionId)}/attachments`;
    const url = requester.urlOf(path, { name, source, encoding });
    return requester.withToken(async (authorization) => {
      const headers = {
        accept: 'application/json',
        'content-type': job.mimeType,
        'idempotency-key': job.idempotencyKey,
        ...authorization,
      };
      return readAnswer(await put(job, url, headers));
    });
  },
};

function put(job: UploadJob, url: string, headers: Record<string, string>): Promise<PlainAnswer> {
  const xhr = job.requester.isOwnFetch ? findXhr() : undefined;
  return xhr ? putByXhr(xhr, job, url, headers) : putByFetch(job, url, headers);
}

function readAnswer(answer: PlainAnswer): UploadAnswer {
  const { status, text } = answer;
  if (status < 200 || status > 299) throw readProblem(answer);
  const stored = parseAnswer<UploadAnswer | undefined>(status, text);
  if (stored?.attachment) return stored;
  const message =
    'The server took the file and did not say under which id. Check that `baseUrl` is the address of Attaché.';
  throw new AttacheError('ANSWER_UNREADABLE', message, { status });
}
