import type { RunState } from '../model/stored-run.js';
import { html, type Markup } from './markup.js';

/** How a state is told: a word, a sign that differs by shape and not by colour alone, and what it means. */
export interface StateWords {
  readonly word: string;
  readonly means: string;
}

/** The states of a stored run (contract 9), as a reader of the report meets them. */
export const STATES = {
  passed: { word: 'Passed', means: 'Both checks hold, and nothing was changed since the run was stored.' },
  withheld: {
    word: 'Withheld',
    means: 'The run broke a rule when it was made. It was stored without payload and evidence: nobody relied on it.',
  },
  failed: { word: 'Failed', means: 'The run breaks a rule and shows its result all the same. Do not rely on it.' },
  tampered: {
    word: 'Tampered',
    means: 'The stored run no longer agrees with its surroundings: it was changed after it was judged.',
  },
  unreadable: { word: 'Unreadable', means: 'Files of the run are missing or malformed, so that nobody can judge it.' },
} as const satisfies Record<RunState, StateWords>;

/** A state as a badge. */
export function badge(state: RunState): Markup {
  return html`<span class="badge ${state}">${icon(state)}${STATES[state].word}</span>`;
}

/** The sign of a state; the word beside it is what a screen reader says. */
export function icon(state: RunState): Markup {
  return html`<svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">${ICONS[state]}</svg>`;
}

const ICONS: Readonly<Record<RunState, Markup>> = {
  passed: html`<circle class="disc" cx="8" cy="8" r="8"/><path class="stroke" d="M4.5 8.3l2.4 2.4 4.6-5"/>`,
  withheld: html`<rect class="disc" width="16" height="16" rx="3"/><path class="stroke" d="M4 8h8"/>`,
  failed: html`<path class="disc" d="M4.7 0h6.6L16 4.7v6.6L11.3 16H4.7L0 11.3V4.7z"/><path class="stroke" d="M5.3 5.3l5.4 5.4m0-5.4l-5.4 5.4"/>`,
  tampered: html`<path class="disc" d="M8 .6l8 14.8H0z"/><path class="stroke" d="M8 6v4.2m0 2.1v.6"/>`,
  unreadable: html`<circle class="ring" cx="8" cy="8" r="7"/><path class="line" d="M6 6.2a2 2 0 1 1 2.7 1.9c-.5.2-.7.5-.7 1.2m0 2v.6"/>`,
};
