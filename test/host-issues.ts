// Issues, comments, labels and milestones for tests that are not about their routes: created and changed by the same functions.
import { systemActor } from '../src/kernel/identity/actor.ts';
import type { ChangeTransaction } from '../src/kernel/change/changes.ts';
import type { IssueComment } from '../src/host/issue-comments/model.ts';
import { createComment, editComment, removeComment } from '../src/host/issue-comments/change-comment.ts';
import { createIssue, editIssue, type IssueDraft, type IssueEdit } from '../src/host/issues/change-issue.ts';
import type { Issue } from '../src/host/issues/issue.ts';
import type { Label } from '../src/host/labels/model.ts';
import { labelFrom } from '../src/host/labels/store.ts';
import type { Milestone } from '../src/host/milestones/model.ts';
import { milestoneFrom } from '../src/host/milestones/store.ts';
import { listOwners } from '../src/host/owners/store.ts';
import type { FoundRepository } from '../src/host/repositories/access.ts';
import { findRepositoryByNumber } from '../src/host/repositories/store.ts';
import type { HostPerson } from './host-people.ts';
import type { TestServer } from './server.ts';

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
    return await changes.run(systemActor({ now: clock.now(), caller }), async (tx) => {
      const repository = (await findRepositoryByNumber(tx.db, this.#number))!;
      const owner = (await listOwners(tx.db, [repository.ownerId])).get(repository.ownerId)!;
      return await work(tx, { repository, owner });
    });
  }

  async open(draft: Partial<IssueDraft> = {}): Promise<Issue> {
    return await this.run((tx, found) =>
      createIssue(tx, found, {
        title: 'A fault',
        body: null,
        author: { id: this.#person.member.id, name: null },
        labels: [],
        assigneeIds: [],
        milestoneId: null,
        ...draft,
      }),
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
    const row = {
      repository_number: this.#number,
      name,
      folded_name: name,
      color: 'ff8800',
      description: null,
      is_default: 0,
    };
    return await this.run(async ({ db }) =>
      labelFrom(await db.insertInto('labels').values(row).returningAll().executeTakeFirstOrThrow()),
    );
  }

  async milestone(number: number): Promise<Milestone> {
    const row = {
      repository_number: this.#number,
      number,
      title: `Milestone ${number}`,
      description: null,
      state: 'open',
      creator_id: this.#person.member.id,
      creator_name: null,
      due_on: null,
      open_issue_count: 0,
      closed_issue_count: 0,
      completeness: 0,
      created_at: 0,
      updated_at: 0,
      closed_at: null,
    };
    return await this.run(async ({ db }) =>
      milestoneFrom(await db.insertInto('milestones').values(row).returningAll().executeTakeFirstOrThrow()),
    );
  }
}
