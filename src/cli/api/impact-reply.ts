// The reply of an upgrade report as the command `api impact` reads it: another server may answer with anything.

export interface ImpactReply {
  version: string;
  state: string;
  header: string;
  documentation_url: string;
  unrecorded_calls: number;
  note: string;
  calls: CallEntry[];
}

export interface CallEntry {
  method: string;
  path: string;
  version: string;
  variant: string | null;
  caller: { type: string; id: string | null; name: string | null; login: string | null };
  calls: number;
  last_seen_at: string;
  changes: {
    title: string;
    advice: string;
    in: string;
    fields: { name: string; kind: string }[];
    calls: number;
  }[];
}

type Members = Record<string, unknown>;

/** Looser than the server's schema: a newer server may have more states and kinds. */
export function isImpactReply(body: unknown): body is ImpactReply {
  return (
    hasTexts(body, ['version', 'state', 'header', 'documentation_url']) &&
    Number.isInteger(body['unrecorded_calls']) &&
    isListOf(body['calls'], isCallEntry)
  );
}

/** Oldest first. */
export function isVersionList(body: unknown): body is string[] {
  return Array.isArray(body) && body.length > 0 && body.every((one) => typeof one === 'string');
}

/** The message of an error. */
export function errorMessageOf(body: unknown): string | undefined {
  return hasTexts(body, ['message']) ? (body['message'] as string) : undefined;
}

function isCallEntry(one: unknown): boolean {
  return (
    hasTexts(one, ['method', 'path', 'version', 'last_seen_at']) &&
    Number.isInteger(one['calls']) &&
    isNullOrText(one['variant']) &&
    hasTexts(one['caller'], ['type']) &&
    ['id', 'name', 'login'].every((name) => isNullOrText((one['caller'] as Members)[name])) &&
    isListOf(one['changes'], isChange)
  );
}

function isChange(one: unknown): boolean {
  return (
    hasTexts(one, ['title', 'advice', 'in']) &&
    isListOf(one['fields'], (field) => hasTexts(field, ['name', 'kind']))
  );
}

function hasTexts(value: unknown, names: readonly string[]): value is Members {
  return (
    typeof value === 'object' &&
    value !== null &&
    names.every((name) => typeof (value as Members)[name] === 'string')
  );
}

function isNullOrText(value: unknown): boolean {
  return value === null || typeof value === 'string';
}

function isListOf(value: unknown, isOne: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isOne);
}
