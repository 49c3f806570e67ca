// Which issues the references of a text lead to, for somebody who may see them, and which of them they may close.
import { accountOf, type KnownCaller } from '../../kernel/identity/caller.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import type { Issue } from '../issues/issue.ts';
import { findOwner } from '../owners/store.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { roleOn } from '../repositories/caller-roles.ts';
import { includesRole } from '../repositories/repository.ts';
import { findRepositoryByName } from '../repositories/store.ts';
import { mayRead } from '../repositories/visibility.ts';
import { parseReferences, type IssueReference } from './references.ts';
import { listIssuesByNumber } from './store-references.ts';

export interface ReferencedIssue {
  /** Where the issue is. */
  found: FoundRepository;
  issue: Issue;
  isClosing: boolean;
}

/** Each takes statements of its own: references to further ones are not followed. */
const MAX_REPOSITORIES = 10;

/** By repository and id, the order in which they may be locked. References to what the caller may not see lead nowhere. */
export async function listReferencedIssues(
  db: Db,
  caller: KnownCaller,
  from: FoundRepository,
  references: readonly IssueReference[],
): Promise<ReferencedIssue[]> {
  const ownName = `${from.owner.login}/${from.repository.name}`.toLowerCase();
  const places = Map.groupBy(references, ({ repository }) => repository?.toLowerCase() ?? ownName);
  const referenced: ReferencedIssue[] = [];
  for (const [name, some] of [...places].slice(0, MAX_REPOSITORIES)) {
    const found = name === ownName ? from : await findNamed(db, name);
    if (found === undefined || !(await mayRead(db, caller, found))) continue;
    const numbers = [...new Set(some.map(({ number }) => number))];
    for (const issue of await listIssuesByNumber(db, found.repository.number, numbers)) {
      if (!issue.isPull && !found.repository.settings.hasIssues) continue;
      const isClosing = some.some((one) => one.number === issue.number && one.isClosing);
      referenced.push({ found, issue, isClosing });
    }
  }
  return referenced.toSorted(
    (one, other) =>
      one.issue.repositoryNumber - other.issue.repositoryNumber || one.issue.id - other.issue.id,
  );
}

async function findNamed(db: Db, fullName: string): Promise<FoundRepository | undefined> {
  const [login = '', name = ''] = fullName.split('/');
  const owner = await findOwner(db, login);
  const repository = owner && (await findRepositoryByName(db, owner, name));
  return repository && { repository, owner };
}

/** As `PATCH` would let them: the author, and those who triage. Words do not close pull requests. */
export async function mayClose(
  db: Db,
  caller: KnownCaller,
  { found: { repository }, issue }: Pick<ReferencedIssue, 'found' | 'issue'>,
): Promise<boolean> {
  if (issue.isPull || repository.isArchived) return false;
  if (issue.author.id === accountOf(caller).id) return true;
  return includesRole(await roleOn(db, caller, repository), 'triage');
}

/** What closing words in these texts close when the caller merges what they describe, in the order in which it may be locked. */
export async function listIssuesToClose(
  db: Db,
  caller: KnownCaller,
  from: FoundRepository,
  texts: readonly string[],
): Promise<ReferencedIssue[]> {
  const closing = texts.flatMap((text) => parseReferences(text).issues.filter(({ isClosing }) => isClosing));
  const closed: ReferencedIssue[] = [];
  for (const one of await listReferencedIssues(db, caller, from, closing))
    if (one.issue.state === 'open' && (await mayClose(db, caller, one))) closed.push(one);
  return closed;
}
