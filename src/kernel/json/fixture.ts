// Values for property tests of JSON.

/**
 * V8 confuses a key that has an escape with one that holds a backslash where an object of the same shape
 * had the latter (nodejs/node issue 63785), so that no test of ours may depend on such keys.
 */
export function hasNoBackslashInKeys(value: unknown): boolean {
  return !/\\\\(?:[^"\\]|\\.)*":/u.test(JSON.stringify(value));
}
