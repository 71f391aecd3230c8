import type { Conclusion } from '../report/conclusion.js';
import { startHarness } from '../runner/harness.js';
import type { Call } from './command.js';
import { note } from './note.js';
import { harnessUrlOf, reportTo } from './open-harness.js';
import { portOf } from './port.js';
import { environmentAuthenticator } from './principal.js';
import { untilInterrupted } from './until-interrupted.js';
import { type OpenedSession, withSession } from './with-session.js';

/** `grounding serve`: the conductor over A2A until it is interrupted; its address goes to standard output. */
export async function execute(call: Call): Promise<Conclusion> {
  const port = portOf(call);
  const told = harnessUrlOf(call);
  const work = async ({ session }: OpenedSession): Promise<void> => {
    for (const notice of session.notices) await note(call, notice);
    const server = await startHarness(session, {
      host: call.options.text('host') ?? '127.0.0.1',
      port,
      authenticator: environmentAuthenticator(call),
      onError: reportTo(call),
      ...told,
    });
    await call.world.out.write(`${server.url}\n`);
    await untilInterrupted(call.world, async () => {
      await server.close();
      await session.interrupt();
    });
  };
  await withSession(call, work, { many: true });
  return 'passed';
}
