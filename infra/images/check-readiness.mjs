// The health check of an image: 0 where this process says that it is ready. What is wrong goes to the health log.
const port = process.env.ATTACHE_OPS_PORT ?? '4101';
try {
  const response = await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(5_000) });
  process.stdout.write(await response.text());
  process.exitCode = response.ok ? 0 : 1;
} catch {
  process.stdout.write('the operations port does not answer\n');
  process.exitCode = 1;
}
