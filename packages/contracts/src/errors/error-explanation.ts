/** What is to be known of an error by whoever meets it. */
export type ErrorExplanation = { when: string; whatToDo: string };
