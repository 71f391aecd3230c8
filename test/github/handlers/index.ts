import type { Route } from '../http/call.js';
import { operations } from '../http/description.js';
import { actions } from './actions.js';
import { apps } from './apps.js';
import { checks } from './checks.js';
import { codeScanning } from './code-scanning.js';
import { comments } from './comments.js';
import { git } from './git.js';
import { issues } from './issues.js';
import { pulls } from './pulls.js';
import { repositories } from './repositories.js';

const all = {
  ...actions,
  ...apps,
  ...checks,
  ...codeScanning,
  ...comments,
  ...git,
  ...issues,
  ...pulls,
  ...repositories,
};

/** What every operation of the subset does; one without a handler stops the server before the first test. */
export const routes: ReadonlyMap<string, Route> = new Map(Object.entries(all));

const missing = operations.filter((operation) => !routes.has(operation.id)).map((operation) => operation.id);
if (missing.length > 0) throw new Error(`no handler for ${missing.join(', ')}`);
