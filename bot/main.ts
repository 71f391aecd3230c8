import { botParts } from './io/parts.js';
import { runProcess } from './io/run-process.js';

await runProcess(process, botParts);
