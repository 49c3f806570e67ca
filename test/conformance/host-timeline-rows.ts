// Issues for tests of what belongs to them: created as the routes do it, with any author.
import { systemActor } from '../../src/kernel/identity/actor.ts';
import { createIssue, type IssueDraft } from '../../src/host/issues/change-issue.ts';
import type { Issue } from '../../src/host/issues/issue.ts';
import { listOwners } from '../../src/host/owners/store.ts';
import type { FoundRepository } from '../../src/host/repositories/access.ts';
import { findRepositoryByNumber } from '../../src/host/repositories/store.ts';
import { insertIssueEvents, type NewIssueEvent } from '../../src/host/timeline/store.ts';
import type { TestServer } from '../server.ts';

async function foundRepository({ app: { kernel } }: TestServer, number: number): Promise<FoundRepository> {
  const repository = (await findRepositoryByNumber(kernel.db, number))!;
  const owner = (await listOwners(kernel.db, [repository.ownerId])).get(repository.ownerId)!;
  return { repository, owner };
}

export async function giveIssue(
  server: TestServer,
  repositoryNumber: number,
  draft: Partial<IssueDraft> = {},
): Promise<Issue> {
  const { kernel } = server.app;
  const found = await foundRepository(server, repositoryNumber);
  const fields: IssueDraft = {
    title: 'A fault',
    body: 'It **fails**.',
    author: { id: found.owner.id, name: null },
    labels: [],
    assigneeIds: [],
    milestoneId: null,
    ...draft,
  };
  return await kernel.changes.run(systemActor({ now: kernel.clock.now() }), (tx) =>
    createIssue(tx, found, fields),
  );
}

export async function giveEvents(
  { app: { kernel } }: TestServer,
  issue: Issue,
  events: readonly NewIssueEvent[],
): Promise<void> {
  await kernel.db.transaction().execute((tx) => insertIssueEvents(tx, issue, events, kernel.clock.now()));
}
