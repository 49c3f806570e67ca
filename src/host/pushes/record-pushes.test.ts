// What follows pushes, on both engines: each is recorded once, whoever dies in between.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import { eventually } from '../../../test/eventually.ts';
import { joinHost, type HostPerson } from '../../../test/host-people.ts';
import type { Json, TestServer } from '../../../test/server.ts';
import { startServerOn } from '../../../test/suites.ts';
import { DUE } from '../../kernel/jobs/due-store.ts';
import type { KnownCaller } from '../../kernel/identity/caller.ts';
import { addCommit, git, needsGit } from '../git/fixture-repository.ts';
import { updateRefs } from '../git/refs/update-refs.ts';
import { movesBetween, type Push } from './model.ts';
import { beginPush, endPush } from './push.ts';
import { recordPushes } from './record-pushes.ts';

const ZERO = '0'.repeat(40);
const FILE = { message: 'A file', content: Buffer.from('text').toString('base64') };

onEachEngine((engine) => {
  describe('pushes', needsGit, () => {
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
    const repositoryOf = (number: number) => kernel().services.git.repository(number);
    const callerOf = async ({ token }: HostPerson): Promise<KnownCaller> =>
      await kernel().identity.identify({ kind: 'token', secret: token }, kernel().clock.now());
    const actorOf = async (person: HostPerson) => ({
      caller: await callerOf(person),
      now: kernel().clock.now(),
    });
    /** Events of pushes with their actors, the oldest first. */
    const eventsOf = async (number: number): Promise<{ name: string; details: Json; actor: string }[]> => {
      const rows = await kernel()
        .db.selectFrom('host_events')
        .selectAll()
        .where('repository_number', '=', number)
        .where('name', 'in', ['push', 'create', 'delete'])
        .orderBy('number')
        .execute();
      return rows.map(({ name, details, snapshot }) => ({
        name,
        details: JSON.parse(details) as Json,
        actor: (JSON.parse(snapshot) as { sender: { login: string } }).sender.login,
      }));
    };
    const wait = async (ms: number) => {
      server.clock.ahead += ms;
      await kernel().engine.notify(DUE);
    };
    const leftRows = async (number: number) => {
      const pushes = await kernel()
        .db.selectFrom('host_pushes')
        .select('id')
        .where('repository_number', '=', number)
        .execute();
      return pushes.length;
    };

    test('a written file is a push with its commit and files, and a new branch is created', async () => {
      const { id } = await ada.repository('written');
      const { json } = await ada.put('/repos/ada/written/contents/docs/a.txt', FILE);
      const events = await eventsOf(id);
      assert.deepEqual(
        events.map(({ name, actor }) => [name, actor]),
        [
          ['push', 'ada'],
          ['create', 'ada'],
        ],
      );
      const [push, create] = events.map(({ details }) => details);
      const { sha } = json.commit;
      assert.deepEqual(
        [push!.ref, push!.before, push!.after, push!.created, push!.deleted, push!.forced, push!.size],
        ['refs/heads/main', ZERO, sha, true, false, false, 1],
      );
      const [commit] = push!.commits;
      assert.deepEqual(
        [commit.id, commit.message, commit.added, commit.removed, commit.modified, commit.distinct],
        [sha, 'A file', ['docs/a.txt'], [], [], true],
      );
      assert.deepEqual([commit.author.username, push!.pusher.name], ['ada', 'ada']);
      assert.deepEqual(push!.head_commit, commit);
      assert.deepEqual([create!.ref, create!.ref_type, create!.master_branch], ['main', 'branch', 'main']);
      assert.equal(await leftRows(id), 0);
    });

    test('moved, forced and deleted references are recorded as such', async () => {
      const { id } = await ada.repository('moved', { auto_init: true });
      const first = (await ada.get('/repos/ada/moved/git/ref/heads/main')).json.object.sha;
      const second = (await ada.put('/repos/ada/moved/contents/a', FILE)).json.commit.sha;
      await ada.patch('/repos/ada/moved/git/refs/heads/main', { sha: first, force: true });
      await ada.post('/repos/ada/moved/git/refs', { ref: 'refs/tags/v1', sha: second });
      await ada.delete('/repos/ada/moved/git/refs/tags/v1');
      const recorded = (await eventsOf(id)).slice(2).map(({ name, details }) => {
        const { ref, ref_type: type, before: from, after: to, forced, commits } = details;
        return name === 'push' ? [ref, from, to, forced, commits.length] : [name, ref, type];
      });
      assert.deepEqual(recorded, [
        ['refs/heads/main', first, second, false, 1],
        ['refs/heads/main', second, first, true, 0],
        ['refs/tags/v1', ZERO, second, false, 0],
        ['create', 'v1', 'tag'],
        ['refs/tags/v1', second, ZERO, false, 0],
        ['delete', 'v1', 'tag'],
      ]);
    });

    test('a push whose server died is recorded once, by due work, with its pusher', async () => {
      const { id } = await ada.repository('crashed', { auto_init: true });
      await ada.put('/repos/ada/crashed/collaborators/ben');
      const repository = repositoryOf(id);
      const from = (await repository.readRef('refs/heads/main'))!;
      const to = await addCommit(repository, { a: 'a' }, { branch: 'new', parents: [] });
      await updateRefs(repository, [{ name: 'refs/heads/new', from: to, to: undefined }]);
      const change = { name: 'refs/heads/main', from, to };
      await beginPush(kernel(), await actorOf(ben), id, [change]);
      await updateRefs(repository, [change]);
      assert.equal((await eventsOf(id)).length, 2);
      await wait(11_000);
      await eventually(async () => (await eventsOf(id)).length > 2);
      const { json } = await ada.get('/repos/ada/crashed');
      assert.ok(Date.parse(json.pushed_at) > Date.parse(json.created_at));
      // While nothing says that its server has died, it is looked at again; after an hour it is over.
      await wait(60 * 60_000 + 11_000);
      await eventually(async () => (await leftRows(id)) === 0);
      const [event, ...more] = (await eventsOf(id)).slice(2);
      assert.deepEqual([event!.name, event!.actor, event!.details.after, more], ['push', 'ben', to, []]);
    });

    test('two pushes to one branch that were not recorded yet are two events', async () => {
      const { id } = await ada.repository('twice', { auto_init: true });
      const repository = repositoryOf(id);
      const one = (await repository.readRef('refs/heads/main'))!;
      const two = await addCommit(repository, { a: 'a' }, { branch: 'two' });
      const three = await addCommit(repository, { b: 'b' }, { branch: 'three' });
      await updateRefs(repository, [
        { name: 'refs/heads/two', from: two, to: undefined },
        { name: 'refs/heads/three', from: three, to: undefined },
      ]);
      const name = 'refs/heads/main';
      const by = [ada, ben];
      const pushes: Push[] = [];
      for (const [index, [from, to]] of [
        [one, two],
        [two, three],
      ].entries()) {
        pushes.push(await beginPush(kernel(), await actorOf(by[index]!), id, [{ name, from, to }]));
        await updateRefs(repository, [{ name, from, to }]);
      }
      await Promise.all(
        pushes.map(async (push, index) => endPush(kernel(), push, await callerOf(by[index]!))),
      );
      const recorded = (await eventsOf(id)).slice(2).map(({ actor, details }) => [actor, details.after]);
      assert.deepEqual(recorded, [
        ['ada', two],
        ['ben', three],
      ]);
      assert.equal(await leftRows(id), 0);
    });

    test('references from before the first recorded push make no events', async () => {
      const { id } = await ada.repository('older', { auto_init: true });
      await ben.post('/repos/ada/older/forks', {});
      const { json: fork } = await ben.get('/repos/ben/older');
      await ben.put('/repos/ben/older/contents/b', FILE);
      const forked = await eventsOf(fork.id);
      assert.deepEqual(
        forked.map(({ name, details }) => [name, details.ref, details.size]),
        [['push', 'refs/heads/main', 1]],
      );
      await kernel().db.deleteFrom('host_refs').where('repository_number', '=', id).execute();
      await kernel()
        .db.updateTable('repositories')
        .set({ refs_version: 0 })
        .where('number', '=', id)
        .execute();
      await recordPushes(kernel(), id);
      assert.equal((await eventsOf(id)).length, 2);
      await addCommit(repositoryOf(id), { c: 'c' }, { branch: 'side' });
      await recordPushes(kernel(), id, { pusher: await callerOf(ben) });
      const [push, create] = (await eventsOf(id)).slice(2);
      assert.deepEqual([push!.actor, push!.details.ref, create!.name], ['ben', 'refs/heads/side', 'create']);
    });

    test('the first branch of an empty repository becomes its default', async () => {
      const { id } = await ada.repository('empty');
      await addCommit(repositoryOf(id), { a: 'a' }, { branch: 'trunk' });
      await recordPushes(kernel(), id);
      const { json } = await ada.get('/repos/ada/empty');
      assert.equal(json.default_branch, 'trunk');
      assert.equal(git(repositoryOf(id), 'symbolic-ref', 'HEAD'), 'refs/heads/trunk');
      await addCommit(repositoryOf(id), { a: 'a' }, { branch: 'main' });
      await recordPushes(kernel(), id);
      assert.equal((await ada.get('/repos/ada/empty')).json.default_branch, 'trunk');
    });

    test('many references at once are recorded, and make events up to a limit', async () => {
      const { id } = await ada.repository('many', { auto_init: true });
      const repository = repositoryOf(id);
      const to = (await repository.readRef('refs/heads/main'))!;
      await updateRefs(
        repository,
        Array.from({ length: 1500 }, (_, index) => ({ name: `refs/tags/t${index}`, from: undefined, to })),
      );
      await recordPushes(kernel(), id);
      const rows = await kernel()
        .db.selectFrom('host_refs')
        .select('name')
        .where('repository_number', '=', id)
        .execute();
      assert.equal(rows.length, 1501);
      assert.equal((await eventsOf(id)).length, 2 + 400);
    });
  });
});

test('a move that no push explains is one move, and a chain of pushes is recorded in its order', () => {
  const push = (id: string, from: string | undefined, to: string | undefined): Push => ({
    id,
    number: 1,
    pusher: { memberId: id },
    begunAt: 0,
    changes: [{ name: 'r', from, to }],
  });
  const moves = (from: string | undefined, to: string | undefined, pushes: Push[]) =>
    movesBetween(
      ['r'],
      new Map(from === undefined ? [] : [['r', from]]),
      new Map(to === undefined ? [] : [['r', to]]),
      pushes,
    ).map((move) => [move.from, move.to, move.push?.id]);
  assert.deepEqual(moves('a', 'a', [push('x', 'a', 'b')]), []);
  assert.deepEqual(moves('a', 'c', []), [['a', 'c', undefined]]);
  assert.deepEqual(moves('z', 'c', [push('x', 'a', 'c')]), [['z', 'c', 'x']]);
  assert.deepEqual(
    moves('a', undefined, [push('y', 'b', undefined), push('lost', 'a', 'c'), push('x', 'a', 'b')]),
    [
      ['a', 'b', 'x'],
      ['b', undefined, 'y'],
    ],
  );
});
