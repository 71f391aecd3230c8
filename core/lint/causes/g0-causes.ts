import type { RuleCause } from '../../model/rule-page.js';
import { EXAMPLE_INPUT, exampleRun } from '../example-run.js';

const MANY = Object.fromEntries(Array.from({ length: 128 }, (_, i) => [`note.${i}`, 'x']));
const FEW = Object.fromEntries(Array.from({ length: 3 }, (_, i) => [`note.${i}`, 'x']));

/** What breaks G0 because a span cannot be recognised, or was not recorded whole. */
export const G0_CAUSES: readonly RuleCause[] = [
  {
    title: 'signs that contradict each other',
    text: 'A span is recognised by its name, its attributes and its events, in the vocabulary of any emitter that the table of dialects knows. When one sign makes it a retrieval and another a model call, nobody can say which it was: the message names both. Mend the emitter, or give the two steps a span each. That a span which holds others carries the usage of a model is no contradiction, nor is the model’s name on an embedding or a retrieval.',
    passes: exampleRun({
      caption: 'Name, operation and usage all say that this is a model call.',
      mode: 'input_only',
      steps: [
        { name: 'chat gpt-4o', attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.usage.output_tokens': 12 } },
      ],
      cites: [EXAMPLE_INPUT],
    }),
    fails: exampleRun({
      caption: 'The operation says that a tool ran, the usage that a model wrote.',
      mode: 'input_only',
      steps: [
        {
          name: 'execute_tool lookup',
          attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.usage.output_tokens': 12 },
        },
      ],
      cites: [EXAMPLE_INPUT],
    }),
  },
  {
    title: 'a call that nothing explains',
    text: 'In the modes `none`, `input_only` and `delegation` an agent calls nobody but a model, where its mode allows one, and the conductor. A span whose kind says that it calls somebody (`CLIENT`, `PRODUCER`, or a kind that OpenTelemetry does not know) must therefore be one that a row of the dialects knows, or stand below a model call, a retrieval or a delegation, whose own request it then is. A step that only holds others (`chain`) and the policy gate explain no call, their own included, and no odd spelling of a known name explains one. Remove the call, let an instrumentation name it, or record it below the step that it belongs to. Internal spans that nobody knows are listed and break nothing: what an agent does within itself is its own affair. In the mode `retrieval` such calls are let be.',
    passes: exampleRun({
      caption: 'The request stands below the model call that makes it.',
      mode: 'input_only',
      steps: [
        { name: 'chat' },
        { name: 'POST', kind: 'SpanKind.CLIENT', below: 1, at: 11, attributes: { 'server.address': 'models.example' } },
      ],
      cites: [EXAMPLE_INPUT],
    }),
    fails: exampleRun({
      caption: 'A request to somewhere, which no step of the run explains.',
      mode: 'none',
      steps: [{ name: 'POST', kind: 'SpanKind.CLIENT', attributes: { 'server.address': 'models.example' } }],
      cites: [EXAMPLE_INPUT],
    }),
  },
  {
    title: 'something was dropped',
    text: 'SDKs drop attributes, events and links beyond a limit, on a span and on its events and links, and OTLP counts what was dropped. Among what is missing may be the very sign of a model call. Raise the limits (`OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT`, `OTEL_SPAN_EVENT_COUNT_LIMIT`, `OTEL_SPAN_LINK_COUNT_LIMIT`), or record less.',
    passes: exampleRun({
      caption: 'A span that counts nothing as dropped.',
      mode: 'none',
      steps: [{ name: 'work', members: { dropped_attributes: 0 } }],
      cites: [EXAMPLE_INPUT],
    }),
    fails: exampleRun({
      caption: 'Two attributes are gone, and nobody knows which.',
      mode: 'none',
      steps: [{ name: 'work', members: { dropped_attributes: 2 } }],
      cites: [EXAMPLE_INPUT],
    }),
  },
  {
    title: '128 attributes or more on a span',
    text: 'At 128 attributes on a span, or on one of its events or links, the SDKs begin to drop, and most shapes of span files do not say whether they did: a flood of attributes could push out the one that matters. Keep a span below that, for instance by recording messages as one attribute instead of one for each part.',
    passes: exampleRun({
      caption: 'A few attributes.',
      mode: 'none',
      steps: [{ name: 'work', attributes: FEW }],
      cites: [EXAMPLE_INPUT],
    }),
    fails: exampleRun({
      caption: 'As many attributes as a span may hold before the next one is dropped.',
      mode: 'none',
      steps: [{ name: 'work', attributes: MANY }],
      cites: [EXAMPLE_INPUT],
    }),
  },
  {
    title: 'a trace that was not sampled',
    text: 'A span that is marked as not sampled was kept by chance, and its neighbours may not have been: what a trace does not show was then not absent from the run. Switch sampling off for agents (`OTEL_TRACES_SAMPLER=always_on`) and pass on the `traceparent` that the conductor gives, which is marked as sampled. Python and Go exporters leave the mark out of OTLP’s `flags`; their spans are taken at their word. A trace that was cut, so that a span’s parent is missing, breaks G0 as one that is not whole.',
    passes: exampleRun({
      caption: 'The flags of the context say sampled.',
      mode: 'none',
      steps: [{ name: 'work', members: { context: context('01') } }],
      cites: [EXAMPLE_INPUT],
    }),
    fails: exampleRun({
      caption: 'The flags of the context say not sampled.',
      mode: 'none',
      steps: [{ name: 'work', members: { context: context('00') } }],
      cites: [EXAMPLE_INPUT],
    }),
  },
  {
    title: 'a member of another type',
    text: 'Attributes, events, links, ids, the status and the values within them have a type in each shape of span files. What is of another type would be read as nothing by one reader and as a model call by the next, so that the message names the member. Let the SDK’s own exporter write the file.',
    passes: exampleRun({
      caption: 'Events are a list of objects with a name.',
      mode: 'none',
      steps: [{ name: 'work', members: { events: [{ name: 'rules applied', attributes: { count: 3 } }] } }],
      cites: [EXAMPLE_INPUT],
    }),
    fails: exampleRun({
      caption: 'An event that is only a text.',
      mode: 'none',
      steps: [{ name: 'work', members: { events: ['rules applied'] } }],
      cites: [EXAMPLE_INPUT],
    }),
  },
  {
    title: 'a mark that only the conductor sets',
    text: 'What a door of the conductor served stands in the trace as spans that the conductor wrote and marked with `dd.witnessed`; the root says how many in `dd.witnessed_spans`. A span of an agent that carries the mark would pass for one of them. Leave `dd.witnessed` out of what the agent records.',
    passes: exampleRun({
      caption: 'The root counts the one marked span as its own.',
      mode: 'input_only',
      root: { 'dd.witnessed_spans': 1 },
      steps: [{ name: 'chat', attributes: { 'dd.witnessed': true } }],
      cites: [EXAMPLE_INPUT],
    }),
    fails: exampleRun({
      caption: 'The root counts one marked span, and the agent sent another.',
      mode: 'input_only',
      root: { 'dd.witnessed_spans': 1 },
      steps: [
        { name: 'chat', attributes: { 'dd.witnessed': true } },
        { name: 'chat', attributes: { 'dd.witnessed': true } },
      ],
      cites: [EXAMPLE_INPUT],
    }),
  },
];

function context(flags: string) {
  return { trace_id: '0x0af7651916cd43dd8448eb211c80319c', span_id: '0x0000000000000001', trace_flags: flags };
}
