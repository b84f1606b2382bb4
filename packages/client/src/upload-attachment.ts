import type { UploadAnswer } from './answers.ts';
import { type ClientOptions, createClient } from './client.ts';
import type { UploadFile, UploadOptions } from './upload/upload-way.ts';

/** Uploads one file without a client of its own: `uploadAttachment('/attache', sessionId, file)`. Rejects with an `AttacheError`. */
export function uploadAttachment(
  baseUrl: string,
  sessionId: string,
  file: UploadFile,
  options: UploadOptions & Omit<ClientOptions, 'baseUrl'> = {},
): Promise<UploadAnswer> {
  const { getToken, basePath, fetch, ways, ...upload } = options;
  return createClient({ baseUrl, getToken, basePath, fetch, ways }).session(sessionId).upload(file, upload);
}
