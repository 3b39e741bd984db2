import type { PartialObject, UncertainMeta } from "./object.ts";

/**
 * An object of which the fields at these paths are known, and what every projection has of the metadata. All others are
 * unknown: they can neither be read nor be handed to a function that reads them. Paths are those of
 * pkg/cache/store/projection.ts; of paths that are not known before the program runs nothing is known here.
 */
export type Projected<T extends PartialObject, Paths extends readonly string[]> = {
  readonly [Field in keyof T]: Field extends "metadata"
    ? ProjectedMeta<T[Field], Below<Literal<Paths[number]>, "metadata">>
    : Field extends "apiVersion" | "kind"
      ? T[Field]
      : At<T[Field], Field, Literal<Paths[number]>>;
};

/** The fields at these paths and no others: what a function reads, which takes whole objects and projected ones. */
export type PartOf<T, Path extends string> = T extends readonly (infer Item)[]
  ? readonly PartOf<Item, Path>[]
  : T extends object
    ? string extends keyof T
      ? { readonly [Key in KeyIn<Path>]?: T[string & keyof T] }
      : {
          readonly [Field in keyof T as Field extends Head<Path> ? Field : never]: Field extends Path
            ? T[Field]
            : PartOf<T[Field], Below<Path, Field & string>>;
        }
    : T;

type Literal<Path extends string> = string extends Path ? never : Path;

type ProjectedMeta<Meta, Path extends string> = {
  readonly [Field in keyof Meta]: Field extends UncertainMeta ? At<Meta[Field], Field, Path> : Meta[Field];
};

/** What is known of the value of a field. Most are in no path, which is to cost the compiler nothing. */
type At<Value, Field, Path extends string> =
  Field extends Head<Path>
    ? Field extends Path
      ? Value
      : Part<Value, Below<Path, Field & string>>
    : unknown;

/** The fields that paths begin with. */
type Head<Path extends string> = Path extends `${infer Map}[${string}`
  ? Map extends `${infer Field}.${string}`
    ? Field
    : Map
  : Path extends `${infer Field}.${string}`
    ? Field
    : Path;

type Part<Value, Path extends string> = [Path] extends [never]
  ? unknown
  : Value extends readonly (infer Item)[]
    ? readonly Part<Item, Path>[]
    : Value extends object
      ? string extends keyof Value
        ? Entries<Value[string & keyof Value], KeyIn<Path>>
        : { readonly [Field in keyof Value]: At<Value[Field], Field, Path> }
      : Value;

/** Some entries of a map. That there are others keeps it from being taken for the whole map. */
type Entries<Value, Key extends string> = {
  readonly [Each in Key | Others]?: Each extends Others ? unknown : Value;
};
type Others = "...";

/** The paths that begin with the field, without it. */
type Below<Path extends string, Field extends string> = Path extends `${Field}.${infer Rest}`
  ? Rest
  : Path extends `${Field}[${infer Key}]`
    ? `[${Key}]`
    : never;

type KeyIn<Path extends string> = Path extends `[${infer Key}]` ? Key : Path;

/** The paths, where each is one of the object; in place of any other there is what it should not be. */
export type PathsOf<T, Paths extends readonly string[]> = {
  readonly [Index in keyof Paths]: IsPath<T, Paths[Index]> extends true
    ? Paths[Index]
    : `${Paths[Index]} is no path of the object`;
};

type IsPath<Value, Path extends string> = Value extends readonly (infer Item)[]
  ? IsPath<Item, Path>
  : string extends Path | keyof Value
    ? true
    : Path extends keyof Value
      ? true
      : Path extends `${infer Field extends keyof Value & string}.${infer Rest}`
        ? IsPath<NonNullable<Value[Field]>, Rest>
        : Path extends `${infer Field extends keyof Value & string}[${string}]`
          ? string extends keyof NonNullable<Value[Field]>
            ? true
            : false
          : false;
