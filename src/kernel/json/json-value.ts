// JSON values as both kinds of patch need them: type tests, equality, depth, and safe writes of members.

export type JsonObject = Record<string, unknown>;
export type Container = JsonObject | unknown[];

/** The maximum nesting of a patch, and of the document it produces: it limits every recursion here. */
export const MAX_DEPTH = 200;

export function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

export function isObject(value: unknown): value is JsonObject {
  return isContainer(value) && !Array.isArray(value);
}

/** The object's own member. An inherited one, such as `constructor`, is not part of a JSON document. */
export function propertyOf(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

export function setProperty(object: JsonObject, key: string, value: unknown): void {
  // Assigning `__proto__` would replace the prototype; in JSON it is an ordinary member.
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  } else {
    object[key] = value;
  }
}

/** Equality of RFC 6902, section 4.6. Walks both values together, so it goes no deeper than the shallower one. */
export function areEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (!isContainer(left) || !isContainer(right)) return false;
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    for (let at = 0; at < left.length; at += 1) if (!areEqual(left[at], right[at])) return false;
    return true;
  }
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  for (const key of keys) if (!Object.hasOwn(right, key) || !areEqual(left[key], right[key])) return false;
  return true;
}

export function isDeeperThan(limit: number, value: unknown): boolean {
  if (!isContainer(value)) return false;
  if (limit === 0) return true;
  if (Array.isArray(value)) {
    for (const element of value) if (isDeeperThan(limit - 1, element)) return true;
  } else {
    for (const key in value) if (isDeeperThan(limit - 1, value[key])) return true;
  }
  return false;
}
