// Who the logins of a batch are here: accounts, or names alone.
import type { Db } from '../../kernel/storage/tables.ts';
import { listGrantsOf } from '../collaborators/store.ts';
import { sharedRepository } from '../issues/people/assignees.ts';
import type { Author } from '../issues/issue.ts';
import { findUser } from '../owners/store.ts';
import type { FoundRepository } from '../repositories/access.ts';
import type { SentBatch } from './model.ts';

export interface ImportedPeople {
  /** Null for an author whose account is gone there. */
  author(login: string | null): Author;
  /** The account, where there is one. */
  idOf(login: string | null): string | null;
  /** Those of the logins that can be assigned, each once. */
  assignees(logins: readonly string[]): string[];
}

/** Each login is looked up once in a batch. */
export async function findPeople(db: Db, found: FoundRepository, batch: SentBatch): Promise<ImportedPeople> {
  const ids = new Map<string, string>();
  for (const login of loginsIn(batch)) {
    const account = await findUser(db, login);
    if (account !== undefined) ids.set(login.toLowerCase(), account.id);
  }
  const grants = await listGrantsOf(db, sharedRepository(found), [...new Set(ids.values())]);
  const idOf = (login: string | null) => (login === null ? null : (ids.get(login.toLowerCase()) ?? null));
  return {
    idOf,
    author(login) {
      const id = idOf(login);
      return { id, name: id === null ? login : null };
    },
    assignees(logins) {
      const assigned = logins.map(idOf).filter((id) => id !== null);
      // A private repository does not exist for others.
      return [...new Set(assigned)].filter((id) => !found.repository.isPrivate || grants.has(id));
    },
  };
}

function loginsIn(batch: SentBatch): Set<string> {
  const { milestones = [], issues = [], comments = [], reviews = [], review_comments: onLines = [] } = batch;
  const logins = [
    ...[...milestones, ...issues, ...comments, ...reviews, ...onLines].map(({ author }) => author),
    ...issues.flatMap(({ assignees, closed_by: closedBy, pull }) => [
      ...assignees,
      closedBy,
      pull?.merged_by ?? null,
      pull?.head.owner ?? null,
    ]),
  ];
  return new Set(logins.filter((login) => login !== null).map((login) => login.toLowerCase()));
}
