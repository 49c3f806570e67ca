// The one error that rules and stores throw: a kind from a closed list, and a message for people.

/** Every way a call can fail. Each protocol maps all of them to a status; the compiler checks that none is missing. */
export type FailureKind =
  | 'malformed' // the request cannot be read: bad JSON, a wrong content type, a bad header
  | 'invalid' // it was read, and breaks the schema or a rule
  | 'unauthenticated' // no credential, or one that is not (or no longer) good
  | 'denied' // the caller's role lacks the permission
  | 'forbidden' // the caller has no access to this resource at all, or a rule forbids it to everyone
  | 'approval-required' // others must approve the change before it is made
  | 'not-found' // the thing named does not exist, or must look as if it did not
  | 'moved' // the thing named has another address now
  | 'no-route' // no such path
  | 'wrong-method' // the path exists, the verb does not
  | 'not-acceptable' // nothing we can send is in Accept
  | 'conflict' // someone else's write came first, or the name is taken
  | 'retired' // the version asked for was supported once
  | 'bad-patch' // the description of an update cannot be understood or applied
  | 'too-large'
  | 'headers-too-large'
  | 'unsupported-encoding'
  | 'exhausted' // over a rate limit
  | 'over-quota' // more than the account may have or use
  | 'timeout'
  | 'unavailable' // storage is away or full; the same call may succeed later
  | 'internal';

export interface FailureDetails {
  /** The API's own word for this failure, where its protocol has more than one for the kind. */
  code?: string;
  /** What cannot be read, for `malformed`: `json` is a body that is not valid JSON. */
  part?: 'request' | 'content-type' | 'json';
  /** Which field broke which rule, for `invalid`. */
  fields?: FieldProblem[];
  /** The index of the instruction that failed, of a semantic patch or a plan. */
  instruction?: number;
  /** The permission that was missing, for `denied` and `forbidden`. */
  access?: { action: string; resource: string };
  /** The new address, for `moved`: absolute, or a path below the API's base. */
  location?: string;
  /** Response headers that belong to this failure. */
  headers?: Record<string, string>;
  /** A concurrent write came first; the same call may succeed when it is retried. */
  isContested?: true;
  /** Further members of the error body, where the protocol has room for them. */
  data?: Record<string, unknown>;
  cause?: unknown;
}

/** The absolute address of what has moved. */
export function locationOf({ details: { location } }: Failure, base: string): string | undefined {
  return location?.startsWith('/') === true ? base + location : location;
}

export interface FieldProblem {
  /** Where, as a JSON pointer into the body, or `query.limit`, `params.id`. */
  field: string;
  message: string;
}

/** Whose causes somebody must find. */
const FAULTS: ReadonlySet<FailureKind> = new Set(['internal', 'unavailable']);

export class Failure extends Error {
  readonly kind: FailureKind;
  readonly details: FailureDetails;

  constructor(kind: FailureKind, message: string, details: FailureDetails = {}) {
    const usual = Error.stackTraceLimit;
    // Refusing a call is part of the work, and its message says why: to write down who called whom would cost more than the check.
    if (!FAULTS.has(kind)) Error.stackTraceLimit = 0;
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    Error.stackTraceLimit = usual;
    this.name = 'Failure';
    this.kind = kind;
    this.details = details;
  }
}

/** Messages of replies are sentences. Many are made of a field and its problem, so their period is added here. */
export function sentenceOf(message: string): string {
  return /[.?!…]$/.test(message) ? message : `${message}.`;
}
