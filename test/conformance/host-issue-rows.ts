// Issues that tests of the host insert directly.
import { createIssue, type IssueDraft } from '../../src/host/issues/change-issue.ts';
import { findIssue } from '../../src/host/issues/store.ts';
import type { Issue } from '../../src/host/issues/issue.ts';
import { findRepositoryNamed } from '../../src/host/repositories/access.ts';
import { systemActor } from '../../src/kernel/identity/actor.ts';
import type { TestServer } from '../server.ts';
import { findOwner } from '../../src/host/owners/store.ts';
import { findRepositoryByName } from '../../src/host/repositories/store.ts';

/** Of a repository that `owner/name` names. */
export async function giveIssue(
  server: TestServer,
  fullName: string,
  draft: Partial<IssueDraft> = {},
): Promise<Issue> {
  const { kernel } = server.app;
  const [owner, repo] = fullName.split('/');
  const now = kernel.clock.now();
  const found = (await findRepositoryNamed(kernel, { params: { owner, repo }, now }))!;
  return await kernel.changes.run(systemActor({ now }), (tx) =>
    createIssue(tx, found, {
      title: 'A fault',
      body: null,
      author: { id: found.owner.id, name: null },
      labels: [],
      assigneeIds: [],
      milestoneId: null,
      ...draft,
    }),
  );
}

export async function readIssue(server: TestServer, { repositoryNumber, number }: Issue): Promise<Issue> {
  return (await findIssue(server.app.kernel.db, repositoryNumber, number))!;
}

/** A milestone of a repository, which is named `owner/name`. */
export async function giveMilestone(
  { app: { kernel } }: TestServer,
  fullName: string,
  title: string,
): Promise<{ id: number; number: number }> {
  const { db, clock } = kernel;
  const [login = '', name = ''] = fullName.split('/');
  const owner = (await findOwner(db, login))!;
  const repository = (await findRepositoryByName(db, owner, name))!;
  const { last_milestone_number: number } = await db
    .updateTable('repositories')
    .set((eb) => ({ last_milestone_number: eb('last_milestone_number', '+', 1) }))
    .where('number', '=', repository.number)
    .returning('last_milestone_number')
    .executeTakeFirstOrThrow();
  const row = await db
    .insertInto('milestones')
    .values({
      repository_number: repository.number,
      number,
      title,
      description: null,
      state: 'open',
      creator_id: owner.id,
      creator_name: null,
      due_on: null,
      open_issue_count: 0,
      closed_issue_count: 0,
      completeness: 0,
      created_at: clock.now(),
      updated_at: clock.now(),
      closed_at: null,
    })
    .returning(['id', 'number'])
    .executeTakeFirstOrThrow();
  return row;
}
