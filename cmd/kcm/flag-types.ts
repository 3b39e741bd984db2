import { FlagError, type FlagType } from "../kube-controller-manager/options/flag.ts";
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
