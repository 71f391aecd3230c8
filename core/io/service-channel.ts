/** The descriptor over which a service's host tells how its command ended, and learns that its parent is gone. */
export const LIFELINE_FD = 3;

/** How long a service may take to end after it was asked to. */
export const GRACE_MS = 2_000;
