/** What a profile or an expectation may require of a run: `witnessed` has the rules W1 and W2 judged. */
export const REQUIREMENTS = ['witnessed'] as const;
export type Requirement = (typeof REQUIREMENTS)[number];
