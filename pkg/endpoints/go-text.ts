/**
 * Ports and subsets as Go's spew writes them for hashing (see go-dump.ts in pkg/api). Their order on the wire is the
 * order of the hashes of these texts, in which both programs must agree: otherwise each would rewrite what the other
 * wrote.
 */
import type {
  EndpointAddress,
  EndpointPort,
  EndpointSubset,
  ObjectReference,
} from "../api/types/core-v1.gen.ts";
import type { EndpointPort as SlicePort } from "../api/types/discovery-v1.gen.ts";

export function slicePortText(port: SlicePort): string {
  return `(v1.EndpointPort){${slicePortFields(port)}}`;
}

export function slicePortsText(ports: readonly SlicePort[]): string {
  return `([]v1.EndpointPort)[${ports.map((port) => `{${slicePortFields(port)}}`).join(" ")}]`;
}

export function subsetPortText(port: EndpointPort): string {
  return `(v1.EndpointPort){${subsetPortFields(port)}}`;
}

export function subsetText(subset: EndpointSubset): string {
  return [...subsetTextParts(subset)].join("");
}

/** The text of subsets of thousands is better not made in one go. */
export function* subsetTextParts(subset: EndpointSubset): Generator<string, void, undefined> {
  yield "(v1.EndpointSubset){Addresses:";
  yield* listParts("v1.EndpointAddress", subset.addresses, addressFields);
  yield " NotReadyAddresses:";
  yield* listParts("v1.EndpointAddress", subset.notReadyAddresses, addressFields);
  yield " Ports:";
  yield* listParts("v1.EndpointPort", subset.ports, subsetPortFields);
  yield "}";
}

function slicePortFields({ name, protocol, port, appProtocol }: SlicePort): string {
  const fields = [
    `Name:${pointer("string", name)}`,
    `Protocol:${pointer("v1.Protocol", protocol)}`,
    `Port:${pointer("int32", port)}`,
    `AppProtocol:${pointer("string", appProtocol)}`,
  ];
  return fields.join(" ");
}

function subsetPortFields({ name = "", port, protocol = "", appProtocol }: EndpointPort): string {
  const plain = `Name:(string)${name} Port:(int32)${port} Protocol:(v1.Protocol)${protocol}`;
  return `${plain} AppProtocol:${pointer("string", appProtocol)}`;
}

function addressFields({ ip, hostname = "", nodeName, targetRef }: EndpointAddress): string {
  const reference = `(*v1.ObjectReference)${targetRef === undefined ? "<nil>" : referenceText(targetRef)}`;
  return `IP:(string)${ip} Hostname:(string)${hostname} NodeName:${pointer("string", nodeName)} TargetRef:${reference}`;
}

function referenceText(reference: ObjectReference): string {
  const { kind = "", namespace = "", name = "", uid = "" } = reference;
  const { apiVersion = "", resourceVersion = "", fieldPath = "" } = reference;
  const identity = `Kind:(string)${kind} Namespace:(string)${namespace} Name:(string)${name} UID:(types.UID)${uid}`;
  const rest = `APIVersion:(string)${apiVersion} ResourceVersion:(string)${resourceVersion} FieldPath:(string)${fieldPath}`;
  return `{${identity} ${rest}}`;
}

function pointer(type: string, value: string | number | null | undefined): string {
  return `(*${type})${value ?? "<nil>"}`;
}

function* listParts<T>(
  type: string,
  values: readonly T[] | undefined,
  fields: (value: T) => string,
): Generator<string, void, undefined> {
  if (values === undefined) {
    yield `([]${type})<nil>`;
    return;
  }
  yield `([]${type})[`;
  let separator = "";
  for (const value of values) {
    yield `${separator}{${fields(value)}}`;
    separator = " ";
  }
  yield "]";
}
