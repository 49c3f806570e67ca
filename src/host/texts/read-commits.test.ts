// Commits that reach the default branch name and close issues, once, as far as the pusher may; on each engine.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import { eventually } from '../../../test/eventually.ts';
import { joinHost, type HostPerson } from '../../../test/host-people.ts';
import { startServerOn } from '../../../test/suites.ts';
import type { Json, TestServer } from '../../../test/server.ts';
import { systemActor } from '../../kernel/identity/actor.ts';
import { needsGit } from '../git/fixture-repository.ts';
import { createIssue, editIssue } from '../issues/change-issue.ts';
import type { Issue } from '../issues/issue.ts';
import { findOwner } from '../owners/store.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { findRepositoryByName } from '../repositories/store.ts';
import { READ_COMMITS } from './read-commits.ts';

onEachEngine((engine) => {
  describe('commits', needsGit, () => {
    let server: TestServer;
    let ada: HostPerson;
    let ben: HostPerson;
    before(async () => {
      server = await startServerOn(engine, { limits: 'off' });
      ada = await joinHost(server, 'ada');
      ben = await joinHost(server, 'ben');
    });
    after(() => server?.stop());

    const kernel = () => server.app.kernel;

    async function newRepository(owner: HostPerson, name: string, fields = {}): Promise<FoundRepository> {
      await owner.repository(name, { auto_init: true, ...fields });
      const found = (await findOwner(kernel().db, owner.login))!;
      return { owner: found, repository: (await findRepositoryByName(kernel().db, found, name))! };
    }

    async function newIssue(found: FoundRepository, author: HostPerson): Promise<Issue> {
      const parts = { labels: [], assigneeIds: [], milestoneId: null };
      const draft = { title: 'x', body: null, author: { id: author.member.id, name: null }, ...parts };
      return await kernel().changes.run(systemActor({ now: kernel().clock.now() }), (tx) =>
        createIssue(tx, found, draft),
      );
    }

    let files = 0;
    async function commit(by: HostPerson, path: string, message: string, more: Json = {}): Promise<string> {
      const body = { message, content: 'YQ==', ...more };
      const { status, text, json } = await by.put(`/repos/${path}/contents/f${(files += 1)}`, body);
      assert.equal(status, 201, text);
      await settled();
      return json['commit'].sha as string;
    }

    const settled = () =>
      eventually(async () => {
        const due = kernel().db.selectFrom('due').select('id').where('kind', '=', READ_COMMITS);
        return (await due.execute()).length === 0;
      }, 'the reading of commits');

    /** Such as `closed ada`, with `!` where it names the commit. */
    async function eventsOf({ id }: Issue, sha?: string): Promise<string[]> {
      const rows = await kernel()
        .db.selectFrom('issue_events')
        .select(['event', 'actor_id', 'commit_id'])
        .where('issue_id', '=', id)
        .orderBy('id')
        .execute();
      return rows.map(({ event, actor_id: by, commit_id: oid }) => {
        const login = [ada, ben].find(({ member }) => member.id === by)?.login;
        return `${event} ${login}${oid === null ? '' : oid === sha ? '!' : '?'}`;
      });
    }

    const stateOf = async ({ id }: Issue) =>
      (await kernel().db.selectFrom('issues').select('state').where('id', '=', id).executeTakeFirstOrThrow())
        .state;

    test('a commit closes the issues that it fixes, and is shown by those that it names', async () => {
      const found = await newRepository(ada, 'fixes');
      const [fixed, named, untouched] = [
        await newIssue(found, ben),
        await newIssue(found, ben),
        await newIssue(found, ben),
      ];
      const sha = await commit(ada, 'ada/fixes', 'Fixes #1, see #2\n\nand `#3`, fixes #77');
      assert.deepEqual(await eventsOf(fixed, sha), ['referenced ada!', 'closed ada!']);
      assert.deepEqual(await eventsOf(named, sha), ['referenced ada!']);
      assert.deepEqual(await eventsOf(untouched), []);
      assert.deepEqual(
        [
          await stateOf(fixed),
          await stateOf(named),
          (await ada.get('/repos/ada/fixes')).json.open_issues_count,
        ],
        ['closed', 'open', 2],
      );
    });

    test('a commit on another branch closes nothing until it reaches the default branch', async () => {
      const found = await newRepository(ada, 'side');
      const issue = await newIssue(found, ben);
      const { json } = await ada.get('/repos/ada/side/git/ref/heads/main');
      await ada.post('/repos/ada/side/git/refs', { ref: 'refs/heads/side', sha: json.object.sha });
      const sha = await commit(ada, 'ada/side', 'Fixes #1', { branch: 'side' });
      assert.deepEqual(await eventsOf(issue), []);
      await ada.patch('/repos/ada/side/git/refs/heads/main', { sha });
      await settled();
      assert.deepEqual(await eventsOf(issue, sha), ['referenced ada!', 'closed ada!']);
    });

    test('a commit that comes to the branch again does nothing again', async () => {
      const found = await newRepository(ada, 'again');
      const issue = await newIssue(found, ben);
      const { json } = await ada.get('/repos/ada/again/git/ref/heads/main');
      const sha = await commit(ada, 'ada/again', 'Fixes #1');
      await kernel().changes.run(systemActor({ now: kernel().clock.now() }), (tx) =>
        editIssue(tx, found, issue.id, { state: 'open' }),
      );
      for (const to of [json.object.sha, sha]) {
        await ada.patch('/repos/ada/again/git/refs/heads/main', { sha: to, force: true });
        await settled();
      }
      assert.deepEqual(await eventsOf(issue, sha), ['referenced ada!', 'closed ada!', 'reopened undefined']);
      assert.equal(await stateOf(issue), 'open');
    });

    test('issues of other repositories are closed by those who may, and named without the commit', async () => {
      await newRepository(ada, 'source');
      const other = await newRepository(ben, 'target');
      const own = await newIssue(other, ada);
      const another = await newIssue(other, ben);
      await commit(ada, 'ada/source', 'Fixes ben/target#1, fixes ben/target#2');
      assert.deepEqual(await eventsOf(own), ['referenced ada', 'closed ada']);
      assert.deepEqual(await eventsOf(another), ['referenced ada']);
    });

    test('a private repository is not disclosed, and what is private is not found', async () => {
      await newRepository(ada, 'private', { private: true });
      const open = await newRepository(ben, 'open');
      const secret = await newRepository(ben, 'secret', { private: true });
      const own = await newIssue(open, ada);
      const another = await newIssue(open, ben);
      const hidden = await newIssue(secret, ada);
      await commit(ada, 'ada/private', 'Fixes ben/open#1 fixes ben/open#2 fixes ben/secret#1');
      assert.deepEqual(await eventsOf(own), ['closed ada']);
      assert.deepEqual(await eventsOf(another), []);
      assert.deepEqual(await eventsOf(hidden), []);
    });

    test('pull requests are named, not closed, and archived repositories stay as they are', async () => {
      const found = await newRepository(ada, 'pulls');
      const archive = await newRepository(ada, 'archive');
      const issue = await newIssue(found, ada);
      const kept = await newIssue(archive, ada);
      await kernel().db.updateTable('issues').set({ is_pull: 1 }).where('id', '=', issue.id).execute();
      await ada.patch('/repos/ada/archive', { archived: true });
      const sha = await commit(ada, 'ada/pulls', 'Fixes #1, fixes ada/archive#1');
      assert.deepEqual(await eventsOf(issue, sha), ['referenced ada!']);
      assert.equal(await stateOf(kept), 'open');
    });
  });
});
