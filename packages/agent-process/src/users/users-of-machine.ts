/** Users by number, the last one included. */
export type UserRange = { first: number; last: number };

export type UsersOfMachine = {
  /** Which users of the range have processes. */
  listBusy(range: UserRange): Promise<Set<number>>;
  /** Ends every process of a user. */
  endAll(uid: number): Promise<void>;
};
