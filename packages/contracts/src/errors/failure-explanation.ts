/** The parts of the system that raise a failure, in the order in which a file and its message meet them. */
export const raisers = {
  inspection: 'the inspection of an upload',
  plan: 'the plan, before anything is sent',
  execution: 'the making of what the plan says',
  bus: 'the bus, where a message is given up',
  gateway: 'the gateway, which brings bytes to agents and owns their sessions',
  driver: "the agent's driver, from its program, its protocol or its provider",
} as const;
export type Raiser = keyof typeof raisers;

/** Explains a failure code to the person who meets it. */
export type FailureExplanation = {
  /** Empty where nothing raises it in this release. */
  raisedBy: readonly Raiser[];
  when: string;
  whatToDo: string;
  /** Whether the same message may succeed unedited (DL-42). */
  retryable: 'yes' | 'no' | { dependsOn: string };
};
