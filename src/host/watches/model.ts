// Watches as replies show them, and what a request says about one.
import { Nullable, Type, type Static } from '../../kernel/schema/schema.ts';
import { isoSeconds } from '../times.ts';

export interface Watch {
  /** Its owner wants to hear nothing of the repository. */
  isIgnored: boolean;
  createdAt: number;
}

export const RepositorySubscription = Type.Object(
  {
    subscribed: Type.Boolean(),
    ignored: Type.Boolean(),
    reason: Nullable(Type.String()),
    created_at: Type.String({ format: 'date-time' }),
    url: Type.String(),
    repository_url: Type.String(),
  },
  { $id: 'repository-subscription' },
);

export const SubscriptionRequest = Type.Object({
  subscribed: Type.Optional(Type.Boolean()),
  ignored: Type.Optional(Type.Boolean()),
});

/** What is asked for: to watch, to ignore, or neither. */
export function wantedWatch({
  subscribed,
  ignored = false,
}: Static<typeof SubscriptionRequest>): 'watch' | 'ignore' | 'none' {
  if (ignored) return 'ignore';
  return subscribed === false ? 'none' : 'watch';
}

export function toSubscription(
  watch: Watch | undefined,
  fullName: string,
  { base, now }: { base: string; now: number },
): Static<typeof RepositorySubscription> {
  const url = `${base}/repos/${fullName}`;
  return {
    subscribed: watch !== undefined && !watch.isIgnored,
    ignored: watch?.isIgnored === true,
    reason: null,
    created_at: isoSeconds(watch?.createdAt ?? now),
    url: `${url}/subscription`,
    repository_url: url,
  };
}
