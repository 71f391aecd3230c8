import { botParts } from './io/parts.js';
import { runProcess } from './io/run-process.js';

// By this signal, which any program of the same user may send, Node would let that program debug us: write our own spans, say.
process.on('SIGUSR1', () => {});
await runProcess(process, botParts);
