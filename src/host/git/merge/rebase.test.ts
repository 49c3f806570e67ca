// A rebase repeats commits with their authors and dates, one after the other, or changes nothing.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  addCommit,
  git,
  needsGit,
  runIn,
  somebody,
  startGit,
  type TestFiles,
  type TestGit,
} from '../fixture-repository.ts';
import { buildCommit } from '../objects/new-object.ts';
import { writeObjects } from '../objects/write-objects.ts';
import { GitTimedOut } from '../process/process-limits.ts';
import { updateRefs } from '../refs/update-refs.ts';
import type { GitRepository } from '../repository.ts';
import { countProcesses, listObjectFiles } from './fixture-merge.ts';
import { canRebase, MAX_REBASED_COMMITS, rebaseCommits } from './rebase.ts';

const committer = { name: 'Mer Ger', email: 'mer@ger.test', time: 1_800_000_000_000, zone: 120 };
const LINES = Array.from({ length: 40 }, (_, line) => `line ${line}\n`);
const text = (...changes: [number, string][]) =>
  changes.reduce((lines, [at, line]) => lines.with(at, `${line}\n`), LINES).join('');

describe('a rebase', needsGit, () => {
  let service: TestGit;
  let repositories = 0;
  before(async () => void (service = await startGit()));
  after(() => service.stop());

  /** A commit on `main`, and one on `topic` for each of the further files, all after one root. */
  async function open(root: TestFiles, base: TestFiles | undefined, ...topic: TestFiles[]) {
    const repository = await service.git.createRepository((repositories += 1), 'main');
    const first = await addCommit(repository, root);
    await updateRefs(repository, [{ name: 'refs/heads/topic', from: undefined, to: first }]);
    const onto = base === undefined ? first : await addCommit(repository, base, { parents: [first] });
    const commits: string[] = [];
    for (const [index, files] of topic.entries()) {
      const author = { ...somebody, name: `Author ${index}`, time: somebody.time + index * 1000, zone: -150 };
      const options = {
        branch: 'topic',
        parents: [commits.at(-1) ?? first],
        author,
        message: `Step ${index}\n\nwhy\n`,
      };
      commits.push(await addCommit(repository, files, options));
    }
    return { repository, base: onto, head: commits.at(-1) ?? first, commits };
  }
  const logOf = (repository: GitRepository, range: string) =>
    git(repository, 'log', '--reverse', '--date=raw', '--format=%an %ad %cn %cd %s', range).split('\n');

  test('keeps authors and dates, and has the committer that is given', async () => {
    const { repository, base, head, commits } = await open(
      { a: text() },
      { a: text([1, 'base']) },
      { a: text([20, 'one']) },
      { a: text([20, 'one'], [38, 'two']), b: 'b\n' },
    );
    const made = await rebaseCommits(repository, { base, head, committer });
    assert.ok(made.kind === 'created');
    assert.deepEqual(
      made.commits.map(({ from }) => from),
      commits,
    );
    assert.equal(made.commits.at(-1)?.to, made.commit);
    assert.deepEqual(logOf(repository, `${base}..${made.commit}`), [
      'Author 0 1700000000 -0230 Mer Ger 1800000000 +0200 Step 0',
      'Author 1 1700000001 -0230 Mer Ger 1800000000 +0200 Step 1',
    ]);
    assert.equal(
      `${git(repository, 'show', `${made.commit}:a`)}\n`,
      text([1, 'base'], [20, 'one'], [38, 'two']),
    );
    assert.equal(`${git(repository, 'show', `${made.commit}^:a`)}\n`, text([1, 'base'], [20, 'one']));
    assert.equal(git(repository, 'show', '-s', '--format=%B', made.commit).trimEnd(), 'Step 1\n\nwhy');
    git(repository, 'fsck', '--strict', made.commit);
    // The commits that stood for the other side are gone.
    const all = git(repository, 'cat-file', '--batch-all-objects', '--batch-check=%(objecttype)').split('\n');
    assert.equal(all.filter((type) => type === 'commit').length, 2 + 2 + 2);
  });

  test('makes new commits also where the base has not moved', async () => {
    const { repository, base, head } = await open({ a: '1\n' }, undefined, { a: '2\n' }, { a: '3\n' });
    const commands = await countProcesses(repository, async () => {
      const made = await rebaseCommits(repository, { base, head, committer });
      assert.ok(made.kind === 'created');
      assert.notEqual(made.commit, head);
      assert.equal(
        git(repository, 'rev-parse', `${made.commit}^{tree}`),
        git(repository, 'rev-parse', `${head}^{tree}`),
      );
      assert.equal(git(repository, 'rev-parse', `${made.commit}~2`), base);
    });
    assert.deepEqual(commands, ['rev-list']);
  });

  test('takes at most three processes and two for each commit', async () => {
    const steps = Array.from({ length: 6 }, (_, i) => ({ a: text([20, `step ${i}`]), [`n${i}`]: `${i}\n` }));
    const { repository, base, head } = await open({ a: text() }, { a: text([1, 'base']) }, ...steps);
    const commands = await countProcesses(repository, async () => {
      const made = await rebaseCommits(repository, { base, head, committer });
      assert.ok(made.kind === 'created');
      await updateRefs(repository, [{ name: 'refs/heads/main', from: base, to: made.commit }]);
    });
    assert.ok(commands.length <= 3 + steps.length, commands.join());
  });

  test('leaves out commits whose changes the base has, and those without changes', async () => {
    const { repository, base, head, commits } = await open(
      { a: text() },
      { a: text([5, 'same'], [30, 'base']) },
      { a: text([5, 'same']) },
      { a: text([5, 'same']) },
      { a: text([5, 'same']), b: 'b\n' },
    );
    const made = await rebaseCommits(repository, { base, head, committer });
    assert.ok(made.kind === 'created');
    assert.deepEqual(
      made.commits.map(({ from }) => from),
      [commits[2]],
    );
    const untouched = listObjectFiles(repository);
    const none = await rebaseCommits(repository, { base, head: commits[1]!, committer });
    assert.deepEqual(none, { kind: 'created', commit: base, commits: [] });
    assert.deepEqual(listObjectFiles(repository), untouched);
  });

  test('names the commit that has a conflict, and leaves nothing behind', async () => {
    const { repository, base, head, commits } = await open(
      { a: text() },
      { a: text([5, 'base']) },
      { a: text([30, 'fine']), b: 'b\n' },
      { a: text([5, 'topic'], [30, 'fine']), b: 'b\n' },
    );
    const untouched = listObjectFiles(repository);
    assert.deepEqual(await rebaseCommits(repository, { base, head, committer }), {
      kind: 'conflicts',
      commit: commits[1],
      paths: ['a'],
    });
    assert.deepEqual(listObjectFiles(repository), untouched);
  });

  test('is refused where one of the commits is a merge, or histories are unrelated', async () => {
    const { repository, base, head } = await open({ a: '1\n' }, { a: '2\n' }, { a: '1\n', b: '1\n' });
    const tree = git(repository, 'rev-parse', `${head}^{tree}`);
    const people = { author: somebody, committer: somebody };
    const merge = buildCommit({ tree, parents: [head, base], ...people, message: 'merge' });
    const island = buildCommit({ tree, parents: [], ...people, message: 'island' });
    await writeObjects(repository, [merge, island]);
    const ahead = await addCommit(repository, { a: '3\n' }, { parents: [base] });
    const rebase = (tip: string) => rebaseCommits(repository, { base: ahead, head: tip, committer });
    assert.deepEqual(await rebase(merge.oid), { kind: 'merges' });
    assert.deepEqual(await rebase(island.oid), { kind: 'unrelated' });
    await assert.rejects(rebase('1'.repeat(40)));
    await assert.rejects(rebase('topic'), /not the id/);
  });

  test('is refused for too many commits', async () => {
    const { repository, base } = await open({ a: '1\n' }, undefined);
    const marks = Array.from(
      { length: MAX_REBASED_COMMITS + 1 },
      (_, i) =>
        `commit refs/heads/long\ncommitter A <a@b.c> ${1_700_000_000 + i} +0000\ndata 2\nx\n${i === 0 ? `from ${base}\n` : ''}M 644 inline f\ndata ${String(i).length}\n${i}\n`,
    );
    await runIn(repository, ['fast-import', '--quiet'], marks.join(''));
    const head = git(repository, 'rev-parse', 'long');
    assert.deepEqual(await rebaseCommits(repository, { base, head, committer }), { kind: 'too-many' });
    const made = await rebaseCommits(repository, {
      base,
      head: git(repository, 'rev-parse', 'long^'),
      committer,
    });
    assert.equal(made.kind === 'created' && made.commits.length, MAX_REBASED_COMMITS);
    git(repository, 'fsck', '--strict');
  });

  test('is tried without leaving anything behind, and without a merge where one commit or its base says enough', async () => {
    const { repository, base, head, commits } = await open(
      { a: text() },
      { a: text([5, 'base']) },
      { a: text([30, 'fine']), b: 'b\n' },
      { a: text([5, 'topic'], [30, 'fine']), b: 'b\n' },
      { a: text([30, 'fine']), b: 'b\n' },
    );
    const untouched = listObjectFiles(repository);
    const attempt = async (onto: string, tip: string, maxMs = 60_000) => {
      const order = { base: onto, head: tip, committer, maxMs };
      let is: boolean | undefined;
      const commands = await countProcesses(repository, async () => {
        is = await canRebase(repository, order);
      });
      return [is, ...commands];
    };
    assert.deepEqual(await attempt(base, head), [false, 'rev-list', 'merge-tree', 'merge-tree']);
    assert.deepEqual(await attempt(base, commits[0]!), [true, 'rev-list']);
    const root = git(repository, 'rev-parse', `${base}^`);
    assert.deepEqual(await attempt(root, head), [true, 'rev-list']);
    await assert.rejects(attempt(base, head, -1), GitTimedOut);
    assert.deepEqual(listObjectFiles(repository), untouched);
  });

  test('gives an author without a name one, and reads other encodings', async () => {
    const { repository, base, head } = await open({ a: '1\n' }, { a: '1\n', b: '2\n' }, { a: '2\n' });
    const tree = git(repository, 'rev-parse', `${head}^{tree}`);
    const parent = git(repository, 'rev-parse', `${head}^`);
    const bytes = Buffer.from(
      `tree ${tree}\nparent ${parent}\nauthor  <no@name.test> 1700000000 +0000\ncommitter  <no@name.test> 1700000000 +0000\nencoding ISO-8859-1\n\nGr\xfc\xdfe\n`,
      'latin1',
    );
    const odd = await runIn(repository, ['hash-object', '-t', 'commit', '-w', '--stdin'], bytes);
    const made = await rebaseCommits(repository, { base, head: odd, committer });
    assert.ok(made.kind === 'created');
    assert.equal(git(repository, 'log', '-1', '--format=%an %s', made.commit), 'no@name.test Grüße');
  });

  test('is read by the check before it comes, and is gone where the check refuses it', async () => {
    const { repository, base, head } = await open({ a: '1\n' }, { a: '1\n', b: '2\n' }, { a: '2\n' });
    const untouched = listObjectFiles(repository);
    const check = () => Promise.reject(new Error('refused'));
    await assert.rejects(rebaseCommits(repository, { base, head, committer, check }), /refused/);
    assert.deepEqual(listObjectFiles(repository), untouched);
  });
});
