/**
 * Imported first: at SIGUSR1 Node.js would open its inspector, through which every local user may read and run all that
 * this process can. With a listener the signal does nothing, as in Go's programs.
 */
process.on("SIGUSR1", () => undefined);
