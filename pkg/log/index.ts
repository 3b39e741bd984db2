/*
 * Structured log lines, as text in klog's form or as JSON.
 */
export { silentLogger, type LogFields, type Logger } from "./logger.ts";
export {
  createLogger,
  fileDescriptorDestination,
  type LogDestination,
  type LogOptions,
  type RootLogger,
} from "./pino.ts";
