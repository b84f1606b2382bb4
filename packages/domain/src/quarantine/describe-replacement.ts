/** The text in the place of a picture that was set aside. It never changes either. */
export function describeAside(attachmentId: string | undefined): string {
  const why = 'the conversation has more pictures than its model takes at once';
  if (attachmentId === undefined) return `[a picture was set aside: ${why}]`;
  return `[attachment id=${attachmentId} was set aside: ${why}; resource_view shows it again]`;
}

/** Goes before the next message where the program has left an attachment out of its conversation by itself. */
export function describeDropped({
  attachmentId,
  isAfterRefusal,
}: {
  attachmentId: string;
  isAfterRefusal: boolean;
}): string {
  if (isAfterRefusal) return `[attachment id=${attachmentId} was left out: the model refused a request that held it]`;
  return `[attachment id=${attachmentId} is no longer in this conversation; resource_view shows it again]`;
}

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
