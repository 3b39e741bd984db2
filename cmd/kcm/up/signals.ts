/** 128 and the number of the signal, as shells have it. */
const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** The first signal asks for an orderly end, the second ends the process at once. */
export function stopOnSignals(): AbortSignal {
  const stop = new AbortController();
  for (const [name, exitCode] of Object.entries(exitCodes)) {
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(exitCode);
      stop.abort(new Error(`stopped by ${name}`));
    });
  }
  return stop.signal;
}
