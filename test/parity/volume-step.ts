import type { PersistentVolumeSpec } from "../../pkg/api/types/core-v1.gen.ts";

/** What provisioners, binders and drivers do. Volumes are the scenario's own, as nodes are, and have claims of their names. */
export type VolumeStep =
  | {
      readonly do: "create volume";
      readonly name: string;
      readonly source: PersistentVolumeSpec;
      readonly accessModes: readonly string[];
      /** Nobody has bound its claim, which there is, to it. */
      readonly unbound?: true;
      /** The pod that its claim was made for. */
      readonly ofPod?: string;
    }
  | { readonly do: "bind claim"; readonly name: string }
  /** A merge patch of the VolumeAttachments of a node, once they are there. */
  | {
      readonly do: "patch attachments";
      readonly node: string;
      readonly body: unknown;
      readonly subresource?: "status";
    }
  | { readonly do: "until attachments"; readonly node: string; readonly are: number };
