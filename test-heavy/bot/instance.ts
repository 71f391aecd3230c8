import { runProcess } from '../../bot/io/run-process.js';
import { STAND_IN } from '../../test/bot/stand-in.js';

await runProcess(process, STAND_IN);
