export { classify, type SpanRole } from './classify.js';
export { InstantReader } from './instant.js';
export { ATTRIBUTES, SPAN_NAMES } from './names.js';
export { readSpans } from './read-spans.js';
export { NO_FACTS, type Span, type SpanFacts } from './span.js';
