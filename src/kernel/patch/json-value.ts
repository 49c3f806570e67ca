// What both patch kinds need to know about JSON values: shape, equality, depth, and how to write a member safely.

export type JsonObject = Record<string, unknown>;
export type Container = JsonObject | unknown[];

/** The deepest nesting that a patch may have, or may make in a document. Keeps every recursion here shallow. */
export const MAX_DEPTH = 200;

export function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

export function isObject(value: unknown): value is JsonObject {
  return isContainer(value) && !Array.isArray(value);
}

/** The object's own member. An inherited one, such as `constructor`, is not part of a JSON document. */
export function memberOf(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

export function setMember(object: JsonObject, key: string, value: unknown): void {
  // Assigning `__proto__` would replace the prototype; JSON means an ordinary member of that name.
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

/** Equality of RFC 6902, section 4.6. Walks both in step, so it goes no deeper than the shallower of the two. */
export function areEqual(left: unknown, right: unknown): boolean {
  if (!isContainer(left) || !isContainer(right)) return left === right;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => areEqual(item, right[index]));
  }
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && areEqual(left[key], right[key]));
}

export function isDeeperThan(limit: number, value: unknown): boolean {
  if (!isContainer(value)) return false;
  if (limit === 0) return true;
  const isDeeper = (member: unknown) => isDeeperThan(limit - 1, member);
  if (Array.isArray(value)) return value.some(isDeeper);
  for (const key in value) if (isDeeper(value[key])) return true;
  return false;
}
