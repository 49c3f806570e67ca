// A merge or squash is one commit that is whole and durable when it is named, or nothing at all.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import {
  addCommit,
  buildFiles,
  git,
  needsGit,
  somebody,
  startGit,
  type TestFiles,
  type TestGit,
} from '../fixture-repository.ts';
import { buildCommit, buildTree, type NewObject } from '../objects/new-object.ts';
import { writeObjects } from '../objects/write-objects.ts';
import { updateRefs } from '../refs/update-refs.ts';
import { createMergeCommit, createSquashCommit, type MergeOrder } from './create-merge.ts';
import { countProcesses, listObjectFiles } from './fixture-merge.ts';

const TEXT = Array.from({ length: 40 }, (_, line) => `line ${line}\n`);
const merger = { name: 'Mer Ger', email: 'mer@ger.test', time: 1_800_000_000_000, zone: 120 };
const server = { name: 'Signalbox', email: 'noreply@signalbox.test', time: 1_800_000_001_000, zone: 0 };

describe('a merge commit', needsGit, () => {
  let service: TestGit;
  let repositories = 0;
  before(async () => void (service = await startGit()));
  after(() => service.stop());

  async function open(ancestor: TestFiles, base: TestFiles, head: TestFiles) {
    const repository = await service.git.createRepository((repositories += 1), 'main');
    const root = await addCommit(repository, ancestor);
    await updateRefs(repository, [{ name: 'refs/heads/topic', from: undefined, to: root }]);
    const ends = {
      base: await addCommit(repository, base, { parents: [root] }),
      head: await addCommit(repository, head, { parents: [root], branch: 'topic' }),
    };
    const order: MergeOrder = {
      ...ends,
      author: merger,
      committer: server,
      message: 'Merge topic\n\nbody\n',
    };
    return { repository, order };
  }
  const openClean = () =>
    open(
      { a: TEXT.join('') },
      { a: TEXT.with(2, 'base\n').join('') },
      { a: TEXT.with(30, 'head\n').join(''), 'n/b': 'new\n' },
    );

  test('has both parents, the given people and their times, and the merged files', async () => {
    const { repository, order } = await openClean();
    const made = await createMergeCommit(repository, order);
    assert.equal(made.kind, 'created');
    const commit = made.kind === 'created' ? made.commit : '';
    assert.equal(
      git(repository, 'log', '-1', '--format=%P|%an <%ae> %ad|%cn <%ce> %cd|%B', '--date=raw', commit),
      `${order.base} ${order.head}|Mer Ger <mer@ger.test> 1800000000 +0200|Signalbox <noreply@signalbox.test> 1800000001 +0000|Merge topic\n\nbody\n`.trimEnd(),
    );
    const merged = TEXT.with(2, 'base\n').with(30, 'head\n').join('');
    assert.equal(git(repository, 'show', `${commit}:a`), merged.trimEnd());
    assert.equal(git(repository, 'show', `${commit}:n/b`), 'new');
    assert.equal((await repository.readCommit(commit))?.tree, made.kind === 'created' && made.tree);
    git(repository, 'fsck', '--strict', commit);
    assert.deepEqual(
      listObjectFiles(repository).filter((name) => name.includes('tmp')),
      [],
    );
  });

  test('that is squashed has one parent and the same tree', async () => {
    const { repository, order } = await openClean();
    const merged = await createMergeCommit(repository, order);
    const squashed = await createSquashCommit(repository, order);
    assert.ok(merged.kind === 'created' && squashed.kind === 'created');
    assert.equal(squashed.tree, merged.tree);
    assert.deepEqual((await repository.readCommit(squashed.commit))?.parents, [order.base]);
  });

  test('brings a head up to date with its base, when the sides are exchanged', async () => {
    const { repository, order } = await openClean();
    const made = await createMergeCommit(repository, { ...order, base: order.head, head: order.base });
    assert.ok(made.kind === 'created');
    assert.deepEqual((await repository.readCommit(made.commit))?.parents, [order.head, order.base]);
  });

  for (const [what, changed] of [
    ['a few', 2],
    ['many', 150],
  ] as const)
    test(`of ${what} files takes at most three processes with the move of the branch`, async () => {
      const files = (first: string, last: string): TestFiles =>
        Object.fromEntries(
          Array.from({ length: changed }, (_, i) => [`f${i}`, [`${i}\n`, first, ...TEXT, last].join('')]),
        );
      for (const create of [createMergeCommit, createSquashCommit]) {
        const { repository, order } = await open(files('', ''), files('base\n', ''), files('', 'head\n'));
        const commands = await countProcesses(repository, async () => {
          const made = await create(repository, order);
          assert.ok(made.kind === 'created');
          await updateRefs(repository, [{ name: 'refs/heads/main', from: order.base, to: made.commit }]);
        });
        const packs = changed > 100 ? ['pack-objects'] : [];
        assert.deepEqual(commands, ['merge-tree', ...packs, 'update-ref']);
        git(repository, 'fsck', '--strict');
      }
    });

  test('with a conflict leaves nothing behind', async () => {
    const { repository, order } = await open({ a: '1\n' }, { a: '2\n' }, { a: '3\n', b: 'new\n' });
    const untouched = listObjectFiles(repository);
    for (const create of [createMergeCommit, createSquashCommit])
      assert.deepEqual(await create(repository, order), { kind: 'conflicts', paths: ['a'] });
    assert.deepEqual(listObjectFiles(repository), untouched);
  });

  test('is read by the check before it comes, and is gone where the check refuses it', async () => {
    const { repository, order } = await openClean();
    const untouched = listObjectFiles(repository);
    let seen = '';
    const check: MergeOrder['check'] = async (commit, { quarantine }) => {
      seen = commit;
      assert.ok(readdirSync(quarantine).includes(commit.slice(0, 2)));
      throw new Error('refused');
    };
    await assert.rejects(createMergeCommit(repository, { ...order, check }), /refused/);
    assert.match(seen, /^[0-9a-f]{40}$/);
    assert.deepEqual(listObjectFiles(repository), untouched);
    assert.equal(await repository.readCommit(seen), undefined);
  });

  test('whose process is killed leaves nothing behind', async () => {
    const { repository, order } = await openClean();
    const untouched = listObjectFiles(repository);
    const { program } = repository;
    const start = program.start.bind(program);
    program.start = async (args, options) => {
      const process = await start(args, options);
      if (args[0] !== 'merge-tree') return process;
      // It has written all its objects, and is killed before it could say so.
      const exit = await process.exited;
      return { ...process, exited: Promise.resolve({ ...exit, exitCode: null, signal: 'SIGKILL' }) };
    };
    try {
      await assert.rejects(createMergeCommit(repository, order), /SIGKILL/);
    } finally {
      program.start = start;
    }
    assert.deepEqual(listObjectFiles(repository), untouched);
  });

  test('must not make a tree that is too large of two that are not', async () => {
    const repository = await service.git.createRepository((repositories += 1), 'main');
    const root = await addCommit(repository, { a: '1' });
    const side = async (name: string): Promise<string> => {
      const objects: NewObject[] = [];
      // Each of the sides has a little less than a tree may have.
      let tree = buildFiles(
        Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`${i}`, name])),
        objects,
      );
      for (let level = 0; level < 2; level += 1) {
        const entries = Array.from(
          { length: 120 },
          (_, i) => ({ mode: '040000', name: `${i}`, oid: tree }) as const,
        );
        const folder = buildTree(entries);
        objects.push(folder);
        tree = folder.oid;
      }
      const a = buildFiles({ a: '1' }, objects);
      const found = objects.find(({ oid }) => oid === a)!;
      const blob = found.bytes.subarray(-20).toString('hex');
      const whole = buildTree([
        { mode: '100644', name: 'a', oid: blob },
        { mode: '040000', name, oid: tree },
      ]);
      const commit = {
        tree: whole.oid,
        parents: [root],
        author: somebody,
        committer: somebody,
        message: name,
      };
      const made = buildCommit(commit);
      await writeObjects(repository, [...objects, whole, made]);
      return made.oid;
    };
    const [base, head] = [await side('one'), await side('other')];
    const untouched = listObjectFiles(repository);
    const order = { base, head, author: merger, committer: server, message: 'm' };
    await assert.rejects(createMergeCommit(repository, order), /too large/);
    assert.deepEqual(listObjectFiles(repository), untouched);
  });
});
