import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Metrics } from '../ports.js';
import type { Queue } from '../queue.js';

/** What the server measures beside what jobs count. */
export interface ServerMetrics extends Metrics {
  /** Seconds from the first byte of a delivery to its answer. */
  answered(one: { readonly status: number; readonly seconds: number }): void;
  /** All of it as Prometheus reads it. */
  text(): Promise<string>;
  readonly contentType: string;
}

const ANSWER_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const JOB_BUCKETS = [0.1, 0.5, 1, 5, 10, 30, 60, 300];

/** Counters of one bot; the gauges of its queue are read when somebody asks. */
export function createMetrics(queue: Pick<Queue, 'counts'>): ServerMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const deliveries = new Counter({
    name: 'grounding_bot_deliveries_total',
    help: 'Webhooks with a right signature, by event and by what became of them.',
    labelNames: ['event', 'outcome'],
    registers,
  });
  const answers = new Histogram({
    name: 'grounding_bot_answer_seconds',
    help: 'Time from the beginning of a webhook to its answer.',
    labelNames: ['status'],
    buckets: ANSWER_BUCKETS,
    registers,
  });
  const jobs = new Histogram({
    name: 'grounding_bot_job_seconds',
    help: 'Time of one turn of a job, by kind and by what became of it.',
    labelNames: ['kind', 'outcome'],
    buckets: JOB_BUCKETS,
    registers,
  });
  const requests = new Counter({
    name: 'grounding_bot_github_requests_total',
    help: 'Requests to GitHub by the status of their answer; 0 for an error that had none.',
    labelNames: ['status'],
    registers,
  });
  const incomplete = new Counter({
    name: 'grounding_bot_incomplete_lists_total',
    help: 'Lists of a sweep that changed while they were read.',
    labelNames: ['list'],
    registers,
  });
  new Gauge({
    name: 'grounding_bot_queue_jobs',
    help: 'Jobs in the queue by state; on Redis those of all instances.',
    labelNames: ['state'],
    registers,
    async collect() {
      const counts = await queue.counts().catch(() => null);
      this.reset();
      for (const [state, count] of Object.entries(counts ?? {})) this.set({ state }, count);
    },
  });
  return {
    delivery: (one) => deliveries.inc(one),
    job: ({ kind, outcome, seconds }) => jobs.observe({ kind, outcome }, seconds),
    request: (status) => requests.inc({ status }),
    incomplete: (list) => incomplete.inc({ list }),
    answered: ({ status, seconds }) => answers.observe({ status }, seconds),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
