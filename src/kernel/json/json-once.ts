// JSON of objects that are written several times: into the audit entry of a change, into webhooks, and as the reply to its caller.

/** Until the object is gone. */
const written = new WeakMap<object, string>();

/** As `JSON.stringify` returns it. The object must not change from then on. */
export function stringifyOnce(value: object): string {
  let json = written.get(value);
  if (json === undefined) {
    json = JSON.stringify(value);
    written.set(value, json);
  }
  return json;
}

/** The JSON of an object that `stringifyOnce` was asked for. */
export function jsonOf(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null ? written.get(value) : undefined;
}
