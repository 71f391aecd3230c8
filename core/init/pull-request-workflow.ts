/** `.github/workflows/examples/grounding-pull-request.yml`, which a test holds against this: the package has no such folder. */
export const PULL_REQUEST_WORKFLOW = `# As .github/workflows/grounding.yml: judges what the agents of a pull request cite, and blocks the merge where it is not
# what they read. Make the check "grounding" required in the branch's rules.
name: grounding

on:
  pull_request:
    types: [opened, synchronize, reopened, ready_for_review, edited]
  merge_group:
  push:
    # Runs here are what later pull requests are compared with.
    branches: [main]

permissions:
  contents: read
  checks: write
  pull-requests: write
  actions: read

concurrency:
  # A newer push of a pull request makes the older one's verdict worthless; runs on the branch itself are kept.
  group: grounding-\${{ github.event.pull_request.number || github.run_id }}
  cancel-in-progress: true

jobs:
  grounding:
    # A title that was edited changes nothing; another base changes what binds.
    if: github.event.action != 'edited' || github.event.changes.base
    runs-on: ubuntu-latest
    timeout-minutes: 45
    steps:
      - uses: actions/checkout@v5
        with:
          # The base commit binds: with the whole history git has it at hand.
          fetch-depth: 0
          persist-credentials: false
      - uses: actions/setup-node@v5
        with:
          node-version: 24
      - run: npm ci
      - uses: data-director/grounding-gate@v0
`;
