/** Explains an error to the person who meets it. */
export type ErrorExplanation = { when: string; whatToDo: string };
