// Issues that tests of the host insert directly.
import { createIssue, type IssueDraft } from '../../src/host/issues/change-issue.ts';
import { findIssue } from '../../src/host/issues/store.ts';
import type { Issue } from '../../src/host/issues/issue.ts';
import { findRepositoryNamed } from '../../src/host/repositories/access.ts';
import { systemActor } from '../../src/kernel/identity/actor.ts';
import type { TestServer } from '../server.ts';

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
