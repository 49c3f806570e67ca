// Pull requests against what happens beside them: crashes between rows and references, pushes while they are opened, and drafts.
import assert from 'node:assert/strict';
import { onEachEngine } from '../../../test/engines.ts';
import { eventually } from '../../../test/eventually.ts';
import {
  afterGitTests as after,
  beforeGitTests as before,
  gitTest as test,
} from '../../../test/git-tests.ts';
import { joinHost, type HostPerson } from '../../../test/host-people.ts';
import type { Answer, Json, TestServer } from '../../../test/server.ts';
import { startServerOn } from '../../../test/suites.ts';
import { systemActor } from '../../kernel/identity/actor.ts';
import { cancel, schedule, type Due } from '../../kernel/jobs/due-store.ts';
import { addCommit } from '../git/fixture-repository.ts';
import type { GitRepository } from '../git/repository.ts';
import { updateRefs } from '../git/refs/update-refs.ts';
import { createIssue } from '../issues/change-issue.ts';
import { recordPushes } from '../pushes/record-pushes.ts';
import { findRepositoryNamed, type FoundRepository } from '../repositories/access.ts';
import { changeDraft, editPull, type PullEdit } from './change-pull.ts';
import { findHead } from './find-head.ts';
import { pullHandlers } from './follow-pushes.ts';
import { openPull, preparePull, type PullDraft } from './open-pull.ts';
import { pullHeadRef } from './pull.ts';
import { FOLLOW_PUSH, followPushId, SYNC_PULL } from './schedule-work.ts';
import { findHeadPusher, findPull } from './store.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let ada: HostPerson;
  let place = 0;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    ada = await joinHost(server, 'ada');
  });
  after(() => server.stop());

  const kernel = () => server.app.kernel;

  interface Place {
    at: string;
    found: FoundRepository;
    git: GitRepository;
    /** The first commit. */
    root: string;
  }

  /** With `main` and a branch `feature` of one commit more. */
  async function newPlace(): Promise<Place> {
    place += 1;
    const name = `followed-${place}`;
    const { id } = await ada.repository(name);
    const git = kernel().services.git.repository(id as number);
    const root = await addCommit(git, { a: 'a' });
    await updateRefs(git, [{ name: 'refs/heads/feature', from: undefined, to: root }]);
    await addCommit(git, { a: 'a', b: 'b' }, { branch: 'feature', parents: [root] });
    await recordPushes(kernel(), id as number);
    const found = await findRepositoryNamed(kernel(), { params: { repository_id: id }, now: Date.now() });
    return { at: `/repos/ada/${name}`, found: found!, git, root };
  }

  const ok = async (answer: Promise<Answer>): Promise<Json> => {
    const got = await answer;
    assert.ok(got.status < 300, `${got.status} ${got.text}`);
    return got.json;
  };

  async function draftOf({ found }: Place): Promise<PullDraft> {
    const caller = (await kernel().identity.callerOfAccount(kernel().db, ada.member.id, Date.now()))!;
    const head = await findHead(kernel(), caller, { ...found, role: 'admin' }, { head: 'feature' });
    const issue = { title: 'A', body: null, author: { id: ada.member.id, name: null } };
    return { base: 'main', head, isDraft: true, mayMaintainerModify: false, issue };
  }

  const actor = () => systemActor({ now: kernel().clock.now() });

  test('the reference of a pull request whose server died after its rows is written by due work', async () => {
    const there = await newPlace();
    const draft = await draftOf(there);
    const prepared = await preparePull(kernel(), there.found, draft);
    const { number } = await kernel().changes.run(actor(), (tx) =>
      openPull(tx, there.found, draft, prepared),
    );
    await eventually(async () => (await there.git.readRef(pullHeadRef(number))) === draft.head.sha, 'it');
  });

  test('a push while a pull request is being opened is not missed', async () => {
    const there = await newPlace();
    const draft = await draftOf(there);
    const prepared = await preparePull(kernel(), there.found, draft);
    const files = { a: 'a', b: 'b', c: 'c' };
    const next = await addCommit(there.git, files, { branch: 'feature', parents: [draft.head.sha] });
    await recordPushes(kernel(), there.found.repository.number);
    const { id, number } = await kernel().changes.run(actor(), (tx) =>
      openPull(tx, there.found, draft, prepared),
    );
    await eventually(async () => (await findPull(kernel().db, id))?.headSha === next, 'the push');
    await eventually(async () => (await there.git.readRef(pullHeadRef(number))) === next, 'the reference');
  });

  test('one that was closed while another base was measured keeps its base', async () => {
    const there = await newPlace();
    const draft = await draftOf(there);
    const prepared = await preparePull(kernel(), there.found, draft);
    const { id } = await kernel().changes.run(actor(), (tx) => openPull(tx, there.found, draft, prepared));
    const edit = (change: PullEdit) =>
      kernel().changes.run(actor(), (tx) => editPull(tx, there.found, id, change));
    await edit({ state: 'closed' });
    await assert.rejects(edit({ base: { ref: 'other', update: {}, headLabel: 'feature' } }), /closed/);
    assert.equal((await findPull(kernel().db, id))?.baseRef, 'main');
  });

  test('a rollback leaves neither a number nor a reference', async () => {
    const there = await newPlace();
    const draft = await draftOf(there);
    const prepared = await preparePull(kernel(), there.found, draft);
    await assert.rejects(
      kernel().changes.run(actor(), async (tx) => {
        await openPull(tx, there.found, draft, prepared);
        throw new Error('Not this one');
      }),
    );
    assert.equal(await there.git.readRef(pullHeadRef(1)), undefined);
    const sent = { title: 'A', head: 'feature', base: 'main' };
    assert.equal((await ok(ada.post(`${there.at}/pulls`, sent)))['number'], 1);
  });

  test('an issue becomes a pull request with its number, assignees and author', async () => {
    const { at, found } = await newPlace();
    const draft = { title: 'A fault', body: 'x', author: { id: ada.member.id, name: null } };
    const parts = { labels: [], assigneeIds: [ada.member.id], milestoneId: null };
    await kernel().changes.run(actor(), (tx) => createIssue(tx, found, { ...draft, ...parts }));
    const pull = await ok(ada.post(`${at}/pulls`, { issue: 1, head: 'feature', base: 'main' }));
    assert.deepEqual(
      [pull['number'], pull['title'], pull['assignee'].login, pull['user'].login],
      [1, 'A fault', 'ada', 'ada'],
    );
    assert.equal((await ada.get(`${at}/pulls`)).json.length, 1);
    const again = await ada.post(`${at}/pulls`, { issue: 1, head: 'feature', base: 'main' });
    assert.deepEqual([again.status, again.json['errors'][0].field], [422, 'issue']);
    const missing = await ada.post(`${at}/pulls`, { issue: 9, head: 'feature', base: 'main' });
    assert.deepEqual([missing.status, missing.json['errors'][0].field], [422, 'issue']);
  });

  test('branches without a common history are refused', async () => {
    const { at, git } = await newPlace();
    await addCommit(git, { z: 'z' }, { branch: 'orphan' });
    const { status, json } = await ada.post(`${at}/pulls`, { title: 'A', head: 'orphan', base: 'main' });
    assert.deepEqual(
      [status, json['errors'][0].message],
      [422, 'The main branch has no history in common with ada:orphan'],
    );
  });

  test('a draft becomes ready for reviews and a draft again, each recorded once', async () => {
    const { at, found } = await newPlace();
    const { id } = await ok(
      ada.post(`${at}/pulls`, { title: 'A', head: 'feature', base: 'main', draft: true }),
    );
    for (const isDraft of [false, false, true])
      await kernel().changes.run(actor(), (tx) => changeDraft(tx, found, id as number, isDraft));
    assert.equal((await ok(ada.get(`${at}/pulls/1`)))['draft'], true);
    const rows = await kernel()
      .db.selectFrom('host_events')
      .select('action')
      .where('repository_number', '=', found.repository.number)
      .where('name', '=', 'pull_request')
      .orderBy('number')
      .execute();
    assert.deepEqual(
      rows.map(({ action }) => action),
      ['opened', 'ready_for_review', 'converted_to_draft'],
    );
  });

  test('a branch that is gone closes its pull request only where it was deleted, not where an older push finds it gone', async () => {
    const { at, git, found, root } = await newPlace();
    const { id } = await ok(ada.post(`${at}/pulls`, { title: 'A', head: 'feature', base: 'main' }));
    const { number } = found.repository;
    const head = (await git.readRef('refs/heads/feature'))!;
    await eventually(async () => (await git.readRef(pullHeadRef(1))) === head, 'the reference');
    // As while a branch is being renamed: nothing of it is recorded yet.
    await updateRefs(git, [
      { name: 'refs/heads/feature', from: head, to: undefined },
      { name: 'refs/heads/topic', from: undefined, to: head },
    ]);
    const handle = async (kind: string, payload: Json) => {
      const due = { id: 'x', kind, payload: JSON.stringify(payload), due_at: 0, owner: null, attempts: 1 };
      const row = { ...due, last_error: null, created_at: 0 };
      await pullHandlers(kernel())[kind]!(row, new AbortController().signal);
    };
    await handle(FOLLOW_PUSH, { number, branch: 'feature', from: root, to: root });
    await handle(SYNC_PULL, { issueId: id });
    assert.equal((await ok(ada.get(`${at}/pulls/1`)))['state'], 'open');
    await recordPushes(kernel(), number);
    await eventually(async () => (await ok(ada.get(`${at}/pulls/1`)))['state'] === 'closed', 'the deletion');
  });

  test('pushes that are followed out of their order end with what the branch has', async () => {
    const { at, git, found, root } = await newPlace();
    await ok(ada.post(`${at}/pulls`, { title: 'A', head: 'feature', base: 'main' }));
    const { number } = found.repository;
    let parent = (await git.readRef('refs/heads/feature'))!;
    for (const name of ['c', 'd', 'e']) {
      parent = await addCommit(
        git,
        { a: 'a', b: 'b', [name]: name },
        { branch: 'feature', parents: [parent] },
      );
      await recordPushes(kernel(), number);
    }
    await eventually(async () => (await ok(ada.get(`${at}/pulls/1`)))['head'].sha === parent, 'the last');
    assert.equal((await ok(ada.get(`${at}/pulls/1`)))['commits'], 4);
    // The base is moved to the head: nothing else is said about how it was merged.
    await updateRefs(git, [{ name: 'refs/heads/main', from: root, to: parent }]);
    await recordPushes(kernel(), number);
    await eventually(async () => (await ok(ada.get(`${at}/pulls/1`)))['merged'] === true, 'the merge');
    assert.equal((await ok(ada.get(`${at}/pulls/1`)))['merge_commit_sha'], parent);
  });

  test('the pusher of a head is recorded, also where other work took the head over first', async () => {
    const { at, git, found } = await newPlace();
    const { id } = await ok(ada.post(`${at}/pulls`, { title: 'A', head: 'feature', base: 'main' }));
    const issueId = id as number;
    const { db } = kernel();
    assert.equal(await findHeadPusher(db, issueId), ada.member.id);
    const from = (await git.readRef('refs/heads/feature'))!;
    const to = await addCommit(git, { a: 'a', b: 'c' }, { branch: 'feature', parents: [from] });
    const handlers = pullHandlers(kernel());
    const run = (kind: string, payload: object) =>
      handlers[kind]!({ payload: JSON.stringify(payload) } as Due, new AbortController().signal);
    await run(SYNC_PULL, { issueId });
    assert.equal((await findPull(db, issueId))?.headSha, to);
    assert.equal(await findHeadPusher(db, issueId), null);
    const move = { number: found.repository.number, branch: 'feature', from, to };
    await run(FOLLOW_PUSH, { ...move, pusherId: ada.member.id });
    assert.equal(await findHeadPusher(db, issueId), ada.member.id);
  });

  test('a head is never taken over as that of somebody else than who has pushed it', async () => {
    const { at, git, found } = await newPlace();
    const { id } = await ok(ada.post(`${at}/pulls`, { title: 'A', head: 'feature', base: 'main' }));
    const issueId = id as number;
    const { db, clock } = kernel();
    const { number } = found.repository;
    const eve = await joinHost(server, `eve-${number}`);
    const branch = 'feature';
    const handlers = pullHandlers(kernel());
    const run = (kind: string, payload: object) =>
      handlers[kind]!({ payload: JSON.stringify(payload) } as Due, new AbortController().signal);
    /** The work of a push that nobody has begun. */
    const plan = (move: object, pusherId: string) => {
      const work = {
        id: `${followPushId(number)}${pusherId}`,
        kind: FOLLOW_PUSH,
        dueAt: clock.now() + 3_600_000,
      };
      return schedule(
        db,
        { ...work, payload: JSON.stringify({ number, branch, ...move, pusherId }) },
        clock.now(),
      );
    };
    const push = async (text: string) => {
      const from = (await git.readRef(`refs/heads/${branch}`))!;
      return { from, to: await addCommit(git, { a: 'a', b: text }, { branch, parents: [from] }) };
    };

    const first = await push('1');
    await plan(first, ada.member.id);
    await run(SYNC_PULL, { issueId });
    assert.equal((await findPull(db, issueId))?.headSha, first.to);
    assert.equal(await findHeadPusher(db, issueId), ada.member.id);

    const second = await push('2');
    await cancel(db, `${followPushId(number)}${ada.member.id}`);
    await plan(second, ada.member.id);
    // An older push of somebody else, whose commit the pull request has passed.
    await run(FOLLOW_PUSH, { number, branch, from: second.to, to: first.from, pusherId: eve.member.id });
    assert.equal((await findPull(db, issueId))?.headSha, second.to);
    assert.equal(await findHeadPusher(db, issueId), ada.member.id);

    const third = await push('3');
    await cancel(db, `${followPushId(number)}${ada.member.id}`);
    for (const { member } of [ada, eve]) await plan(third, member.id);
    await run(SYNC_PULL, { issueId });
    assert.equal((await findPull(db, issueId))?.headSha, third.to);
    assert.equal(await findHeadPusher(db, issueId), null, 'one of two');
  });
});
