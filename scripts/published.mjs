/** What a workflow writes after `uses:` to run the published Action: owner, repository and version, kept here and nowhere else. */
export const PUBLISHED_ACTION = 'data-director/grounding-gate@v0';
