/** One JSON Schema as `tools/list` shows it, as far as these tests read it. */
export interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  examples?: unknown[];
  format?: string;
  minimum?: number;
}

export type Path = readonly (string | number)[];

/** A value that the schema admits, with every optional part; `fixed` sets the values at some paths, undefined leaves one out. */
export function sampleOf(schema: Schema, fixed: Readonly<Record<string, unknown>> = {}, at: Path = []): unknown {
  const name = at.join('.');
  if (Object.hasOwn(fixed, name)) return fixed[name];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return sampleOf(schema.anyOf[0] ?? {}, fixed, at);
  if (schema.type === 'object') {
    const known = Object.entries(schema.properties ?? {}).map(([key, inner]) => [key, sampleOf(inner, fixed, [...at, key])] as const);
    const free = typeof schema.additionalProperties === 'object' ? [['sample', sampleOf(schema.additionalProperties, fixed, [...at, 'sample'])] as const] : [];
    return Object.fromEntries([...known, ...free].filter(([, value]) => value !== undefined));
  }
  if (schema.type === 'array') return [sampleOf(schema.items ?? {}, fixed, [...at, 0])];
  if (schema.type === 'string') return schema.format === 'date-time' ? '2031-01-01T00:00:00Z' : (schema.examples?.[0] ?? 'sample');
  if (schema.type === 'integer' || schema.type === 'number') return Math.max(1, schema.minimum ?? 1);
  return schema.type === 'boolean' ? false : null;
}

/** Where strings may stand, every branch of the schema. */
export function stringPaths(schema: Schema, at: Path = []): Path[] {
  const inside = [
    ...Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => stringPaths(inner, [...at, key])),
    ...(schema.items ? stringPaths(schema.items, [...at, 0]) : []),
    ...(typeof schema.additionalProperties === 'object' ? stringPaths(schema.additionalProperties, [...at, 'sample']) : []),
    ...(schema.anyOf ?? []).flatMap((branch) => stringPaths(branch, at)),
  ];
  return schema.type === 'string' ? [at, ...inside] : inside;
}

/** Where objects stand in a value. */
export function objectPaths(value: unknown, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.entries(value).flatMap(([key, inner]) => objectPaths(inner, [...at, Array.isArray(value) ? Number(key) : key]));
  return Array.isArray(value) ? inside : [at, ...inside];
}

/** A copy with another value at a path; what is missing on the way is made. */
export function withValue(value: unknown, [key, ...rest]: Path, put: unknown): unknown {
  if (key === undefined) return put;
  if (typeof key === 'number')
    return Object.assign([...(Array.isArray(value) ? value : [])], { [key]: withValue((value as unknown[] | undefined)?.[key], rest, put) });
  const record = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  return { ...record, [key]: withValue(record[key], rest, put) };
}

/** JSON with a member at a path that no object literal can hold. */
export function jsonWithMember(value: unknown, path: Path, member: string): string {
  const marker = '"@@member@@":0';
  const [first, ...others] = objectAt(value, path);
  const marked = withValue(value, path, { '@@member@@': 0, ...Object.fromEntries([first, ...others].filter((entry) => entry !== undefined)) });
  return JSON.stringify(marked).replace(marker, member);
}

function objectAt(value: unknown, path: Path): [string, unknown][] {
  const found = path.reduce((inner, key) => (inner as Record<string | number, unknown>)[key], value);
  return Object.entries(found as object);
}
