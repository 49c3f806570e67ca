// What is known about merging pull requests: found out by due work, one at a time, and never shown for other commits than those of today.
import assert from 'node:assert/strict';
import { onEachEngine } from '../../../../test/engines.ts';
import { eventually } from '../../../../test/eventually.ts';
import {
  afterGitTests as after,
  beforeGitTests as before,
  gitTest as test,
} from '../../../../test/git-tests.ts';
import { joinHost, type HostPerson } from '../../../../test/host-people.ts';
import type { Answer, Json, TestServer } from '../../../../test/server.ts';
import { startServerOn } from '../../../../test/suites.ts';
import { addCommit, type TestFiles } from '../../git/fixture-repository.ts';
import { GitTimedOut } from '../../git/process/process-limits.ts';
import type { GitRepository } from '../../git/repository.ts';
import { updateRefs } from '../../git/refs/update-refs.ts';
import { recordPushes } from '../../pushes/record-pushes.ts';
import { pullMergeRef } from '../pull.ts';
import { findPull } from '../store.ts';

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
  const ok = async (answer: Promise<Answer>): Promise<Json> => {
    const got = await answer;
    assert.ok(got.status < 300, `${got.status} ${got.text}`);
    return got.json;
  };

  interface Place {
    at: string;
    number: number;
    git: GitRepository;
    root: string;
    /** A branch of the first commit and one more, with a pull request into `main`. */
    open(branch: string, files: TestFiles): Promise<Json>;
    pull(number?: number): Promise<Json>;
    /** Waits until it is known whether it can be merged. */
    known(number?: number): Promise<Json>;
  }

  async function newPlace(): Promise<Place> {
    place += 1;
    const name = `checked-${place}`;
    const { id } = await ada.repository(name);
    const number = id as number;
    const git = kernel().services.git.repository(number);
    const root = await addCommit(git, { a: 'a\n' });
    await recordPushes(kernel(), number);
    const at = `/repos/ada/${name}`;
    const pull = (nth = 1) => ok(ada.get(`${at}/pulls/${nth}`));
    return {
      at,
      number,
      git,
      root,
      pull,
      async open(branch, files) {
        await updateRefs(git, [{ name: `refs/heads/${branch}`, from: undefined, to: root }]);
        await addCommit(git, files, { branch, parents: [root] });
        await recordPushes(kernel(), number);
        return await ok(ada.post(`${at}/pulls`, { title: branch, head: branch, base: 'main' }));
      },
      async known(nth = 1) {
        await eventually(async () => (await pull(nth))['mergeable'] !== null, 'the answer');
        return await pull(nth);
      },
    };
  }

  const answerOf = (pull: Json) => [pull['mergeable'], pull['rebaseable'], pull['mergeable_state']];
  const waiting = async (number: number) =>
    (
      await kernel()
        .db.selectFrom('merge_checks')
        .select('issue_id')
        .where('repository_number', '=', number)
        .execute()
    ).length;

  /** What `instead` does before git merges two trees, which are the last arguments. */
  async function withMerges(instead: (args: readonly string[]) => Promise<void>, work: () => Promise<void>) {
    const { program } = kernel().services.git.require();
    const start = program.start.bind(program);
    program.start = async (args, options) => {
      if (args[0] === 'merge-tree') await instead(args);
      return await start(args, options);
    };
    try {
      await work();
    } finally {
      program.start = start;
    }
  }

  /** The checks that the call causes wait until it is answered. */
  async function beforeChecks<T>(call: () => Promise<T>): Promise<T> {
    const answered = Promise.withResolvers<void>();
    let answer: T;
    await withMerges(
      () => answered.promise,
      async () => {
        answer = await call().finally(() => answered.resolve());
      },
    );
    return answer!;
  }

  test('a new pull request is checked by itself, and its test merge has both commits as parents', async () => {
    const { git, open, root, known, number } = await newPlace();
    const opened = await beforeChecks(() => open('feature', { a: 'a\n', b: 'b\n' }));
    assert.deepEqual([opened['mergeable'], opened['merge_commit_sha']], [null, null]);
    // Nobody has read it.
    const id = opened['id'] as number;
    await eventually(async () => (await findPull(kernel().db, id))?.mergeable === true, 'the answer');
    const pull = await known();
    assert.deepEqual(answerOf(pull), [true, true, 'clean']);
    const merge = pull['merge_commit_sha'];
    assert.equal(await git.readRef(pullMergeRef(1)), merge);
    const commit = await git.readCommit(merge as string);
    assert.deepEqual(commit?.parents, [root, pull['head'].sha]);
    assert.equal(commit.message, `Merge ${pull['head'].sha} into ${root}\n`);
    await eventually(async () => (await waiting(number)) === 0, 'the end of the queue');
  });

  test('a conflict has no merge and no reference, and the next push of the head asks again', async () => {
    const { git, at, root, open, known, pull, number } = await newPlace();
    await open('feature', { a: 'head\n' });
    await known();
    assert.notEqual(await git.readRef(pullMergeRef(1)), undefined);
    await addCommit(git, { a: 'base\n' }, { parents: [root] });
    await recordPushes(kernel(), number);
    const conflict = await known();
    assert.deepEqual(answerOf(conflict), [false, false, 'dirty']);
    assert.equal(conflict['merge_commit_sha'], null);
    assert.equal(await git.readRef(pullMergeRef(1)), undefined);
    const head = (await pull())['head'].sha as string;
    const next = await addCommit(git, { a: 'a\n', b: 'b\n' }, { branch: 'feature', parents: [head] });
    await recordPushes(kernel(), number);
    await eventually(async () => (await pull())['head'].sha === next, 'the push');
    assert.deepEqual(answerOf(await known()), [true, false, 'clean']);
    assert.equal((await ok(ada.get(`${at}/pulls`)))[0].merge_commit_sha, await git.readRef(pullMergeRef(1)));
  });

  test('an answer is not shown any more from the moment at which the base has moved', async () => {
    const { git, at, root, open, known, pull } = await newPlace();
    await open('feature', { a: 'a\n', b: 'b\n' });
    const former = (await known())['merge_commit_sha'];
    // As a push that is not recorded yet: the row still has the answer.
    await addCommit(git, { a: 'base\n' }, { parents: [root] });
    assert.equal((await ok(ada.get(`${at}/pulls`)))[0].merge_commit_sha, null);
    const stale = await pull();
    assert.deepEqual(answerOf(stale), [null, null, 'unknown']);
    assert.equal(stale['merge_commit_sha'], null);
    const fresh = (await known())['merge_commit_sha'];
    assert.notEqual(fresh, former);
    assert.equal(await git.readRef(pullMergeRef(1)), fresh);
  });

  test('a recorded move of the base makes the answer unknown, and only a reader asks again', async () => {
    const { git, root, open, known, number } = await newPlace();
    const { id } = await open('feature', { a: 'a\n', b: 'b\n' });
    await known();
    await eventually(async () => (await waiting(number)) === 0, 'the end of the queue');
    await addCommit(git, { a: 'base\n' }, { parents: [root] });
    await recordPushes(kernel(), number);
    assert.equal((await findPull(kernel().db, id as number))?.mergeable, null);
    assert.equal(await waiting(number), 0);
    assert.deepEqual(answerOf(await known()), [true, true, 'clean']);
  });

  test('a closed pull request has no answer and no merge, and is checked again when it is reopened', async () => {
    const { git, at, open, known, pull } = await newPlace();
    await open('feature', { a: 'a\n', b: 'b\n' });
    await known();
    const closed = await ok(ada.patch(`${at}/pulls/1`, { state: 'closed' }));
    assert.deepEqual([...answerOf(closed), closed['merge_commit_sha']], [null, null, 'unknown', null]);
    await eventually(async () => (await git.readRef(pullMergeRef(1))) === undefined, 'no reference');
    assert.equal((await pull())['mergeable'], null);
    await ok(ada.patch(`${at}/pulls/1`, { state: 'open' }));
    assert.deepEqual(answerOf(await known()), [true, true, 'clean']);
    await ok(ada.patch(`${at}/pulls/1`, { title: 'Other' }));
    assert.deepEqual(answerOf(await pull()), [true, true, 'clean']);
  });

  test('another base asks again', async () => {
    const { git, at, root, open, known } = await newPlace();
    await open('feature', { a: 'head\n' });
    await known();
    await updateRefs(git, [{ name: 'refs/heads/release', from: undefined, to: root }]);
    await addCommit(git, { a: 'release\n' }, { branch: 'release', parents: [root] });
    const changed = await beforeChecks(() => ok(ada.patch(`${at}/pulls/1`, { base: 'release' })));
    assert.equal(changed['mergeable'], null);
    assert.deepEqual(answerOf(await known()), [false, false, 'dirty']);
  });

  test('commits that conflict one by one cannot be rebased, though they can be merged', async () => {
    const { git, root, open, known, pull, number } = await newPlace();
    await open('feature', { a: 'head\n' });
    await known();
    const head = (await pull())['head'].sha as string;
    const next = await addCommit(git, { a: 'a\n', b: 'b\n' }, { branch: 'feature', parents: [head] });
    await addCommit(git, { a: 'base\n' }, { parents: [root] });
    await recordPushes(kernel(), number);
    await eventually(async () => (await pull())['head'].sha === next, 'the push');
    assert.deepEqual(answerOf(await known()), [true, false, 'clean']);
  });

  test('what takes too long to merge is not mergeable, and is not tried again for the same commits', async () => {
    const { git, root, open, known, pull } = await newPlace();
    let tries = 0;
    const late = () => {
      tries += 1;
      return Promise.reject(new GitTimedOut('merge-tree'));
    };
    await withMerges(late, async () => {
      await open('feature', { a: 'a\n', b: 'b\n' });
      assert.deepEqual(answerOf(await known()), [false, false, 'dirty']);
      for (let reads = 0; reads < 3; reads += 1) await pull();
      assert.equal(tries, 1);
    });
    await addCommit(git, { a: 'base\n' }, { parents: [root] });
    assert.deepEqual(answerOf(await known()), [true, true, 'clean']);
  });

  test('an answer for a base that moves while it is computed is not written', async () => {
    const { git, root, open, known } = await newPlace();
    let moved: string | undefined;
    const move = async () => {
      moved ??= await addCommit(git, { a: 'base\n' }, { parents: [root] });
    };
    await withMerges(move, async () => {
      await open('feature', { a: 'head\n' });
      assert.deepEqual(answerOf(await known()), [false, false, 'dirty']);
    });
  });

  test('pull requests of one repository are checked one at a time', async () => {
    const there = await newPlace();
    let [running, most] = [0, 0];
    const { program } = kernel().services.git.require();
    const { read } = program;
    program.read = async function* (args, options) {
      const share = args[0] === 'merge-tree' ? 1 : 0;
      running += share;
      most = Math.max(most, running);
      try {
        yield* read.call(program, args, options);
      } finally {
        running -= share;
      }
    };
    try {
      for (let nth = 1; nth <= 4; nth += 1) await there.open(`branch-${nth}`, { a: `${nth}\n` });
      await Promise.all([1, 2, 3, 4].map((nth) => there.known(nth)));
      await addCommit(there.git, { a: 'a\n', b: 'b\n' }, { parents: [there.root] });
      await Promise.all([1, 2, 3, 4].map((nth) => there.known(nth)));
    } finally {
      program.read = read;
    }
    assert.equal(most, 1);
  });

  test('eight readers at once have it computed once', async () => {
    const { git, root, open, known, pull, number } = await newPlace();
    await open('feature', { a: 'a\n', b: 'b\n' });
    await known();
    await addCommit(git, { a: 'base\n' }, { parents: [root] });
    let merges = 0;
    const count = () => {
      merges += 1;
      return Promise.resolve();
    };
    await withMerges(count, async () => {
      await Promise.all(Array.from({ length: 8 }, () => pull()));
      await known();
      await eventually(async () => (await waiting(number)) === 0, 'the end of the queue');
    });
    assert.equal(merges, 1);
  });

  test('one that fails keeps no other waiting, and is tried again', async () => {
    const { open, known, pull } = await newPlace();
    const bad = (await open('bad', { a: 'bad\n' }))['head'].sha as string;
    const fail = (args: readonly string[]) =>
      args.includes(bad) ? Promise.reject(new Error('The disk has a fault')) : Promise.resolve();
    await known();
    await withMerges(fail, async () => {
      const { json } = await ada.patch(`/repos/ada/checked-${place}/pulls/1`, { state: 'closed' });
      assert.equal(json['state'], 'closed');
      await ok(ada.patch(`/repos/ada/checked-${place}/pulls/1`, { state: 'open' }));
      await open('good', { a: 'good\n' });
      assert.equal((await known(2))['mergeable'], true);
      assert.equal((await pull(1))['mergeable'], null);
    });
    server.clock.ahead += 3_600_000;
    assert.equal((await known(1))['mergeable'], true);
  });

  test('references of test merges are listed beside those of heads', async () => {
    const { open, known } = await newPlace();
    await open('feature', { a: 'a\n', b: 'b\n' });
    await known();
    const all = await ok(ada.get(`/repos/ada/checked-${place}/git/matching-refs/pull`));
    assert.deepEqual(
      (all as unknown as Json[]).map(({ ref }) => ref),
      ['refs/pull/1/head', 'refs/pull/1/merge'],
    );
  });
});
