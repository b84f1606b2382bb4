/** Of all packages of the repository. */
export const RELEASE = '0.1.0';
