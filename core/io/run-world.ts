import { setTimeout as sleep } from 'node:timers/promises';
import { askDoor } from '../agents/ask-door.js';
import type { RunWorld } from '../agents/delegate/run-call.js';
import { systemClock } from './clock.js';
import { httpClient } from './http-client.js';
import { systemIds } from './ids.js';
import { randomSpanIds } from './span-ids.js';

/** What an agent's runs are made in: clock, span ids, and the way to the harness, which is loaded when it is first taken. */
export function runWorld(): RunWorld {
  const clock = systemClock();
  return {
    clock,
    ids: randomSpanIds(),
    askDoor: (access, path) => askDoor(access, { path, world: { http: httpClient, sleep } }),
    delegate: async (delegation, request) => {
      const { delegateOver } = await import('../agents/a2a/delegate-client.js');
      return delegateOver(delegation, { request, world: { http: httpClient, invocationIds: systemIds(), clock } });
    },
  };
}
