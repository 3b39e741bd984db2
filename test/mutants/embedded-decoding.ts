import type { Mutant } from "./mutant.ts";

const DECODING = ["test/integration/api/decoding.test.ts"];
const DECLARED = ["test/integration/api/declared-rules.test.ts"];

/** How the embedded API server reads bodies as Go's types. */
export const embeddedDecodingMutants: readonly Mutant[] = [
  {
    name: "what is not base64 is stored",
    file: "pkg/api/wire-form.ts",
    find: "return this.#misfit(value, type, `illegal base64 data at input byte ${read.wrongAt}`);",
    replace: "return value;",
    tests: DECODING,
  },
  {
    name: "what is no time is stored",
    file: "pkg/api/wire-form.ts",
    find: 'if (typeof read === "string") return this.#misfit(value, type, read);',
    replace: 'if (typeof read === "string") return value;',
    tests: DECODING,
  },
  {
    name: "what is no amount is stored",
    file: "pkg/api/wire-form.ts",
    find: "if (error instanceof QuantityError) return this.#misfit(value, type, error.message);",
    replace: "if (error instanceof QuantityError) return value;",
    tests: DECODING,
  },
  {
    name: "a null in a map stays",
    file: "pkg/api/wire-form.ts",
    find: "if (value === null || value === undefined) return this.#zero(items);",
    replace: "if (value === null || value === undefined) return value;",
    tests: DECODING,
  },
  {
    name: "the first problem is told, whatever it is",
    file: "pkg/apiserver/decode/json-problems.ts",
    find: "if (readsItself.has(type.kind)) this.#final = problem;",
    replace: "if (readsItself.has(type.kind)) this.#remembered ??= problem;",
    tests: DECODING,
  },
  {
    name: "the structs that fields are inlined from are not named",
    file: "pkg/apiserver/decode/json-problems.ts",
    find: "fields.map((one) => one.path)",
    replace: "fields.map((one) => one.name)",
    tests: DECODING,
  },
  {
    name: "a strategic merge patch leads to more than 32 bits",
    file: "pkg/apiserver/decode/unstructured-problem.ts",
    find: "object[name] = Number(BigInt.asIntN(32, BigInt(value)));",
    replace: "object[name] = value;",
    tests: DECODING,
  },
  {
    name: "what an apply leads to is not read as its type",
    file: "pkg/apiserver/server/apply-patch.ts",
    find: "    checkMerged(call, draft, applied);\n",
    replace: "",
    tests: DECODING,
  },
  {
    name: "options of a deletion may be of any type",
    file: "pkg/apiserver/server/delete-options.ts",
    find: "if (problem !== undefined) throw badRequest(problem);",
    replace: "",
    tests: DECODING,
  },
  {
    name: "bodies of subresources may be of any type",
    file: "pkg/apiserver/server/draft.ts",
    find: `? nothingWrong
      : checkBuiltInBody(value, definition, undefined, writtenNumbersOf(body))`,
    replace: `? nothingWrong
      : nothingWrong`,
    tests: DECODING,
  },
  {
    name: "pointers have no defaults that are zero",
    file: "pkg/api/wire-form.ts",
    find: "if (!isZero || struct.fields.get(name)?.type.pointer === true) defaults.set(name, value);",
    replace: "if (!isZero) defaults.set(name, value);",
    tests: ["pkg/api/wire-form.test.ts"],
  },
  {
    name: "a field that is null is there",
    file: "pkg/api/wire-form.ts",
    find: "} else if (value === undefined || value === null) delete object[name];",
    replace: "} else if (value === undefined) delete object[name];",
    tests: ["test/integration/api/empty-fields.test.ts"],
  },
  {
    name: "an empty list is there",
    file: "pkg/api/wire-form.ts",
    find: 'if (type.kind === "list") return Array.isArray(value) && value.length === 0;',
    replace: 'if (type.kind === "list") return false;',
    tests: ["test/integration/api/empty-fields.test.ts"],
  },
  {
    name: "kinds without rules of their own keep to none",
    file: "pkg/apiserver/server/built-in-resource.ts",
    find: "...(/^v\\d+$/.test(builtIn.version) && { declaredRules: true }),",
    replace: "",
    tests: DECLARED,
  },
  {
    name: "declared rules let fields change",
    file: "pkg/apiserver/kinds/define-kind.ts",
    find: "validateDeclared(draft, type, errors, old)",
    replace: "validateDeclared(draft, type, errors)",
    tests: DECLARED,
  },
  {
    name: "no declared field is required",
    file: "pkg/apiserver/kinds/declared-rules.ts",
    find: 'if (!isSet && rules.some(({ name }) => name === "required")) this.#errors.required(at);',
    replace: "",
    tests: DECLARED,
  },
  {
    name: "members of lists are not looked at",
    file: "pkg/apiserver/kinds/declared-rules.ts",
    find: "if (isJson(item)) this.struct(item, structOf(items), `${path}[${key}]`);",
    replace: "void item;",
    tests: DECLARED,
  },
  {
    name: "options of a delete are of v1 only in protobuf",
    file: "pkg/api/protobuf/decode.ts",
    find: 'if (kind === "DeleteOptions") return',
    replace: 'if (kind === "DeleteOptions" && apiVersion === "v1") return',
    tests: ["test/integration/api/deletion.test.ts"],
  },
  {
    name: "no map of a schema in protobuf is closed",
    file: "pkg/api/protobuf/decode.ts",
    find: 'return object["schema"] ?? object["allows"] ?? false;',
    replace: 'return object["schema"] ?? true;',
    tests: ["pkg/api/protobuf/decode.test.ts"],
  },
  {
    name: "there are tables of what is computed",
    file: "pkg/apiserver/server/virtual-create.ts",
    find: 'request.query, "computed")',
    replace: 'request.query, "one")',
    tests: ["test/integration/api/writes.test.ts"],
  },
  {
    name: "a dry run minds the version of what is created",
    file: "pkg/apiserver/server/create.ts",
    find: "if (!query.dryRun && /^",
    replace: "if (/^",
    tests: ["test/integration/api/writes.test.ts"],
  },
  {
    name: "what OpenAPI 2 cannot say of nullable fields is published",
    file: "pkg/apiserver/discovery/custom-schema-v2.ts",
    find: "if (nullable || keepsUnknown) {",
    replace: "if (keepsUnknown) {",
    tests: ["test/integration/api/custom-resources.test.ts"],
  },
];
