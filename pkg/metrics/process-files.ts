/** As many bytes as 64 bits can count: what Go programs write where there is no limit. */
const UNLIMITED = 2 ** 64;

const FIELDS = { receive: "InOctets", transmit: "OutOctets" } as const;

/** Of /proc/self/net/netstat, which has a line of names and a line of numbers for each protocol. */
export function networkOctets(netstat: string, direction: keyof typeof FIELDS): number {
  const [names = [], numbers = []] = netstat
    .split("\n")
    .filter((line) => line.startsWith("IpExt:"))
    .map((line) => line.split(" "));
  return Number(numbers[names.indexOf(FIELDS[direction])] ?? 0);
}

/** Of /proc/self/limits: the soft one. */
export function virtualMemoryLimit(limits: string): number {
  const soft = /^Max address space\s+(\S+)/m.exec(limits)?.[1] ?? "unlimited";
  return soft === "unlimited" ? UNLIMITED : Number(soft);
}
