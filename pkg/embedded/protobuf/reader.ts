/** The bytes do not follow the encoding of protobuf. */
export class ProtobufError extends Error {
  readonly code = "Protobuf";
  constructor(message: string) {
    super(message);
    this.name = "ProtobufError";
  }
}

/** One field as it stands in a message: a number for varints and fixed widths, bytes for everything else. */
export interface RawField {
  readonly number: number;
  readonly value: bigint | number | Uint8Array;
}

/** The fields of one message, in order of appearance. */
export function* readFields(bytes: Uint8Array): Generator<RawField> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new ProtobufError("unexpected EOF");
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, value);
    }
    throw new ProtobufError("integer overflow");
  };
  const take = (length: number): number => {
    const start = at;
    at += length;
    if (length < 0 || at > bytes.length) throw new ProtobufError("unexpected EOF");
    return start;
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const number = tag >>> 3;
    switch (tag & 7) {
      case 0:
        yield { number, value: varint() };
        break;
      case 1:
        yield { number, value: view.getFloat64(take(8), true) };
        break;
      case 2: {
        const length = Number(varint());
        const start = take(length);
        yield { number, value: bytes.subarray(start, start + length) };
        break;
      }
      case 5:
        yield { number, value: view.getFloat32(take(4), true) };
        break;
      default:
        throw new ProtobufError(`illegal wireType ${tag & 7}`);
    }
  }
}

const decoder = new TextDecoder();

export function asText(value: RawField["value"]): string {
  return decoder.decode(asBytes(value));
}

export function asBytes(value: RawField["value"]): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw new ProtobufError("wrong wireType");
}

export function asInteger(value: RawField["value"]): bigint {
  if (typeof value === "bigint") return value;
  throw new ProtobufError("wrong wireType");
}
