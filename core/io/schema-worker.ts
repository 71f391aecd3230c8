import { createSchemaJobs, type SchemaJob } from './schema-jobs.js';

const work = createSchemaJobs();
process.on('message', (job: SchemaJob) => process.send?.(work(job)));
process.on('disconnect', () => process.exit());
process.send?.('ready');
