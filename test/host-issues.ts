// Issues, comments, labels and milestones for tests that are not about their routes: created and changed by the same functions.
import { systemActor } from '../src/kernel/identity/actor.ts';
import type { ChangeTransaction } from '../src/kernel/change/changes.ts';
import type { IssueComment } from '../src/host/issue-comments/model.ts';
import { createComment, editComment, removeComment } from '../src/host/issue-comments/change-comment.ts';
import { createIssue, editIssue, type IssueDraft, type IssueEdit } from '../src/host/issues/change-issue.ts';
import type { Issue } from '../src/host/issues/issue.ts';
import { findIssue } from '../src/host/issues/store.ts';
import type { Label } from '../src/host/labels/model.ts';
import { insertLabels } from '../src/host/labels/store.ts';
import type { Milestone } from '../src/host/milestones/model.ts';
import { insertMilestone } from '../src/host/milestones/store.ts';
import { findRepositoryNamed, type FoundRepository } from '../src/host/repositories/access.ts';
import { insertIssueEvents, type NewIssueEvent } from '../src/host/timeline/store.ts';
import type { HostPerson } from './host-people.ts';
import type { TestServer } from './server.ts';

/** `owner/name`, or its number. */
type RepositoryName = string | number;

async function findTestRepository(
  { app: { kernel } }: TestServer,
  name: RepositoryName,
): Promise<FoundRepository> {
  const [owner, repo] = typeof name === 'string' ? name.split('/') : [];
  const params = typeof name === 'string' ? { owner, repo } : { repository_id: name };
  return (await findRepositoryNamed(kernel, { params, now: kernel.clock.now() }))!;
}

/** By the owner of the repository, unless the draft says otherwise. A pull request has a branch that git does not know. */
export async function giveIssue(
  server: TestServer,
  repository: RepositoryName,
  draft: Partial<IssueDraft> = {},
): Promise<Issue> {
  const found = await findTestRepository(server, repository);
  return await runAsSystem(server, async (tx) => {
    const issue = await createIssue(tx, found, { ...draftBy(found.owner.id), ...draft });
    if (issue.isPull) await insertPullRow(tx, issue, found);
    return issue;
  });
}

async function insertPullRow(
  { db }: ChangeTransaction,
  { id, number, repositoryNumber }: Issue,
  { owner }: FoundRepository,
): Promise<void> {
  await db
    .insertInto('pulls')
    .values({
      issue_id: id,
      repository_number: repositoryNumber,
      number,
      base_ref: 'main',
      base_sha: 'b'.repeat(40),
      head_repository_number: repositoryNumber,
      head_owner_id: owner.id,
      head_ref: `topic-${number}`,
      head_sha: 'a'.repeat(40),
      is_draft: 0,
      may_maintainer_modify: 0,
      commit_count: 1,
      additions: 1,
      deletions: 0,
      changed_files: 1,
      review_comment_count: 0,
    })
    .execute();
}

export async function readIssue(
  { app: { kernel } }: TestServer,
  { repositoryNumber, number }: Issue,
): Promise<Issue> {
  return (await findIssue(kernel.db, repositoryNumber, number))!;
}

export async function giveEvents(
  { app: { kernel } }: TestServer,
  issue: Issue,
  events: readonly NewIssueEvent[],
): Promise<void> {
  await kernel.db.transaction().execute((tx) => insertIssueEvents(tx, issue, events, kernel.clock.now()));
}

export async function giveMilestone(
  server: TestServer,
  repository: RepositoryName,
  title: string,
): Promise<Milestone> {
  const found = await findTestRepository(server, repository);
  return await runAsSystem(server, (tx) => insertTestMilestone(tx, found, found.owner.id, title));
}

/** An issue of a test, with the address of its routes. */
export interface TestIssue {
  path: string;
  number: number;
  read(): Promise<Issue>;
  lock(): Promise<void>;
}

export async function createTestIssue(
  server: TestServer,
  author: HostPerson,
  repository: string,
  { isPull = false } = {},
): Promise<TestIssue> {
  const by = { id: author.member.id, name: null };
  const issue = await giveIssue(server, repository, { author: by, ...(isPull && { isPull }) });
  const found = await findTestRepository(server, repository);
  return {
    path: `/repos/${repository}/issues/${issue.number}`,
    number: issue.number,
    read: () => readIssue(server, issue),
    async lock() {
      await runAsSystem(server, (tx) => editIssue(tx, found, issue.id, { lock: { reason: null } }));
    },
  };
}

async function runAsSystem<T>(
  { app: { kernel } }: TestServer,
  work: (tx: ChangeTransaction) => Promise<T>,
): Promise<T> {
  return await kernel.changes.run(systemActor({ now: kernel.clock.now() }), work);
}

function draftBy(id: string): IssueDraft {
  const author = { id, name: null };
  return { title: 'A fault', body: null, author, labels: [], assigneeIds: [], milestoneId: null };
}

async function insertTestMilestone(
  tx: ChangeTransaction,
  { repository }: FoundRepository,
  creatorId: string,
  title: string,
): Promise<Milestone> {
  const creator = { id: creatorId, name: null };
  const rest = { description: null, state: 'open', dueOn: null } as const;
  const fields = { repositoryNumber: repository.number, title, creator, ...rest };
  return (await insertMilestone(tx.db, fields, tx.actor.now))!;
}

/** Does things in a repository, for a person. */
export class IssueDesk {
  readonly #server: TestServer;
  readonly #number: number;
  readonly #person: HostPerson;

  constructor(server: TestServer, person: HostPerson, repositoryNumber: number) {
    this.#server = server;
    this.#person = person;
    this.#number = repositoryNumber;
  }

  async run<T>(work: (tx: ChangeTransaction, found: FoundRepository) => Promise<T>): Promise<T> {
    const { changes, clock } = this.#server.app.kernel;
    const caller = { kind: 'token' as const, member: this.#person.member, grants: [] };
    const found = await findTestRepository(this.#server, this.#number);
    return await changes.run(systemActor({ now: clock.now(), caller }), (tx) => work(tx, found));
  }

  async open(draft: Partial<IssueDraft> = {}): Promise<Issue> {
    return await this.run((tx, found) =>
      createIssue(tx, found, { ...draftBy(this.#person.member.id), ...draft }),
    );
  }

  async edit({ id }: Pick<Issue, 'id'>, edit: IssueEdit): Promise<Issue> {
    return await this.run((tx, found) => editIssue(tx, found, id, edit));
  }

  async comment({ id }: Pick<Issue, 'id'>, body: string): Promise<IssueComment> {
    const author = { id: this.#person.member.id, name: null };
    return await this.run((tx, found) =>
      createComment(tx, { ...found, role: 'admin' }, id, { author, body }),
    );
  }

  async editComment(comment: IssueComment, body: string): Promise<IssueComment> {
    return await this.run((tx, found) => editComment(tx, { ...found, role: 'admin' }, comment, body));
  }

  async removeComment(comment: IssueComment): Promise<void> {
    await this.run((tx, found) => removeComment(tx, { ...found, role: 'admin' }, comment));
  }

  async label(name: string): Promise<Label> {
    const fields = { name, color: 'ff8800', description: null };
    return (await this.run(({ db }) => insertLabels(db, this.#number, [fields])))[0]!;
  }

  async milestone(title: string): Promise<Milestone> {
    return await this.run((tx, found) => insertTestMilestone(tx, found, this.#person.member.id, title));
  }
}
