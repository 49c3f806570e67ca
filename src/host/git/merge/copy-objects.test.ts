// Commits of a fork come to another repository whole and within the limits of pushes, or not at all.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { eventually } from '../../../../test/eventually.ts';
import { Failure } from '../../../kernel/failure.ts';
import {
  addCommit,
  buildTreeBomb,
  git,
  needsGit,
  runIn,
  somebody,
  startGit,
  type TestGit,
} from '../fixture-repository.ts';
import { copiesOf, packChain } from '../fixture-pack.ts';
import { buildBlob, buildCommit, buildTree, type NewObject } from '../objects/new-object.ts';
import { writeObjects } from '../objects/write-objects.ts';
import { DEFAULT_INFLATION } from '../received-pack.ts';
import type { GitRepository } from '../repository.ts';
import { copyObjects } from './copy-objects.ts';
import { countProcesses, listObjectFiles } from './fixture-merge.ts';

const OPTIONS = { without: [], maxBytes: 64 * 1024 ** 2, limits: DEFAULT_INFLATION };

describe('a copy of commits', needsGit, () => {
  let service: TestGit;
  let repositories = 0;
  let source: GitRepository;
  let target: GitRepository;
  let root: string;
  before(async () => {
    service = await startGit();
    source = await service.git.createRepository((repositories += 1), 'main');
    root = await addCommit(source, { a: 'line\n'.repeat(2000) });
    target = await service.git.forkRepository(1, (repositories += 1), { defaultBranch: 'main' });
  });
  after(() => service.stop());

  const has = (repository: GitRepository, oid: string) => repository.readInfo(oid).then(Boolean);

  test('brings what is new with all that it leads to, and nothing else', async () => {
    const secret = await addCommit(source, { secret: '1' }, { branch: 'secret' });
    const first = await addCommit(
      source,
      { a: `${'line\n'.repeat(2000)}end\n`, n: 'new\n' },
      { parents: [root] },
    );
    const tip = await addCommit(source, { a: '2\n', n: 'new\n' }, { parents: [first] });
    let checked = 0;
    const check = (bytes: number) => Promise.resolve(void (checked = bytes));
    const commands = await countProcesses(target, async () => {
      const bytes = await copyObjects(source, target, [tip], { ...OPTIONS, without: [root], check });
      assert.ok(bytes > 10_000 && bytes === checked, String(bytes));
    });
    assert.deepEqual(commands.toSorted(), ['index-pack', 'pack-objects']);
    git(target, 'fsck', '--strict', tip);
    assert.equal(git(target, 'rev-list', '--count', tip), '3');
    assert.equal(await has(target, secret), false);
    assert.deepEqual(
      listObjectFiles(target).filter((name) => name.includes('tmp')),
      [],
    );
  });

  test('of what is there already changes nothing', async () => {
    const untouched = listObjectFiles(target);
    assert.equal(await copyObjects(source, target, [root], { ...OPTIONS, without: [root] }), 0);
    assert.deepEqual(listObjectFiles(target), untouched);
  });

  test('comes without the source afterwards', async () => {
    const other = await service.git.createRepository((repositories += 1), 'main');
    const island = await addCommit(other, { x: 'island\n' }, { message: 'island' });
    await copyObjects(other, target, [island], OPTIONS);
    await service.git.removeRepository(repositories);
    git(target, 'fsck', '--strict', island);
  });

  async function refuse(
    commits: string[],
    options: Partial<typeof OPTIONS>,
    expected: RegExp | typeof Failure,
  ) {
    const untouched = listObjectFiles(target);
    await assert.rejects(copyObjects(source, target, commits, { ...OPTIONS, ...options }), expected);
    assert.deepEqual(listObjectFiles(target), untouched);
    // A process that was killed is gone a moment later. Readers that several calls share may live on, and those that change references.
    await eventually(
      () => target.program.processes <= 2 + target.refWriters.size,
      'the end of the processes of the copy',
    );
  }

  test('of more bytes than a push may have is refused, and leaves nothing behind', async () => {
    const large = await addCommit(source, { big: randomBytes(300_000) }, { branch: 'big' });
    await refuse([large], { maxBytes: 200_000 }, /more than 200000 bytes/);
  });

  test('of a small pack that stands for many bytes is refused, and leaves nothing behind', async () => {
    const base = Buffer.alloc(1_000_000, 'x');
    const blob = buildBlob(Buffer.alloc(20_000_000, 'x'));
    const tree = buildTree([{ mode: '100644', name: 'f', oid: blob.oid }]);
    const people = { author: somebody, committer: somebody };
    const commit = buildCommit({ tree: tree.oid, parents: [], ...people, message: 'bomb' });
    const pack = packChain(base, [copiesOf(base.length, 20)], [tree, commit]);
    await runIn(source, ['index-pack', '--stdin'], pack, 'transfer');
    const limits = { ...DEFAULT_INFLATION, ratio: 1, leastBytes: 1_000_000 };
    await refuse([commit.oid], { limits }, /when they are inflated/);
  });

  test('of a tree that stands for billions of files is refused, and leaves nothing behind', async () => {
    const objects: NewObject[] = [];
    const tree = buildTreeBomb(10, 10, objects);
    const people = { author: somebody, committer: somebody };
    const commit = buildCommit({ tree, parents: [], ...people, message: 'bomb' });
    await writeObjects(source, [...objects, commit]);
    await refuse([commit.oid], {}, /too large/);
  });

  test('of a commit that is missing, broken or no id is refused', async () => {
    await refuse(['1'.repeat(40)], {}, Failure);
    await refuse(['--all'], {}, /not the id/);
    const people = { author: somebody, committer: somebody };
    const broken = buildCommit({ tree: '2'.repeat(40), parents: [], ...people, message: 'broken' });
    await runIn(source, ['hash-object', '-t', 'commit', '-w', '--stdin'], broken.bytes);
    await refuse([broken.oid], {}, Failure);
  });

  test('that the check refuses leaves nothing behind', async () => {
    const tip = await addCommit(source, { c: 'c\n' }, { branch: 'checked' });
    const untouched = listObjectFiles(target);
    const check = () => Promise.reject(new Error('no room'));
    await assert.rejects(copyObjects(source, target, [tip], { ...OPTIONS, check }), /no room/);
    assert.deepEqual(listObjectFiles(target), untouched);
  });

  test('whose reading process is killed leaves nothing behind', async () => {
    const tip = await addCommit(source, { k: randomBytes(3_000_000) }, { branch: 'killed' });
    const { program } = target;
    const start = program.start.bind(program);
    for (const victim of ['index-pack', 'pack-objects']) {
      const untouched = listObjectFiles(target);
      program.start = async (args, options) => {
        const process = await start(args, options);
        if (args[0] === victim) process.kill();
        return process;
      };
      try {
        await assert.rejects(copyObjects(source, target, [tip], OPTIONS));
      } finally {
        program.start = start;
      }
      assert.deepEqual(listObjectFiles(target), untouched);
    }
  });
});
