/** One line of the log before it has a form. */
export interface LogRecord {
  /** Epoch milliseconds. */
  readonly ts: number;
  readonly level: string;
  readonly msg: string;
  readonly component?: string;
  readonly [key: string]: unknown;
}

/** Given in the header of the line, or not shown as klog does not. */
const headerKeys: ReadonlySet<string> = new Set(["ts", "level", "msg", "component", "v"]);

/**
 * The text form of klog's structured calls, in UTC:
 *   I1118 11:22:33.123456    1234 deployment-controller] "Scaled" deployment="default/web" replicas=3
 */
export function klogText(record: LogRecord, processId: number): string {
  let line = `${severity(record.level)}${klogTime(record.ts)} ${String(processId).padStart(7)} `;
  line += `${record.component ?? "main"}] ${JSON.stringify(record.msg)}`;
  for (const [key, value] of Object.entries(record)) {
    if (!headerKeys.has(key) && value !== undefined) line += ` ${key}=${klogValue(value)}`;
  }
  return `${line}\n`;
}

function severity(level: string): string {
  if (level === "error") return "E";
  return level === "warn" ? "W" : "I";
}

function klogTime(epochMs: number): string {
  const text = new Date(epochMs).toISOString();
  const micros = Math.floor((epochMs - Math.floor(epochMs)) * 1_000);
  return `${text.slice(5, 7)}${text.slice(8, 10)} ${text.slice(11, 23)}${String(micros).padStart(3, "0")}`;
}

function klogValue(value: unknown): string {
  if (typeof value === "string") return klogString(value);
  const reference = objectReference(value);
  return reference === undefined ? JSON.stringify(value) : JSON.stringify(reference);
}

/** Text of several lines stays readable: an indented block, as klog writes it. */
function klogString(text: string): string {
  if (!text.includes("\n")) return JSON.stringify(text);
  const lines = text.replace(/\n$/, "").split("\n");
  return `<\n${lines.map((line) => `\t${line}\n`).join("")} >`;
}

/** An object that only names another one is written as namespace/name. */
function objectReference(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || !("name" in value)) return undefined;
  const keys = Object.keys(value);
  const { name } = value;
  const namespace = "namespace" in value ? value.namespace : undefined;
  if (typeof name !== "string" || keys.some((key) => key !== "name" && key !== "namespace")) return undefined;
  return typeof namespace === "string" && namespace !== "" ? `${namespace}/${name}` : name;
}
