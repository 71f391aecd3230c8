/** Descriptors of an agent's process; 0 to 2 are its own to print to. */
export const CHANNEL_FD = 3;
export const LIFELINE_FD = 4;
