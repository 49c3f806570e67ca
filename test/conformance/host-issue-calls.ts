// Issues for tests that are not about their routes: created, locked and read as rules do it.
import assert from 'node:assert/strict';
import { createIssue, editIssue } from '../../src/host/issues/change-issue.ts';
import type { Issue } from '../../src/host/issues/issue.ts';
import { findIssue } from '../../src/host/issues/store.ts';
import { findRepositoryNamed, type FoundRepository } from '../../src/host/repositories/access.ts';
import { systemActor } from '../../src/kernel/identity/actor.ts';
import type { HostPerson } from '../host-people.ts';
import type { TestServer } from '../server.ts';

/** An issue of a test, with the address of its routes. */
export interface TestIssue {
  path: string;
  number: number;
  read(): Promise<Issue>;
  lock(): Promise<void>;
}

/** `repository` is `owner/name`. */
export async function createTestIssue(
  server: TestServer,
  author: HostPerson,
  repository: string,
  { isPull = false } = {},
): Promise<TestIssue> {
  const { kernel } = server.app;
  const found = await findTestRepository(server, repository);
  const actor = () => systemActor({ now: kernel.clock.now() });
  const { id, number } = await kernel.changes.run(actor(), (tx) =>
    createIssue(tx, found, {
      title: 'A fault',
      body: null,
      author: { id: author.member.id, name: null },
      labels: [],
      assigneeIds: [],
      milestoneId: null,
      ...(isPull && { isPull }),
    }),
  );
  return {
    path: `/repos/${repository}/issues/${number}`,
    number,
    read: async () => (await findIssue(kernel.db, found.repository.number, number))!,
    async lock() {
      await kernel.changes.run(actor(), (tx) => editIssue(tx, found, id, { lock: { reason: null } }));
    },
  };
}

async function findTestRepository({ app: { kernel } }: TestServer, name: string): Promise<FoundRepository> {
  const [owner, repo] = name.split('/');
  const found = await findRepositoryNamed(kernel, { params: { owner, repo }, now: kernel.clock.now() });
  assert.ok(found, name);
  return found;
}
