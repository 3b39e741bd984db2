import { messageOf } from "../../../pkg/api/errors.ts";
import { isIP } from "node:net";
import { parseFeatureGates } from "../../../pkg/api/feature-gates.ts";
import { FlagError, type FlagType, joinList, splitList } from "./flag.ts";

/** Types of flags that only one or two flags have. */

export const ipType: FlagType<string> = {
  name: "ip",
  parse: (text) => {
    const address = text.trim();
    if (isIP(address) === 0) throw new FlagError("must be an IP address");
    return address;
  },
  format: (address) => address,
};

/**
 * `key=value` pairs, joined by commas; a repeated flag adds to the earlier pairs. A text with one equals sign is one
 * pair, whatever commas it has: `metric,label=a,b`. With more, such a pair stands in double quotes.
 */
export const pairsType: FlagType<Readonly<Record<string, string>>> = {
  name: "stringToString",
  parse: (text) => {
    const pairs: Record<string, string> = {};
    const items = text.split("=").length === 2 ? [text.replaceAll(/^"+|"+$/g, "")] : splitList(text);
    for (const item of items) {
      const equals = item.indexOf("=");
      if (equals < 0) throw new FlagError(`${item} must be formatted as key=value`);
      pairs[item.slice(0, equals)] = item.slice(equals + 1);
    }
    return pairs;
  },
  format: (pairs) =>
    joinList(
      Object.keys(pairs)
        .toSorted()
        .map((key) => `${key}=${pairs[key]}`),
    ),
  join: (before, next) => ({ ...before, ...next }),
};

export const gatesType: FlagType<Readonly<Record<string, boolean>>> = {
  name: "colonSeparatedMultimapStringString",
  parse: (text) => {
    try {
      return parseFeatureGates(text);
    } catch (error) {
      throw new FlagError(messageOf(error), { cause: error });
    }
  },
  format: (gates) =>
    Object.entries(gates)
      .map(([name, on]) => `:${name}=${on}`)
      .join(","),
  join: (before, next) => ({ ...before, ...next }),
};

/** A certificate, its key, and the host names it is for (empty: those in the certificate). */
export interface NamedCertKey {
  readonly certFile: string;
  readonly keyFile: string;
  readonly names: readonly string[];
}

/** `cert,key` or `cert,key:name,*.other`. */
export const namedCertKeysType: FlagType<readonly NamedCertKey[]> = {
  name: "namedCertKey",
  parse: (text) => {
    const [files = "", names, ...more] = text.split(":");
    const [certFile = "", keyFile = "", ...rest] = files.split(",").map((part) => part.trim());
    if (more.length > 0) throw new FlagError("has more than one colon");
    if (certFile === "" || keyFile === "" || rest.length > 0) {
      throw new FlagError("must name a certificate and a key file, joined by a comma");
    }
    const domains = (names ?? "").split(",").map((name) => name.trim());
    return [{ certFile, keyFile, names: domains.filter((name) => name !== "") }];
  },
  format: (pairs) =>
    `[${pairs
      .map(
        (pair) =>
          `${pair.certFile},${pair.keyFile}${pair.names.length > 0 ? `:${pair.names.join(",")}` : ""}`,
      )
      .join(";")}]`,
  join: (before, next) => [...before, ...next],
};

export const int32ListType: FlagType<readonly number[]> = {
  name: "int32Slice",
  parse: (text) =>
    splitList(text).map((item) => {
      if (!/^\d+$/.test(item.trim())) throw new FlagError(`${item} must be a whole number`);
      return Number(item);
    }),
  format: (values) => `[${values.join(",")}]`,
  join: (before, next) => [...before, ...next],
};

export const levelType: FlagType<number> = {
  name: "Level",
  parse: (text) => {
    if (!/^\d+$/.test(text)) throw new FlagError("must be a whole number of 0 or more");
    return Number(text);
  },
  format: String,
};

/** `pattern=level` items; what the log package does with them is its own affair. */
export const modulesType: FlagType<string> = {
  name: "pattern=N,...",
  parse: (text) => {
    for (const item of text.split(",")) {
      if (item !== "" && !/^[^=]+=\d+$/.test(item))
        throw new FlagError(`${item} must be formatted as pattern=N`);
    }
    return text;
  },
  format: (modules) => modules,
  join: (before, next) => `${before},${next}`,
};

/** Bytes; decimal and binary suffixes as in Kubernetes quantities. */
export const bytesType: FlagType<number> = {
  name: "quantity",
  parse: (text) => {
    const match = /^(\d+)(Ki|Mi|Gi|k|M|G)?$/.exec(text);
    const factors: Readonly<Record<string, number>> = {
      Ki: 2 ** 10,
      Mi: 2 ** 20,
      Gi: 2 ** 30,
      k: 1e3,
      M: 1e6,
      G: 1e9,
    };
    if (match === null) throw new FlagError("must be a size, such as 64Ki");
    return Number(match[1]) * (factors[match[2] ?? ""] ?? 1);
  },
  format: String,
};

/** "" (do not print), "true", "raw", or a version to report. */
export const versionType: FlagType<string> = {
  name: "version",
  alone: "true",
  parse: (text) => {
    if (text === "false") return "";
    if (text === "true" || text === "raw" || /^v\d+\.\d+\.\d+/.test(text)) return text;
    throw new FlagError("must be true, false, raw or vX.Y.Z");
  },
  format: (value) => (value === "" ? "false" : value),
};
