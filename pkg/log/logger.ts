export type LogFields = Readonly<Record<string, unknown>>;

/** Structured logging. `pino.ts` beside this file is the only implementation that writes; tests use `silentLogger`. */
export interface Logger {
  error(error: unknown, message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  /** A line that is written only at klog verbosity `level` or above (--v, --vmodule). */
  verbose(level: number, message: string, fields?: LogFields): void;
  /** Whether verbose lines of this level are written: guards costly arguments. */
  enabled(level: number): boolean;
  /** A logger whose lines all carry these fields. The field `component` selects the --vmodule level. */
  child(fields: LogFields): Logger;
}

const nothing = (): void => undefined;

export const silentLogger: Logger = {
  error: nothing,
  warn: nothing,
  info: nothing,
  verbose: nothing,
  enabled: () => false,
  child: () => silentLogger,
};
