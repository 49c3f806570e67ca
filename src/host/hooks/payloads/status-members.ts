// The members of the payload of a status: its commit, and the branches that end with the commit.
import type { Db } from '../../../kernel/storage/tables.ts';
import { toCommit, type Authors } from '../../commits/model.ts';
import type { EventDetails, RecordedEvent } from '../../events/model.ts';
import { listAuthors } from '../../owners/store.ts';
import { listProtectionsOf } from '../../protection/store.ts';
import type { FoundRepository } from '../../repositories/access.ts';
import { toSimpleUser } from '../../owners/model.ts';
import { listBranchesAt } from '../store.ts';
import type { PayloadObject } from './shared-members.ts';

/** What the payload of a status needs beside the event. */
export interface StatusSurroundings {
  authors: Authors;
  branches: { name: string; isProtected: boolean }[];
}

const MAX_BRANCHES = 10;

/** Undefined for other events. */
export async function readSurroundings(
  db: Db,
  { name, details, snapshot: { repository } }: RecordedEvent,
): Promise<StatusSurroundings | undefined> {
  if (name !== 'status' || repository === undefined) return undefined;
  const { sha, commit } = details as EventDetails['status'];
  const { number } = repository.repository;
  const names = await listBranchesAt(db, number, sha, MAX_BRANCHES);
  const protections = await listProtectionsOf(db, number, names);
  return {
    authors: await listAuthors(db, [commit.author.email, commit.committer.email]),
    branches: names.map((branch) => ({ name: branch, isProtected: protections.has(branch) })),
  };
}

export function statusMembers(
  { details, snapshot: { sender } }: RecordedEvent,
  found: FoundRepository,
  { authors, branches }: StatusSurroundings,
  base: string,
): PayloadObject {
  const { commit, ...status } = details as EventDetails['status'];
  const shown = toCommit(commit, authors, found, base);
  const { verified_at: _verifiedAt, ...verification } = shown.commit.verification;
  return {
    ...status,
    name: `${found.owner.login}/${found.repository.name}`,
    avatar_url: toSimpleUser(sender, base).avatar_url,
    commit: { ...shown, commit: { ...shown.commit, verification } },
    branches: branches.map(({ name, isProtected }) => ({
      name,
      commit: { sha: shown.sha, url: shown.url },
      protected: isProtected,
    })),
  };
}
