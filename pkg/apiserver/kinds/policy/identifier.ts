const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const reserved = new Set(
  (
    "true false null in as break const continue else for function if import let loop package namespace return var " +
    "void while"
  ).split(" "),
);

export const isIdentifier = (name: string): boolean => identifier.test(name) && !reserved.has(name);
