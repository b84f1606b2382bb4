/** How a fake agent says a line, and takes one. */
export type Send = (message: object) => void;
export type Take = (message: Record<string, unknown>) => Promise<void>;
