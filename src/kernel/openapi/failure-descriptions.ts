// Describes each kind of failure for the documentation.
import type { FailureKind } from '../failure.ts';

export const FAILURE_DESCRIPTIONS: Record<FailureKind, string> = {
  malformed: 'The request cannot be read: bad JSON, a wrong content type, a bad header.',
  invalid: 'The request breaks the schema or a rule; the message names the field.',
  unauthenticated: 'There is no credential, or it is not good (any more).',
  denied: "The caller's role lacks the permission.",
  forbidden: 'The caller has no access to this resource.',
  'approval-required': 'Others must approve the change before it is made.',
  'not-found': 'What is named does not exist.',
  moved: 'What is named has another address now, which the header Location has.',
  'no-route': 'There is nothing at this path.',
  'wrong-method': 'The path does not know this verb.',
  'not-acceptable': 'Nothing that can be sent is in the Accept header.',
  conflict: 'Somebody else changed it first, or the name is taken. Read it again and retry.',
  retired: 'It has been retired.',
  'bad-patch': 'The update cannot be understood or applied.',
  'too-large': 'The body is larger than the limit.',
  'headers-too-large': 'The request line and the headers are larger than the limit.',
  'unsupported-encoding': 'The Content-Encoding is not known.',
  exhausted: 'A rate limit is spent. Retry when the window resets.',
  'over-quota': 'The account has or uses as much as it may.',
  timeout: 'The request took too long.',
  unavailable: 'Storage is away or full. The same call may succeed later.',
  internal: 'A mistake of ours. Quote the id of the call.',
};

/** Without `moved` where the API has no redirects. */
export function documentedFailures({ status }: { status: Record<FailureKind, number> }): FailureKind[] {
  const kinds = Object.keys(FAILURE_DESCRIPTIONS) as FailureKind[];
  return kinds.filter((kind) => kind !== 'moved' || status.moved < 400);
}
