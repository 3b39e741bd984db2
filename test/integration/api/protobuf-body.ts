/**
 * Protobuf as text: all numbers and lengths are below 128, so that each byte is a character. A value is a text, a small
 * number, or the fields of a message by number.
 */
type Value = string | number | Message;
type Message = readonly (readonly [number: number, value: Value])[];

/** A body as clients in Go write it: an envelope with the kind, then the object. */
export function protobufBody(apiVersion: string, kind: string, fields: Message): string {
  return `k8s\0${messageText([
    [
      1,
      [
        [1, apiVersion],
        [2, kind],
      ],
    ],
    [2, fields],
  ])}`;
}

function messageText(message: Message): string {
  return message.map(([number, value]) => fieldText(number, value)).join("");
}

function fieldText(number: number, value: Value): string {
  if (typeof value === "number") return fromBytes(number * 8, value);
  const text = typeof value === "string" ? value : messageText(value);
  return fromBytes(number * 8 + 2, text.length) + text;
}

function fromBytes(...bytes: readonly number[]): string {
  const large = bytes.find((byte) => byte > 127);
  if (large !== undefined) throw new Error(`${large} is no byte that is a character`);
  return String.fromCharCode(...bytes);
}
