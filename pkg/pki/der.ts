/** The few forms of DER (ITU-T X.690) that a certificate is written in. Each function gives one complete element. */

export function sequence(...elements: readonly Buffer[]): Buffer {
  return element(0x30, Buffer.concat(elements));
}

export function set(...elements: readonly Buffer[]): Buffer {
  return element(0x31, Buffer.concat(elements));
}

/** As `set`, of elements of which there can be very many. */
export function setOf(elements: readonly Buffer[]): Buffer {
  return element(0x31, Buffer.concat(elements));
}

/** As `sequence`, of elements of which there can be very many. */
export function sequenceOf(elements: readonly Buffer[]): Buffer {
  return element(0x30, Buffer.concat(elements));
}

/** A positive number, by its bytes: the first bit must not make it negative. */
export function integer(bytes: Buffer): Buffer {
  const first = bytes[0] ?? 0;
  return element(0x02, first >= 0x80 ? Buffer.concat([Buffer.of(0), bytes]) : bytes);
}

/** E.g. "2.5.4.3": the first two numbers share a byte, the others take seven bits a byte. */
export function objectIdentifier(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number);
  const bytes = [first * 40 + second];
  for (const number of rest) {
    const groups = [number & 0x7f];
    for (let left = number >>> 7; left > 0; left >>>= 7) groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return element(0x06, Buffer.from(bytes));
}

export function utf8String(text: string): Buffer {
  return element(0x0c, Buffer.from(text));
}

/** As Go writes texts: in the plainest of the two forms that can hold it. upstream: encoding/asn1/marshal.go#makeBody */
export function text(value: string): Buffer {
  return /^[A-Za-z0-9'()+,\-./:=? ]*$/.test(value) ? element(0x13, Buffer.from(value)) : utf8String(value);
}

export function octetString(content: Buffer): Buffer {
  return element(0x04, content);
}

/** `unusedBits` of the last byte are not part of it. */
export function bitString(content: Buffer, unusedBits = 0): Buffer {
  return element(0x03, Buffer.concat([Buffer.of(unusedBits), content]));
}

export function boolean(value: boolean): Buffer {
  return element(0x01, Buffer.of(value ? 0xff : 0));
}

/** Two digits for the year up to 2049, four from then on, as RFC 5280 has it. */
export function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/[-:T]|\.\d+/g, "");
  return digits.slice(0, 4) < "2050"
    ? element(0x17, Buffer.from(digits.slice(2)))
    : element(0x18, Buffer.from(digits));
}

/** An element that is known by its number in its surroundings; `constructed` when it holds others. */
export function tagged(number: number, content: Buffer, constructed: boolean): Buffer {
  return element(0x80 | (constructed ? 0x20 : 0) | number, content);
}

function element(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.of(tag), length(content.length), content]);
}

/** Below 128 in one byte; otherwise the number of bytes that follow, and these. */
function length(count: number): Buffer {
  if (count < 0x80) return Buffer.of(count);
  const bytes: number[] = [];
  for (let left = count; left > 0; left = Math.floor(left / 256)) bytes.unshift(left % 256);
  return Buffer.of(0x80 | bytes.length, ...bytes);
}
