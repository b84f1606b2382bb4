/** The ownership that a gateway must still hold for its write to count. */
export type Fence = { incarnation: string; epoch: number };
