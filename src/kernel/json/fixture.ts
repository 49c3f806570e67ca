// Values for property tests of JSON.

/**
 * V8 confuses a key that has an escape with one that contains a backslash if an object of the same shape had the latter
 * (nodejs/node issue 63785), so no test may depend on such keys.
 */
export function hasNoBackslashInKeys(value: unknown): boolean {
  return !/\\\\(?:[^"\\]|\\.)*":/u.test(JSON.stringify(value));
}
