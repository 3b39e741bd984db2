import { readFileSync } from "node:fs";

const TICKS_PER_SECOND = 100;

export interface Usage {
  /** Since the process began, user and system together. */
  readonly cpuSeconds: number;
  readonly rssMiB: number;
  readonly peakRssMiB: number;
}

/** What the kernel says that a process has used so far (/proc). */
export function usageOf(pid: number): Usage {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name of the program, in parentheses, may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const mebibytes = (name: string): number =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1_024;
  return {
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
    rssMiB: mebibytes("VmRSS"),
    peakRssMiB: mebibytes("VmHWM"),
  };
}
