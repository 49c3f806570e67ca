// A request as the API has it, and why it is not next.

export interface QueueRequest {
  id: string;
  uniqueKey: string;
  url: string;
  method?: string;
  retryCount?: number;
  handledAt?: string | null;
  errorMessages?: string[] | null;
  lockByClient?: string;
  lockExpiresAt?: string;
  loadedUrl?: string | null;
  payload?: unknown;
  headers?: unknown;
  userData?: unknown;
  noRetry?: boolean | null;
}

/** Each row knows its place in the list. */
export type RequestRow = QueueRequest & { place: number };

export type WhyNotNext =
  | { kind: 'handled'; at: string }
  | { kind: 'locked'; until: number; client: string | undefined }
  | { kind: 'next' }
  | { kind: 'behind'; count: number; next: QueueRequest }
  | { kind: 'far'; count: number };

/** `head` are the first that are pending, in order. */
export function whyNotNext(
  { id, handledAt, lockByClient, lockExpiresAt }: QueueRequest,
  head: readonly QueueRequest[],
  now: number,
): WhyNotNext {
  if (handledAt !== null && handledAt !== undefined) return { kind: 'handled', at: handledAt };
  const until = lockExpiresAt === undefined ? 0 : new Date(lockExpiresAt).getTime();
  if (until > now) return { kind: 'locked', until, client: lockByClient };
  const at = head.findIndex((one) => one.id === id);
  const [next] = head;
  if (at === 0) return { kind: 'next' };
  if (at > 0) return { kind: 'behind', count: at, next: next! };
  return { kind: 'far', count: head.length };
}
