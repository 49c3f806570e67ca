// Records links between issues for webhooks, in the transaction of the change.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { anonymousAt } from '../../kernel/identity/caller.ts';
import { recordEvent } from '../events/record-event.ts';
import type { EventDetails, IssueInEvent } from '../events/model.ts';
import type { Issue } from '../issues/issue.ts';
import { showIssuesOf } from '../issues/show-issues.ts';
import type { FoundRepository } from '../repositories/access.ts';

/** One of the two issues of a link, with its repository. */
export interface LinkEnd {
  issue: Issue;
  found: FoundRepository;
}

/** What happened to one of the two. */
interface LinkAction {
  action: string;
  at: LinkEnd;
  other: LinkEnd;
}

type LinkEvent = 'sub_issues' | 'issue_dependencies';

/** Payloads go to people who may not see what a caller sees. */
const ANYBODY = anonymousAt('');

/**
 * `ends` are the members of the payload. Receivers in one repository may not see another that is private, so that they are
 * not sent what links its issues with theirs.
 */
export async function recordLink<Name extends LinkEvent>(
  tx: ChangeTransaction,
  name: Name,
  ends: Record<keyof EventDetails[Name], LinkEnd>,
  actions: readonly LinkAction[],
): Promise<void> {
  const sent = actions.filter(({ at, other }) => isOpenTo(at.found, other.found));
  if (sent.length === 0) return;
  const members = Object.entries(ends) as [string, LinkEnd][];
  const shown = await showIssuesOf(
    tx.db,
    ANYBODY,
    members.map(([, { found }]) => found),
    members.map(([, { issue }]) => ({ ...issue, updatedAt: tx.actor.now })),
  );
  const details: Record<string, IssueInEvent> = Object.fromEntries(
    members.map(([member, { found }], index) => [member, { issue: shown[index]!, found }]),
  );
  for (const { action, at } of sent) await recordEvent(tx, { name, action, details }, { found: at.found });
}

function isOpenTo({ repository: own }: FoundRepository, { repository: other }: FoundRepository): boolean {
  return own.number === other.number || !other.isPrivate;
}
