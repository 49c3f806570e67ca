// Merges against what happens beside them: servers that die at each step, pushes, edits and other merges meanwhile, and how many processes of git they take.
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
import { addCommit } from '../git/fixture-repository.ts';
import { createSquashCommit } from '../git/merge/create-merge.ts';
import { countProcesses } from '../git/merge/fixture-merge.ts';
import type { GitRepository } from '../git/repository.ts';
import { updateRefs } from '../git/refs/update-refs.ts';
import { personOf } from '../owners/model.ts';
import { pullHeadRef } from '../pulls/pull.ts';
import { findPull } from '../pulls/store.ts';
import { recordPushes } from '../pushes/record-pushes.ts';
import { insertMergeIntent, listMergeIntentsOf, type MergeIntent } from './store.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let ada: HostPerson;
  let bob: HostPerson;
  let place = 0;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    ada = await joinHost(server, 'ada');
    bob = await joinHost(server, 'bob');
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
    /** The commit of `main`, and that of the pull request from `feature`. */
    base: string;
    head: string;
    id: number;
    pull(): Promise<Json>;
    merge(method: string): Promise<Answer>;
  }

  /** With an open pull request of `commits` commits. */
  async function newPlace(commits = 1): Promise<Place> {
    place += 1;
    const name = `begun-${place}`;
    const number = (await ada.repository(name))['id'] as number;
    const git = kernel().services.git.repository(number);
    const root = await addCommit(git, { a: 'a' });
    await updateRefs(git, [{ name: 'refs/heads/feature', from: undefined, to: root }]);
    let head = root;
    for (let index = 1; index <= commits; index += 1)
      head = await addCommit(git, { a: 'a', b: `${index}` }, { branch: 'feature', parents: [head] });
    const base = await addCommit(git, { a: 'a', z: 'z' }, { parents: [root] });
    await recordPushes(kernel(), number);
    const at = `/repos/ada/${name}`;
    const { id } = await ok(ada.post(`${at}/pulls`, { title: 'A', head: 'feature', base: 'main' }));
    return {
      at,
      number,
      git,
      base,
      head,
      id,
      pull: () => ok(ada.get(`${at}/pulls/1`)),
      merge: (method) => ada.put(`${at}/pulls/1/merge`, { merge_method: method }),
    };
  }

  /** What a squash by bob has written when its server dies before the reference moves. */
  async function beginSquash({ git, base, head, id, number }: Place): Promise<MergeIntent> {
    const author = personOf(bob.member, kernel().clock.now());
    const order = { base, head, author, committer: author, message: `Squash ${id}` };
    const made = await createSquashCommit(git, order);
    assert.ok(made.kind === 'created');
    const { baseRef, headSha, commitCount, additions, deletions, changedFiles } = (await findPull(
      kernel().db,
      id,
    ))!;
    const counts = { commitCount, additions, deletions, changedFiles };
    const intent = {
      issueId: id,
      repositoryNumber: number,
      commitId: made.commit,
      state: { baseRef, baseSha: base, headSha, ...counts },
      mergedById: bob.member.id,
      createdAt: kernel().clock.now(),
    };
    assert.ok(await insertMergeIntent(kernel().db, intent));
    return intent;
  }

  const land = async ({ git, base, number }: Place, { commitId }: MergeIntent) => {
    await updateRefs(git, [{ name: 'refs/heads/main', from: base, to: commitId }]);
    await recordPushes(kernel(), number);
  };

  test('a merge whose server died after the reference moved is recorded as that of its merger', async () => {
    const there = await newPlace();
    const intent = await beginSquash(there);
    await land(there, intent);
    await eventually(async () => (await there.pull())['merged'] === true, 'the merge');
    const merged = await there.pull();
    assert.deepEqual(
      [merged['merge_commit_sha'], merged['merged_by'].login, merged['state'], merged['base'].sha],
      [intent.commitId, 'bob', 'closed', there.base],
    );
    assert.deepEqual(await listMergeIntentsOf(kernel().db, there.id), []);
    assert.equal((await there.merge('merge')).status, 405);
  });

  test('a merge whose server died before the reference moved has merged nothing, and is made again', async () => {
    const there = await newPlace();
    await beginSquash(there);
    assert.equal((await there.pull())['state'], 'open');
    const { sha } = await ok(there.merge('squash'));
    assert.equal((await there.pull())['merge_commit_sha'], sha);
    assert.deepEqual(await listMergeIntentsOf(kernel().db, there.id), []);
  });

  test('a merge that finds another with its commit on the base ends that one, and merges nothing', async () => {
    const there = await newPlace();
    const intent = await beginSquash(there);
    await updateRefs(there.git, [{ name: 'refs/heads/main', from: there.base, to: intent.commitId }]);
    assert.equal((await there.merge('merge')).status, 405);
    const merged = await there.pull();
    assert.deepEqual([merged['merged'], merged['merge_commit_sha']], [true, intent.commitId]);
    assert.equal(await there.git.readRef('refs/heads/main'), intent.commitId);
  });

  test('what was merged counts, though the pull request was pushed to, closed and given another base before its end', async () => {
    const there = await newPlace();
    const { git, head, id, number, at } = there;
    await updateRefs(git, [{ name: 'refs/heads/release', from: undefined, to: there.base }]);
    await recordPushes(kernel(), number);
    const intent = await beginSquash(there);
    const pushed = await addCommit(git, { a: 'a', b: '1', c: 'c' }, { branch: 'feature', parents: [head] });
    await recordPushes(kernel(), number);
    await eventually(async () => (await findPull(kernel().db, id))?.headSha === pushed, 'the push');
    await ok(ada.patch(`${at}/pulls/1`, { base: 'release' }));
    await ok(ada.patch(`${at}/pulls/1`, { state: 'closed' }));
    await land(there, intent);
    await eventually(async () => (await there.pull())['merged'] === true, 'the merge');
    const merged = await there.pull();
    assert.deepEqual(
      [merged['head'].sha, merged['base'].ref, merged['commits'], merged['merge_commit_sha']],
      [head, 'main', 1, intent.commitId],
    );
    await eventually(async () => (await git.readRef(pullHeadRef(1))) === head, 'its reference');
    assert.equal((await ada.get(`${at}/pulls?state=closed&base=main`)).json.length, 1);
    assert.equal((await ada.get(`${at}/pulls?state=closed&base=release`)).json.length, 0);
  });

  const isIdle = async () => {
    const { db, clock } = kernel();
    const busy = await db
      .selectFrom('due')
      .select('id')
      .where((eb) => eb.or([eb('owner', 'is not', null), eb('due_at', '<=', clock.now())]))
      .execute();
    return busy.length === 0;
  };

  test('a base or a head that moves after the commit was made refuses the merge, and leaves no intent', async () => {
    const there = await newPlace();
    const { git, base, head, id } = there;
    const moving = async (name: string, from: string, files: Record<string, string>) => {
      // Due work moves references, too.
      await eventually(isIdle, 'the end of due work');
      const { refWriters } = git;
      const run = refWriters.run.bind(refWriters);
      refWriters.run = async (folder, transaction) => {
        refWriters.run = run;
        await addCommit(git, files, { branch: name, parents: [from] });
        return await run(folder, transaction);
      };
      try {
        return await there.merge('squash');
      } finally {
        refWriters.run = run;
      }
    };
    const modified = (what: string) => `${what} branch was modified. Review and try the merge again.`;
    const byBase = await moving('main', base, { a: 'a', z: 'z', y: 'y' });
    assert.deepEqual([byBase.status, byBase.json['message']], [405, modified('Base')]);
    const byHead = await moving('feature', head, { a: 'a', b: '1', c: 'c' });
    assert.deepEqual([byHead.status, byHead.json['message']], [409, modified('Head')]);
    assert.deepEqual(await listMergeIntentsOf(kernel().db, id), []);
    await ok(there.merge('squash'));
    assert.equal((await there.pull())['commits'], 2);
  });

  test('a merge or squash takes three processes of git at most until the branch has moved, a rebase three and two for each commit', async () => {
    for (const [method, most] of [
      ['merge', 3],
      ['squash', 3],
      ['rebase', 3 + 2 * 3],
    ] as const) {
      const { git, merge } = await newPlace(3);
      await eventually(isIdle, 'the end of what follows from pushes');
      const commands = await countProcesses(git, async () => ok(merge(method)));
      const own = commands.slice(0, commands.indexOf('update-ref') + 1);
      assert.ok(own.length <= most && own.includes('merge-tree'), `${method}: ${own.join(' ')}`);
    }
  });
});
