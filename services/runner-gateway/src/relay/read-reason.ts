/** The provider's message in the body of a refusal, as all four APIs spell it; empty if it is spelled in another way. */
export function readReason(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    const error = fieldOf(Array.isArray(body) ? body[0] : body, 'error');
    const message = fieldOf(error, 'message');
    return typeof message === 'string' ? message : '';
  } catch {
    return '';
  }
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
