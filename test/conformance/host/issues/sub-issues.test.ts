// Sub-issues and dependencies on a running server: changes, limits, circles, other repositories, and who sees what.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Issue } from '../../../../src/host/issues/issue.ts';
import { withChangeBeforeReply } from '../../../change-before-reply.ts';
import { onEachEngine } from '../../../engines.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import { giveToken } from '../../../people.ts';
import type { Answer, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { giveIssue } from '../../../host-issues.ts';
import { createTestOrganization, giveRepository, linkedPages } from '../organization-calls.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let ada: HostPerson;
  let bob: HostPerson;
  /** Of the organization, public and private. */
  let open: number;
  let closed: number;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    [ada, bob] = await Promise.all([joinHost(server, 'ada'), joinHost(server, 'bob')]);
    await createTestOrganization(server, 'acme', { admin: 'ada' });
    open = await giveRepository(server, 'acme', 'open', false);
    closed = await giveRepository(server, 'acme', 'closed', true);
  });
  after(() => server.stop());

  const at = ({ number, repositoryNumber }: Issue) => `/repositories/${repositoryNumber}/issues/${number}`;
  const give = (title: string, repository = open) => giveIssue(server, repository, { title });
  const several = async (count: number): Promise<Issue[]> => {
    const issues: Issue[] = [];
    for (let index = 0; index < count; index += 1) issues.push(await give(`Issue ${index}`));
    return issues;
  };
  const add = (parent: Issue, { id }: Issue, more: Json = {}, who = ada) =>
    who.post(`${at(parent)}/sub_issues`, { sub_issue_id: id, ...more });
  const block = (issue: Issue, { id }: Issue, who = ada) =>
    who.post(`${at(issue)}/dependencies/blocked_by`, { issue_id: id });
  const list = async (issue: Issue, path: string, who: HostPerson | null = ada): Promise<number[]> => {
    const { status, json, text } = await server.call(`${at(issue)}/${path}`, { token: who?.token ?? null });
    assert.equal(status, 200, text);
    return (json as unknown as Json[]).map(({ id }) => id as number);
  };
  const sorted = (numbers: readonly number[]) => numbers.toSorted((one, other) => one - other);
  const idsOf = (...issues: Issue[]) => issues.map(({ id }) => id);
  const eventsOf = async (issue: Issue, who = ada) => {
    const { json } = await who.get(`${at(issue)}/events`);
    return (json as unknown as Json[]).map(({ event }) => event as string);
  };
  function assertRefused({ status, json, text }: Answer, field: string): void {
    assert.equal(status, 422, text);
    assert.equal((json['errors'] as Json[])[0]!['field'] ?? '', field, text);
  }
  /** Webhooks get these, in this order. */
  const recorded = async (name: string) =>
    (
      await server.app.kernel.db
        .selectFrom('host_events')
        .select(['name', 'action'])
        .where('name', '=', name)
        .orderBy('number')
        .execute()
    ).map(({ action }) => action);

  test('a sub-issue is added, listed, moved and removed, and both timelines and webhooks have it', async () => {
    const [parent, one, two, three] = (await several(4)) as [Issue, Issue, Issue, Issue];
    const added = await add(parent, one);
    assert.equal(added.status, 201, added.text);
    assert.equal(added.json['id'], parent.id);
    assert.deepEqual(added.json['sub_issues_summary'], { total: 1, completed: 0, percent_completed: 0 });
    assert.match(added.headers.get('location')!, /\/sub_issues$/);
    for (const other of [two, three]) assert.equal((await add(parent, other)).status, 201);
    assert.deepEqual(await list(parent, 'sub_issues'), idsOf(one, two, three));
    const page = await bob.get(`${at(parent)}/sub_issues?per_page=2`);
    assert.deepEqual(linkedPages(page), { first: '1', next: '2', last: '2' });
    const { json: shown } = await bob.get(`${at(one)}/parent`);
    assert.equal(shown['id'], parent.id);
    assert.equal((await bob.get(`${at(parent)}/parent`)).status, 404);
    const move = (body: Json) => ada.patch(`${at(parent)}/sub_issues/priority`, body);
    assert.equal((await move({ sub_issue_id: three.id, before_id: one.id })).status, 200);
    assert.deepEqual(await list(parent, 'sub_issues'), idsOf(three, one, two));
    assert.equal((await move({ sub_issue_id: three.id, after_id: one.id })).json['id'], parent.id);
    assert.deepEqual(await list(parent, 'sub_issues'), idsOf(one, three, two));
    for (const wrong of [{}, { after_id: one.id, before_id: two.id }])
      assertRefused(await move({ sub_issue_id: three.id, ...wrong }), '');
    assertRefused(await move({ sub_issue_id: three.id, after_id: three.id }), 'after_id');
    assertRefused(await move({ sub_issue_id: three.id, before_id: parent.id }), 'before_id');
    assert.equal((await move({ sub_issue_id: parent.id, after_id: one.id })).status, 404);
    const removed = await ada.delete(`${at(parent)}/sub_issue`, { sub_issue_id: one.id });
    assert.deepEqual([removed.status, removed.json['sub_issues_summary'].total], [200, 2]);
    assert.equal((await ada.delete(`${at(parent)}/sub_issue`, { sub_issue_id: one.id })).status, 404);
    assert.deepEqual(await eventsOf(one), ['parent_issue_added', 'parent_issue_removed']);
    assert.deepEqual(await eventsOf(parent), [
      'sub_issue_added',
      'sub_issue_added',
      'sub_issue_added',
      'sub_issue_removed',
    ]);
    assert.deepEqual(await recorded('sub_issues'), [
      'sub_issue_added',
      'parent_issue_added',
      'sub_issue_added',
      'parent_issue_added',
      'sub_issue_added',
      'parent_issue_added',
      'sub_issue_removed',
      'parent_issue_removed',
    ]);
  });

  test('a change of links is answered as it was written, whatever is changed before the reply', async () => {
    const [issue, other] = (await several(2)) as [Issue, Issue];
    const added = await withChangeBeforeReply(
      server,
      () => ada.delete(`${at(issue)}/sub_issue`, { sub_issue_id: other.id }),
      () => add(issue, other),
    );
    assert.deepEqual([added.status, added.json['sub_issues_summary']?.total], [201, 1]);
    assert.deepEqual(await list(issue, 'sub_issues'), []);
    const blocked = await withChangeBeforeReply(
      server,
      () => ada.delete(`${at(issue)}/dependencies/blocked_by/${other.id}`),
      () => block(issue, other),
    );
    assert.deepEqual([blocked.status, blocked.json['issue_dependencies_summary']?.blocked_by], [201, 1]);
    assert.deepEqual(await list(issue, 'dependencies/blocked_by'), []);
  });

  test('an issue has one parent, which is replaced where the call says so', async () => {
    const [first, second, sub] = (await several(3)) as [Issue, Issue, Issue];
    await add(first, sub);
    assertRefused(await add(first, sub), 'sub_issue_id');
    assertRefused(await add(second, sub), 'sub_issue_id');
    assertRefused(await add(second, sub, { replace_parent: false }), 'sub_issue_id');
    assert.deepEqual(await list(second, 'sub_issues'), []);
    assert.equal((await add(second, sub, { replace_parent: true })).status, 201);
    assert.deepEqual(await list(first, 'sub_issues'), []);
    assert.deepEqual(await list(second, 'sub_issues'), idsOf(sub));
    assert.deepEqual(await eventsOf(sub), [
      'parent_issue_added',
      'parent_issue_removed',
      'parent_issue_added',
    ]);
    assert.deepEqual(await eventsOf(first), ['sub_issue_added', 'sub_issue_removed']);
  });

  test('circles, pull requests, a ninth level and a hundred and first sub-issue are refused', async () => {
    const line = await several(10);
    for (let level = 0; level < 8; level += 1)
      assert.equal((await add(line[level]!, line[level + 1]!)).status, 201, `level ${level}`);
    assertRefused(await add(line[8]!, line[9]!), 'sub_issue_id');
    assertRefused(await add(line[9]!, line[0]!), 'sub_issue_id');
    assertRefused(await add(line[8]!, line[0]!), 'sub_issue_id');
    assertRefused(await add(line[0]!, line[0]!), 'sub_issue_id');
    const pull = await giveIssue(server, open, { isPull: true });
    assertRefused(await add(line[9]!, pull), 'sub_issue_id');
    assertRefused(await add(pull, line[9]!), 'issue_number');
    assertRefused(await block(line[9]!, pull), 'issue_id');
    const parent = await give('Of many');
    const { db } = server.app.kernel;
    const { id: _id, ...row } = await db
      .selectFrom('issues')
      .selectAll()
      .where('id', '=', parent.id)
      .executeTakeFirstOrThrow();
    const many = Array.from({ length: 100 }, (_, index) => ({
      ...row,
      number: 10_000 + index,
      parent_id: parent.id,
      parent_position: index,
    }));
    await db.insertInto('issues').values(many).execute();
    assertRefused(await add(parent, line[9]!), 'sub_issue_id');
    assert.equal((await list(parent, 'sub_issues?per_page=100')).length, 100);
  });

  test('two who would make a circle together do not', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [a, b, c, d] = (await several(4)) as [Issue, Issue, Issue, Issue];
      await add(b, c);
      await add(d, a);
      const statuses = (await Promise.all([add(a, b), add(c, d)])).map(({ status }) => status);
      assert.deepEqual(sorted(statuses), [201, 422]);
      const [e, f] = (await several(2)) as [Issue, Issue];
      const blocked = (await Promise.all([block(e, f), block(f, e)])).map(({ status }) => status);
      assert.deepEqual(sorted(blocked), [201, 422]);
    }
  });

  test('eight who add sub-issues at once add them all, each at its own place', async () => {
    const [parent, ...subs] = await several(9);
    const answers = await Promise.all(subs.map((sub) => add(parent!, sub)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      subs.map(() => 201),
    );
    assert.deepEqual(sorted(await list(parent!, 'sub_issues')), sorted(idsOf(...subs)));
    const { json } = await ada.get(`${at(subs[0]!)}/parent`);
    assert.equal(json['sub_issues_summary'].total, 8);
  });

  test('dependencies are added, listed from both ends and removed', async () => {
    const [issue, blocker, other] = (await several(3)) as [Issue, Issue, Issue];
    const added = await block(issue, blocker);
    assert.equal(added.status, 201, added.text);
    assert.equal(added.json['id'], issue.id);
    assert.deepEqual(added.json['issue_dependencies_summary'], {
      blocked_by: 1,
      blocking: 0,
      total_blocked_by: 1,
      total_blocking: 0,
    });
    assertRefused(await block(issue, blocker), 'issue_id');
    assertRefused(await block(issue, issue), 'issue_id');
    assertRefused(await block(blocker, issue), 'issue_id');
    assert.equal((await block(blocker, other)).status, 201);
    assertRefused(await block(other, issue), 'issue_id');
    assert.deepEqual(await list(issue, 'dependencies/blocked_by', null), idsOf(blocker));
    assert.deepEqual(await list(blocker, 'dependencies/blocking', bob), idsOf(issue));
    const path = `${at(issue)}/dependencies/blocked_by/${blocker.id}`;
    assert.deepEqual((await ada.delete(path)).json['id'], issue.id);
    assert.equal((await ada.delete(path)).status, 404);
    assert.deepEqual(await list(issue, 'dependencies/blocked_by'), []);
    assert.deepEqual(await eventsOf(issue), ['blocked_by_added', 'blocked_by_removed']);
    assert.deepEqual(await eventsOf(blocker), ['blocking_added', 'blocked_by_added', 'blocking_removed']);
    const names = await recorded('issue_dependencies');
    assert.deepEqual(names.slice(-2), ['blocked_by_removed', 'blocking_removed']);
  });

  test('issues of a private repository are not there for those who do not see it', async () => {
    const parent = await give('Public');
    const hidden = await give('Hidden', closed);
    const known = (await recorded('sub_issues')).length;
    assert.equal((await add(parent, hidden)).status, 201);
    assert.equal((await block(parent, hidden)).status, 201);
    const told = await recorded('sub_issues');
    assert.deepEqual(told.slice(known), ['parent_issue_added'], 'the public repository is not told');
    for (const path of ['sub_issues', 'dependencies/blocked_by']) {
      assert.deepEqual(await list(parent, path), idsOf(hidden));
      for (const who of [bob, null]) assert.deepEqual(await list(parent, path, who), []);
    }
    assert.deepEqual(await eventsOf(parent, bob), []);
    assert.equal((await bob.get(`${at(hidden)}/parent`)).status, 404);
    const sub = await give('Sub');
    assert.equal((await add(hidden, sub)).status, 201);
    assert.equal((await ada.get(`${at(sub)}/parent`)).json['id'], hidden.id);
    assert.equal((await bob.get(`${at(sub)}/parent`)).status, 404);
    const child = await give('Child of public');
    await add(parent, child);
    const summary = (await bob.get(`${at(child)}/parent`)).json;
    assert.equal(summary['sub_issues_summary'].total, 1);
    assert.equal(summary['issue_dependencies_summary'].total_blocked_by, 0);
    assert.equal((await ada.get(`${at(child)}/parent`)).json['sub_issues_summary'].total, 2);
  });

  test('changes need the role triage in both repositories, and ids that exist', async () => {
    const parent = await give('Guarded');
    const sub = await give('Sub');
    const hidden = await give('Hidden', closed);
    const { id: ownRepository } = await bob.repository('own');
    const own = await give('Own', ownRepository as number);
    const mine = await give('Mine', ownRepository as number);
    const reader = await giveToken(server, ada.member, { role: 'reader' });
    const calls = [
      ['POST', `${at(parent)}/sub_issues`, { sub_issue_id: sub.id }],
      ['DELETE', `${at(parent)}/sub_issue`, { sub_issue_id: sub.id }],
      ['PATCH', `${at(parent)}/sub_issues/priority`, { sub_issue_id: sub.id, after_id: own.id }],
      ['POST', `${at(parent)}/dependencies/blocked_by`, { issue_id: sub.id }],
      ['DELETE', `${at(parent)}/dependencies/blocked_by/${sub.id}`, undefined],
    ] as const;
    for (const [method, path, body] of calls)
      for (const [token, status] of [
        [null, 401],
        [bob.token, 403],
        [reader.value, 403],
      ] as const) {
        const answer = await server.call(path, { method, token, ...(body && { body }) });
        assert.equal(answer.status, status, `${method} ${path} ${answer.text}`);
      }
    const unknown = { ...sub, id: 999_999_999 };
    const answers = [await add(own, unknown, {}, bob), await add(own, hidden, {}, bob)];
    for (const { status, json } of answers) {
      assert.equal(status, 404);
      assert.deepEqual(
        json['message'],
        answers[0]!.json['message'],
        'a private issue is as if there were none',
      );
    }
    for (const other of [unknown, hidden]) assert.equal((await block(own, other, bob)).status, 404);
    assert.equal((await add(own, sub, {}, bob)).status, 403);
    assert.equal((await block(own, sub, bob)).status, 403);
    assert.equal((await add(own, mine, {}, bob)).status, 201);
    const admin = await server.call(`${at(parent)}/sub_issues`, {
      method: 'POST',
      body: { sub_issue_id: own.id },
    });
    assertRefused(admin, 'sub_issue_id');
    for (const body of [{}, { sub_issue_id: 'x' }, { sub_issue_id: 0 }, { sub_issue_id: 1.5 }, []])
      assert.ok([400, 422].includes((await ada.post(`${at(parent)}/sub_issues`, body)).status));
    assert.equal(
      (await ada.post('/repos/acme/open/issues/999999/sub_issues', { sub_issue_id: 1 })).status,
      404,
    );
    assert.deepEqual(await eventsOf(parent), []);
  });
});
