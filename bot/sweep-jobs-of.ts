import type { Job } from './jobs.js';
import { idMember, textMember } from './member.js';

/** What makes an installation worth a sweep: before, nothing of its repositories was seen, or some writes were refused. */
const SWEPT: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['installation', new Set(['created', 'unsuspend', 'new_permissions_accepted'])],
  ['installation_repositories', new Set(['added'])],
]);

/** The sweep that a webhook about an installation asks for. */
export function sweepJobsOf(name: string, payload: unknown): readonly Job[] {
  const installation = idMember(payload, 'installation', 'id');
  const asks = SWEPT.get(name)?.has(textMember(payload, 'action') ?? '') === true;
  return asks && installation !== undefined ? [{ kind: 'installation', installation }] : [];
}
