import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const BOT = join(import.meta.dirname, '..', '..', 'build', 'bot.js');

/** A bot in a process of its own. */
export interface Instance {
  readonly url: string;
  readonly lines: readonly string[];
  /** Ends it as the system does when memory runs out: it learns nothing of it. */
  kill(): Promise<void>;
  /** Asks it to end; resolves with its exit code. */
  terminate(): Promise<number | null>;
}

/** Starts a bot and waits until it listens. */
export async function startInstance(environment: Readonly<Record<string, string>>): Promise<Instance> {
  const child = spawn(process.execPath, [BOT], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  const lines: string[] = [];
  const url = await Promise.race([listening(child, lines), failing(child, ended)]);
  const end = (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    return ended;
  };
  return { url, lines, kill: async () => void (await end('SIGKILL')), terminate: () => end('SIGTERM') };
}

function listening(child: ChildProcess, lines: string[]): Promise<string> {
  return new Promise((resolve) => {
    if (child.stdout === null) return;
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      const { event, url } = JSON.parse(line);
      if (event === 'the bot listens') resolve(String(url));
    });
  });
}

async function failing(child: ChildProcess, ended: Promise<number | null>): Promise<never> {
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said += String(chunk);
  });
  const code = await ended;
  throw new Error(`the bot ended with ${code}: ${said}`);
}
