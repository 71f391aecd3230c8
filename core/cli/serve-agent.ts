import { remedyForModule } from '../agents/module-remedy.js';
import { importAgent } from '../io/import-agent.js';
import { serveAgentAlone } from '../io/serve-agent.js';
import { gateError } from '../model/error-codes.js';
import { messageOf } from '../model/errors.js';
import type { Conclusion } from '../report/conclusion.js';
import type { Call } from './command.js';
import { note } from './note.js';
import { portOf } from './port.js';
import { untilInterrupted } from './until-interrupted.js';

/** `grounding serve-agent`: serves one agent over A2A until it is interrupted; its address goes to standard output. */
export async function execute(call: Call): Promise<Conclusion> {
  const [module = ''] = call.args;
  const host = call.options.text('host');
  const server = await serveAgentAlone(await load(module), {
    port: portOf(call),
    ...(host === undefined ? {} : { host }),
    harnesses: call.options.texts('harness'),
    onStray: (error) => void note(call, `the agent's code failed where nobody caught it: ${messageOf(error)}`),
  });
  await call.world.out.write(`${server.url}\n`);
  await untilInterrupted(call.world, () => server.close());
  return 'passed';
}

async function load(module: string) {
  try {
    return await importAgent(module);
  } catch (cause) {
    throw gateError('agent-module', {
      blame: 'configuration',
      message: `the module gave no agent: ${cause instanceof Error ? cause.message : String(cause)}`,
      remedy: remedyForModule(String(cause), module),
      place: { file: module },
      cause,
    });
  }
}
