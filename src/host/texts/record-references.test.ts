// What texts refer to is recorded with them, once, and only what their author may see; on each engine.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import { joinHost, type HostPerson } from '../../../test/host-people.ts';
import { startServerOn } from '../../../test/suites.ts';
import type { TestServer } from '../../../test/server.ts';
import { actorOf } from '../../kernel/identity/actor.ts';
import { createIssue, editIssue } from '../issues/change-issue.ts';
import { mentioning, mentioningIn, subscribedBy } from '../issues/lists/facets.ts';
import type { Issue } from '../issues/issue.ts';
import { lockIssue } from '../issues/store.ts';
import { listIssueIds } from '../issues/lists/store-facets.ts';
import { findOwner } from '../owners/store.ts';
import type { FoundRepository } from '../repositories/access.ts';
import { findRepositoryByName } from '../repositories/store.ts';
import { needsGit } from '../git/fixture-repository.ts';
import { recordReferences } from './record-references.ts';
import { listIssuesToClose } from './referenced-issues.ts';

onEachEngine((engine) => {
  describe('references', needsGit, () => {
    let server: TestServer;
    let ada: HostPerson;
    let ben: HostPerson;
    let cy: HostPerson;
    before(async () => {
      server = await startServerOn(engine, { limits: 'off' });
      ada = await joinHost(server, 'ada');
      ben = await joinHost(server, 'ben');
      cy = await joinHost(server, 'Cy');
    });
    after(() => server?.stop());

    const kernel = () => server.app.kernel;
    const callerOf = async ({ token }: HostPerson) =>
      await kernel().identity.identify({ kind: 'token', secret: token }, kernel().clock.now());
    const actor = async (person: HostPerson) => actorOf(await callerOf(person), kernel().clock.now());

    async function newRepository(owner: HostPerson, name: string, fields = {}): Promise<FoundRepository> {
      await owner.repository(name, fields);
      const found = (await findOwner(kernel().db, owner.login))!;
      return { owner: found, repository: (await findRepositoryByName(kernel().db, found, name))! };
    }

    async function write(person: HostPerson, found: FoundRepository, body: string | null): Promise<Issue> {
      const { id } = person.member;
      const parts = { labels: [], assigneeIds: [], milestoneId: null };
      const draft = { title: 'x', body, author: { id, name: null }, ...parts };
      return await kernel().changes.run(await actor(person), (tx) => createIssue(tx, found, draft));
    }

    /** Such as `mentioned ada`, or `cross-referenced ada 7` with the id of the source. */
    async function eventsOf({ id }: Issue): Promise<string[]> {
      const rows = await kernel()
        .db.selectFrom('issue_events')
        .selectAll()
        .where('issue_id', '=', id)
        .orderBy('id')
        .execute();
      const logins = new Map([ada, ben, cy].map(({ member, login }) => [member.id, login]));
      return rows.map(({ event, actor_id: by, subject_id: subject }) =>
        [event, logins.get(by!), subject].filter((part) => part !== null).join(' '),
      );
    }

    async function listed(facet: string): Promise<number[]> {
      const order = { sort: 'created', desc: false } as const;
      const filter = { facets: [facet], states: ['open'] as const };
      return (await listIssueIds(kernel().db, filter, order, { offset: 0, limit: 100 })).ids;
    }

    test('those who are mentioned are in the lists and the timeline of the issue, once', async () => {
      const found = await newRepository(ada, 'public');
      const issue = await write(ada, found, 'Hello @BEN, @ada and @nobody. `@Cy`');
      assert.deepEqual(await eventsOf(issue), ['mentioned ada', 'mentioned ben', 'subscribed ben']);
      const { id } = ben.member;
      for (const facet of [mentioning(id), mentioningIn(found.repository.number, id), subscribedBy(id)])
        assert.deepEqual(await listed(facet), [issue.id], facet);
      await kernel().changes.run(await actor(ada), (tx) =>
        editIssue(tx, found, issue.id, { body: '@ben @cy' }),
      );
      assert.deepEqual((await eventsOf(issue)).slice(3), ['mentioned Cy', 'subscribed Cy']);
      // A comment of the same issue.
      await kernel().changes.run(await actor(ben), async (tx) => {
        const locked = (await lockIssue(tx.db, issue.id))!;
        await recordReferences(tx, found, locked, '@ben @cy');
      });
      assert.equal((await eventsOf(issue)).length, 5);
    });

    test('nobody is mentioned in a private repository that they may not read', async () => {
      const found = await newRepository(ada, 'hidden', { private: true });
      await ada.put('/repos/ada/hidden/collaborators/Cy', { permission: 'pull' });
      const issue = await write(ada, found, '@ben @cy');
      assert.deepEqual(await eventsOf(issue), ['mentioned Cy', 'subscribed Cy']);
    });

    test('a reference to another issue stands in its timeline, once for each pair', async () => {
      const found = await newRepository(ada, 'pairs');
      const other = await newRepository(ben, 'pairs');
      const target = await write(ada, found, null);
      const elsewhere = await write(ben, other, null);
      const source = await write(ada, found, '#1 #1 ada/pairs#1 Ben/Pairs#1 #2 #77 ada/none#1 nobody/none#1');
      const expected = [`cross-referenced ada ${source.id}`];
      assert.deepEqual(await eventsOf(target), expected);
      assert.deepEqual(await eventsOf(elsewhere), expected);
      assert.deepEqual(await eventsOf(source), []);
      await kernel().changes.run(await actor(ada), (tx) =>
        editIssue(tx, found, source.id, { body: 'Changed: #1' }),
      );
      assert.deepEqual(await eventsOf(target), expected);
      const listedRows = await kernel()
        .db.selectFrom('issue_events')
        .select('id')
        .where('issue_id', '=', target.id)
        .where('is_listed', '=', 1)
        .execute();
      assert.deepEqual(listedRows, []);
    });

    test('a reference to an issue that the author may not see is nothing', async () => {
      const secret = await newRepository(ben, 'secret', { private: true });
      const off = await newRepository(ben, 'off', { has_issues: false });
      const targets = [await write(ben, secret, null), await write(ben, off, null)];
      const found = await newRepository(ada, 'stranger');
      await write(ada, found, 'fixes ben/secret#1 ben/off#1');
      for (const target of targets) assert.deepEqual(await eventsOf(target), []);
    });

    test('texts written at once by eight people mention an account once', async () => {
      const found = await newRepository(ada, 'crowd');
      const issue = await write(ada, found, null);
      const by = await actor(ada);
      await Promise.all(
        Array.from({ length: 8 }, () =>
          kernel().changes.run(by, async (tx) => {
            const locked = (await lockIssue(tx.db, issue.id))!;
            await recordReferences(tx, found, locked, '@ben');
          }),
        ),
      );
      assert.deepEqual(await eventsOf(issue), ['mentioned ben', 'subscribed ben']);
    });

    test('what texts close are open issues that the caller may close', async () => {
      const found = await newRepository(ada, 'closing');
      const other = await newRepository(ben, 'closing');
      await write(ben, found, null);
      const byBen = await write(ben, other, null);
      const byAda = await write(ada, other, null);
      const closed = await write(ada, found, null);
      await kernel().changes.run(await actor(ada), (tx) =>
        editIssue(tx, found, closed.id, { state: 'closed' }),
      );
      const texts = ['Fixes #1, closes #2', 'resolves ben/closing#1\nresolves ben/closing#2'];
      const toClose = async (person: HostPerson) =>
        (await listIssuesToClose(kernel().db, await callerOf(person), found, texts)).map(
          ({ found: { owner }, issue }) => `${owner.login}#${issue.number}`,
        );
      assert.equal(byBen.number + byAda.number, 3);
      assert.deepEqual(await toClose(ada), ['ada#1', 'ben#2']);
      assert.deepEqual(await toClose(ben), ['ada#1', 'ben#1', 'ben#2']);
      assert.deepEqual(await toClose(cy), []);
    });
  });
});
