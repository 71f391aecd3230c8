export { classify, type Shown } from './classify.js';
export { likeness } from './dialects/likeness.js';
export { DIALECTS } from './dialects/table.js';
export type { FetchedDocument } from './documents.js';
export { InstantReader } from './instant.js';
export { ATTRIBUTES, SPAN_NAMES } from './names.js';
export { readSpans } from './read-spans.js';
export type { Recognition, SpanRole } from './recognition.js';
export { type Loss, NO_FACTS, type Span, type SpanFacts } from './span.js';
