import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { fixture } from './project.js';
import { performPull, propose, stage } from './stage.js';

/** A proxy that notes which tunnels it is asked for; every name is this machine, since a proxy is passed by on the way to a loopback address. */
async function startProxy(): Promise<{ readonly url: string; readonly tunnels: string[] }> {
  const tunnels: string[] = [];
  const proxy = createServer().on('connect', ({ url = '' }, near, head) => {
    tunnels.push(url);
    const far = connect(Number(url.split(':')[1]), '127.0.0.1', () => {
      near.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      far.write(head);
      far.pipe(near).pipe(far);
    });
    far.on('error', () => near.destroy());
    near.on('error', () => far.destroy());
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, tunnels };
}

test('reaches GitHub through the proxy that a self-hosted runner names', async () => {
  const on = await stage();
  const proxy = await startProxy();
  const pull = propose(on, { 'fixtures/lie.json': fixture({ cite: ['rec:9'] }) });
  const api = on.server.url.replace('127.0.0.1', 'github.example');
  const done = await performPull(on, pull, {
    environment: { http_proxy: proxy.url, GITHUB_API_URL: api, ACTIONS_RESULTS_URL: api },
  });
  expect(done.code).toBe(1);
  expect(on.repository.checks.runs.at(-1)?.conclusion).toBe('failure');
  expect(done.outputs['artifact-id']).toMatch(/^\d+$/);
  expect(new Set(proxy.tunnels)).toContain(new URL(api).host);
});
