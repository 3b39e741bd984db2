import { FlagError, type FlagType } from "../kube-controller-manager/options/flag.ts";
import { dnsLabelProblems, dnsSubdomainProblems } from "../../pkg/api/names.ts";
import { isClusterName } from "./clusters/cluster-home.ts";

/** A whole number within limits. */
export function numberFrom(least: number, most: number): FlagType<number> {
  return {
    name: "int",
    parse: (text) => {
      const value = /^\d{1,9}$/.test(text) ? Number(text) : NaN;
      if (value >= least && value <= most) return value;
      throw new FlagError(`must be a whole number from ${least} to ${most}`);
    },
    format: String,
  };
}

export const clusterNameType: FlagType<string> = {
  name: "string",
  parse: (text) => {
    if (isClusterName(text)) return text;
    throw new FlagError("must be a name of at most 40 lower-case letters, digits and dashes");
  },
  format: (value) => value,
};

/** "" stands for none, and cannot be given. */
export const pathType: FlagType<string> = {
  name: "path",
  parse: (text) => {
    if (text !== "") return text;
    throw new FlagError("must be a path");
  },
  format: (value) => value,
};

/** Of an object. "" stands for none, and cannot be given. */
export const nameType: FlagType<string> = {
  name: "string",
  parse: (text) => {
    const [problem] = dnsLabelProblems(text);
    if (problem === undefined) return text;
    throw new FlagError("must be a name of at most 63 lower-case letters, digits and dashes");
  },
  format: (value) => value,
};

/** "" stands for none, and cannot be given. */
export const textType: FlagType<string> = {
  name: "string",
  parse: (text) => {
    if (text !== "" && !/\s/.test(text)) return text;
    throw new FlagError("must be a text without spaces");
  },
  format: (value) => value,
};

export const groupType: FlagType<string> = {
  name: "string",
  parse: (text) => {
    if (text.includes(".") && dnsSubdomainProblems(text).length === 0) return text;
    throw new FlagError("must be a domain with at least one dot");
  },
  format: (value) => value,
};

/** "" stands for none, and cannot be given. */
export const kindType: FlagType<string> = {
  name: "string",
  parse: (text) => {
    if (/^[A-Z][A-Za-z0-9]{0,62}$/.test(text)) return text;
    throw new FlagError(`${JSON.stringify(text)} is no kind: a capital, then letters and digits`);
  },
  format: (value) => value,
};
