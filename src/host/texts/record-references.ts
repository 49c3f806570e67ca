// Records what a text of an issue refers to, in the transaction that writes the text: people in its lists, and other issues in their timelines.
import type { ChangeTransaction } from '../../kernel/change/changes.ts';
import { accountOf } from '../../kernel/identity/caller.ts';
import { mentioning, mentioningIn, subscribedBy } from '../issues/lists/facets.ts';
import type { Issue } from '../issues/issue.ts';
import { addFacets } from '../issues/lists/store-facets.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { listReaders } from '../repositories/store-visibility.ts';
import { insertIssueEvents, type NewIssueEvent } from '../timeline/store.ts';
import { parseReferences, type IssueReference } from './references.ts';
import { listReferencedIssues } from './referenced-issues.ts';
import { listCrossReferenced, listIdsByLogin, listPresentFacets } from './store-references.ts';

/**
 * The text is the body of the issue or pull request, or one of its comments and reviews. The caller has created or locked
 * the issue. What has been recorded before is not recorded again, so that the whole text is given after each edit.
 */
export async function recordReferences(
  tx: ChangeTransaction,
  { repository, owner }: FoundRepository,
  issue: Issue,
  text: string | null,
): Promise<void> {
  // What the program itself writes, such as what is imported, calls nobody.
  if (text === null || tx.actor.caller === undefined) return;
  const { mentions, issues } = parseReferences(text);
  if (mentions.length > 0) await recordMentions(tx, { repository, owner }, issue, mentions);
  if (issues.length > 0) await recordCrossReferences(tx, { repository, owner }, issue, issues);
}

/** Once for each issue and account. */
async function recordMentions(
  { db, actor }: ChangeTransaction,
  { repository }: FoundRepository,
  issue: Issue,
  logins: readonly string[],
): Promise<void> {
  const readers = await listReaders(db, repository, await listIdsByLogin(db, logins));
  const facets = readers.flatMap((id) => [mentioning(id), subscribedBy(id)]);
  const present = await listPresentFacets(db, issue.id, facets);
  const added = readers.filter((id) => !present.has(mentioning(id)));
  const events = added.flatMap((id): NewIssueEvent[] => [
    { event: 'mentioned', actorId: id },
    ...(present.has(subscribedBy(id)) ? [] : [{ event: 'subscribed', actorId: id }]),
  ]);
  await addFacets(
    db,
    issue,
    added.flatMap((id) => [mentioning(id), mentioningIn(repository.number, id), subscribedBy(id)]),
  );
  await insertIssueEvents(db, issue, events, actor.now);
}

/** Once for each pair: two transactions that write texts of the source wait for its lock. */
async function recordCrossReferences(
  { db, actor }: ChangeTransaction,
  found: FoundRepository,
  source: Issue,
  references: readonly IssueReference[],
): Promise<void> {
  const caller = actor.caller!;
  const referenced = await listReferencedIssues(db, caller, found, references);
  const others = referenced.map(({ issue }) => issue).filter(({ id }) => id !== source.id);
  const present = await listCrossReferenced(
    db,
    source.id,
    others.map(({ id }) => id),
  );
  const event: NewIssueEvent = {
    event: 'cross-referenced',
    isListed: false,
    actorId: accountOf(caller).id,
    subjectId: source.id,
    details: {},
  };
  for (const issue of others.filter(({ id }) => !present.has(id)))
    await insertIssueEvents(db, issue, [event], actor.now);
}
