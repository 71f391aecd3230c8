import { html, type Markup } from './markup.js';

/** Our own prose, whose only Markdown is code between backticks and emphasis between pairs of stars. */
export function prose(markdown: string): Markup {
  const parts = markdown.split(/(`[^`]+`|\*\*[^*]+\*\*)/);
  return html`${parts.map((part) => {
    if (part.startsWith('`') && part.length > 2) return html`<code>${part.slice(1, -1)}</code>`;
    if (part.startsWith('**') && part.length > 4) return html`<strong>${part.slice(2, -2)}</strong>`;
    return part;
  })}`;
}
