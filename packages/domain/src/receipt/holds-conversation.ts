import { isAccepted, type WireRequest } from './wire-facts.ts';

/**
 * Whether a program that was asked to continue a conversation did so: then its first request to the model contains earlier output of the model. Undefined if no
 * request was read.
 */
export function holdsConversation(requests: readonly WireRequest[]): boolean | undefined {
  const first = requests.find((request) => request.blocks !== undefined && isAccepted(request));
  return first?.blocks?.some(({ place }) => place === 'assistant');
}
