// The members of the payload of a push: the commits, and where they are shown.
import type { FoundRepository } from '../../repositories/access.ts';
import type { PayloadObject } from './shared-members.ts';

const ZERO = /^0+$/;
const SHOWN_DIGITS = 12;

/** Everything but the addresses was recorded with the push. */
export function pushMembers(details: PayloadObject, found: FoundRepository, base: string): PayloadObject {
  const { ref, before, after } = details as Record<'ref' | 'before' | 'after', string>;
  const commits = details['commits'] as PayloadObject[];
  const head = details['head_commit'] as PayloadObject | null;
  const page = `${new URL(base).origin}/${found.owner.login}/${found.repository.name}`;
  const withUrl = (commit: PayloadObject) => ({ ...commit, url: `${page}/commit/${String(commit['id'])}` });
  const shortened = (oid: string) => oid.slice(0, SHOWN_DIGITS);
  const { created, deleted, forced, base_ref: baseRef = null } = details;
  return {
    ref,
    before,
    after,
    pusher: { email: null, ...(details['pusher'] as PayloadObject) },
    created,
    deleted,
    forced,
    base_ref: baseRef,
    compare: ZERO.test(before)
      ? `${page}/compare/${ref.replace(/^refs\/(?:heads|tags)\//, '')}`
      : `${page}/compare/${shortened(before)}...${shortened(after)}`,
    commits: commits.map(withUrl),
    head_commit: head && withUrl(head),
  };
}
