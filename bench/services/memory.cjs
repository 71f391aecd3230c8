// Loaded into `grounding serve` before it starts: on SIGUSR2 it collects garbage and prints what is left, in bytes.
process.on('SIGUSR2', () => {
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  process.stderr.write(`memory ${JSON.stringify({ live: heapUsed, rss })}\n`);
});
