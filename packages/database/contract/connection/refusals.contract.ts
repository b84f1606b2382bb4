/** SQLSTATE of what a query threw. */
function sqlStateOf(error: unknown): string | undefined {
  const { cause, code } = error as { cause?: { code?: string }; code?: string };
  return cause?.code ?? code;
}

/** SQLSTATE that a query was refused with; undefined if it was not. */
export async function refusalOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return sqlStateOf(error);
  }
}

export const INSUFFICIENT_PRIVILEGE = '42501';
export const FOREIGN_KEY_VIOLATION = '23503';
