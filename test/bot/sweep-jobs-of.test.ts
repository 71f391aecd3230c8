import { expect, test } from 'vitest';
import { sweepJobsOf } from '../../bot/sweep-jobs-of.js';

const payload = (action: string) => ({ action, installation: { id: 9 } });

test.each([
  ['installation', 'created'],
  ['installation', 'unsuspend'],
  ['installation', 'new_permissions_accepted'],
  ['installation_repositories', 'added'],
])('returns a sweep of the installation on %s.%s', (name, action) => {
  expect(sweepJobsOf(name, payload(action))).toEqual([{ kind: 'installation', installation: 9 }]);
});

test.each([
  ['installation', payload('deleted')],
  ['installation', payload('suspend')],
  ['installation_repositories', payload('removed')],
  ['pull_request', payload('created')],
  ['installation', { action: 'created' }],
  ['installation', { action: 'created', installation: { id: '9' } }],
  ['installation', null],
  ['installation', 'created'],
])('returns nothing on %s with %j', (name, value) => {
  expect(sweepJobsOf(name, value)).toEqual([]);
});
