/** The version of every package of the repository. */
export const RELEASE = '0.1.0';
