/** The text in the place of a refused block. It depends on nothing else, so that a conversation keeps its beginning. Without an id: none of our attachments. */
export function describeReplacement({
  attachmentId,
  code,
}: {
  attachmentId?: string | undefined;
  code: string;
}): string {
  const what = attachmentId === undefined ? 'a file' : `attachment id=${attachmentId}`;
  return `[${what} was refused by the model: ${code}]`;
}
