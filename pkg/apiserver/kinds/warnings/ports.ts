import { count, items, type Json, text } from "../../../api/json.ts";
import type { PlacedContainer } from "../pod/placed-containers.ts";

interface PlacedPort {
  readonly port: Json;
  readonly path: string;
}

/** Ports of all containers of a pod, which share its address. */
export function portWarnings(containers: readonly PlacedContainer[]): readonly string[] {
  const ports = containers.flatMap(({ container, path }) =>
    items(container, "ports").map((port, index): PlacedPort => ({ port, path: `${path}.ports[${index}]` })),
  );
  return [...numberWarnings(ports), ...namesTwice(ports)];
}

function numberWarnings(ports: readonly PlacedPort[]): readonly string[] {
  const warnings: string[] = [];
  const byNumber = new Map<string, PlacedPort[]>();
  for (const placed of ports) {
    const { port, path } = placed;
    if (text(port, "hostIP") !== "" && count(port, "hostPort") === 0)
      warnings.push(`${path}: hostIP set without hostPort: ${shown(port)}`);
    const key = `${count(port, "containerPort")}/${text(port, "protocol")}`;
    const others = byNumber.get(key) ?? [];
    for (const other of others.slice(0, MOST_COMPARED)) {
      const how = clash(port, other.port);
      if (how !== undefined) warnings.push(`${path}: ${how} port definition with ${other.path}`);
    }
    byNumber.set(key, [...others.slice(0, MOST_COMPARED), placed]);
  }
  return warnings;
}

/** Of thousands with one number, each would be told of all others. */
const MOST_COMPARED = 20;

function clash(one: Json, other: Json): string | undefined {
  const [ip, otherIp] = [text(one, "hostIP"), text(other, "hostIP")];
  const [port, otherPort] = [count(one, "hostPort"), count(other, "hostPort")];
  if (ip === otherIp && port === otherPort) return "duplicate";
  if (port === 0 || otherPort === 0) return "overlapping";
  return port === otherPort && (ip === "") !== (otherIp === "") ? "dangerously ambiguous" : undefined;
}

function namesTwice(ports: readonly PlacedPort[]): readonly string[] {
  const first = new Map<string, string>();
  return ports.flatMap(({ port, path }) => {
    const name = text(port, "name");
    const other = first.get(name);
    if (name !== "" && other === undefined) first.set(name, path);
    if (other === undefined) return [];
    const those = `services and probes that select ports by name will use ${other}`;
    return [`${path}: duplicate port name ${JSON.stringify(name)} with ${other}, ${those}`];
  });
}

/** As Go prints the struct. */
function shown(port: Json): string {
  const [name, protocol, ip] = [text(port, "name"), text(port, "protocol"), text(port, "hostIP")];
  return `{Name:${name} HostPort:${count(port, "hostPort")} ContainerPort:${count(port, "containerPort")} Protocol:${protocol} HostIP:${ip}}`;
}
