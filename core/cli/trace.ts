import { readInputFile } from '../io/input-file.js';
import type { Conclusion } from '../report/conclusion.js';
import { traceMermaid } from '../report/trace-mermaid.js';
import { traceText } from '../report/trace-text.js';
import { readSpans } from '../trace/index.js';
import type { Call } from './command.js';
import { deliver } from './deliver.js';

/** `grounding trace SPANS`: the tree of a trace, with what each span is taken for and why. It judges nothing. */
export async function execute(call: Call): Promise<Conclusion> {
  const [file = ''] = call.args;
  const spans = readSpans(readInputFile(file), { file });
  const mermaid = call.options.choice('format', TRACE_FORMATS) === 'mermaid';
  await deliver(call, mermaid ? traceMermaid(spans) : traceText(spans));
  return 'passed';
}

const TRACE_FORMATS = ['text', 'mermaid'] as const;
