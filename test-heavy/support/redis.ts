import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';

/** A Redis server of the tests. */
export interface RedisServer {
  readonly url: string;
  /** Empties it. */
  flush(): Promise<void>;
  /** Stops the process where it is, as when its machine is gone: connections stay open and nothing answers. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts redis-server on a free port of the loopback with its data in a temporary folder; rejects when there is none. */
export async function startRedis(settings: readonly string[] = []): Promise<RedisServer> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'grounding-redis-'));
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'yes'];
  const child = spawn('redis-server', [...args, ...settings], { stdio: 'ignore' });
  const failed = new Promise<never>((_, reject) => {
    child.once('error', (cause) => reject(new Error('redis-server cannot be started; install it', { cause })));
    child.once('exit', (code) => reject(new Error(`redis-server ended with ${code}`)));
  });
  failed.catch(() => {});
  const url = `redis://127.0.0.1:${port}`;
  await Promise.race([answering(url), failed]);
  return {
    url,
    async flush() {
      const client = new Redis(url);
      await client.flushall();
      client.disconnect();
    },
    pause: async () => void child.kill('SIGSTOP'),
    resume: async () => void child.kill('SIGCONT'),
    async stop() {
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answering(url: string): Promise<void> {
  const client = new Redis(url, { retryStrategy: () => 50, maxRetriesPerRequest: null });
  client.on('error', () => {});
  await client.ping();
  client.disconnect();
  await sleep(1);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
