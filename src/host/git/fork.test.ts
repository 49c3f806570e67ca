// A copy of a repository is whole, independent, and shares its files.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import {
  addCommit,
  git,
  needsGit,
  openTestRepository,
  program,
  somebody,
  startGit,
} from './fixture-repository.ts';
import { copyRepository } from './fork.ts';
import type { GitTarget } from './git-target.ts';
import { buildTag } from './objects/new-object.ts';
import { updateRefs } from './refs/update-refs.ts';
import { writeObjects } from './objects/write-objects.ts';

describe('a copy of a repository', needsGit, () => {
  let source: GitTarget;
  let tip: string;
  before(async () => {
    source = openTestRepository();
    const first = await addCommit(source, { a: '1' });
    git(source, 'repack', '-adq');
    tip = await addCommit(source, { a: '2' }, { parents: [first] });
    const tag = buildTag({ object: tip, type: 'commit', tag: 'v1', tagger: somebody, message: 'v1' });
    const nested = buildTag({ object: tag.oid, type: 'tag', tag: 'v2', tagger: somebody, message: 'v2' });
    await writeObjects(source, [tag, nested]);
    await updateRefs(source, [
      { name: 'refs/tags/v2', from: undefined, to: nested.oid },
      { name: 'refs/heads/Ünï/"x"', from: undefined, to: first },
      { name: 'refs/heads/-d', from: undefined, to: first },
      { name: 'refs/pull/1/head', from: undefined, to: tip },
      { name: 'refs/heads/main-2', from: undefined, to: tip },
    ]);
  });
  const refsOf = (target: GitTarget, ...patterns: string[]) => git(target, 'for-each-ref', ...patterns);

  test('has the branches, the tags and all that they lead to', async () => {
    const copy = openTestRepository();
    await copyRepository(source, copy);
    assert.equal(refsOf(copy), refsOf(source, 'refs/heads', 'refs/tags'));
    assert.match(git(copy, 'show-ref', '--dereference'), new RegExp(`${tip} refs/tags/v2\\^\\{\\}`));
    git(copy, 'fsck', '--strict');
    git(copy, 'log', '--all');
    const [pack] = readdirSync(join(copy.folder, 'objects/pack')).filter((name) => name.endsWith('.pack'));
    assert.equal(statSync(join(copy.folder, 'objects/pack', pack!)).nlink, 2);
    assert.ok(!existsSync(join(copy.folder, 'objects/info/alternates')));
  });

  test('stays when the source is gone, and the source when the copy is', async () => {
    const [copy, second] = [openTestRepository(), openTestRepository()];
    await copyRepository(source, copy);
    await copyRepository(copy, second);
    git(copy, 'repack', '-adq');
    git(copy, 'prune-packed');
    rmSync(copy.folder, { recursive: true });
    git(source, 'fsck', '--strict');
    git(second, 'fsck', '--strict');
    await addCommit(second, { a: '3' }, { parents: [tip] });
    assert.equal(git(source, 'rev-parse', 'main'), tip);
  });

  test('may have the default branch only', async () => {
    const copy = openTestRepository();
    await copyRepository(source, copy, { onlyBranch: 'refs/heads/main' });
    assert.equal(refsOf(copy), refsOf(source, 'refs/heads/main'));
    git(copy, 'fsck', '--strict');
  });

  test('of an empty repository is empty, as is one of a branch that does not exist', async () => {
    const [empty, copy, other] = [openTestRepository(), openTestRepository(), openTestRepository()];
    await copyRepository(empty, copy);
    await copyRepository(source, other, { onlyBranch: 'refs/heads/absent' });
    assert.equal(refsOf(copy), '');
    assert.equal(refsOf(other), '');
  });

  test('leaves out temporary files', async () => {
    for (const name of ['pack/tmp_pack_1', 'pack/pack-1.keep', 'tmp_obj_1'])
      writeFileSync(join(source.folder, 'objects', name), 'x');
    const copy = openTestRepository();
    await copyRepository(source, copy);
    const names = readdirSync(join(copy.folder, 'objects'), { recursive: true });
    assert.deepEqual(
      names.filter((name) => /tmp|keep/.test(String(name))),
      [],
    );
  });

  test('is refused where the source lacks an object', async () => {
    const broken = openTestRepository();
    const commit = await addCommit(broken, { a: 'x' });
    rmSync(join(broken.folder, 'objects', commit.slice(0, 2), commit.slice(2)));
    await assert.rejects(copyRepository(broken, openTestRepository()));
  });

  test('of the service is there as a whole or not at all', async () => {
    const { git: service, folder, stop } = await startGit();
    try {
      const original = await service.createRepository(1, 'main');
      const commit = await addCommit(original, { a: '1' });
      const fork = await service.forkRepository(1, 2, { defaultBranch: 'main' });
      assert.equal((await fork.resolveCommit('main'))?.oid, commit);
      await assert.rejects(service.forkRepository(1, 2, { defaultBranch: 'main' }), /already has a folder/);
      rmSync(join(original.folder, 'objects', commit.slice(0, 2)), { recursive: true });
      await assert.rejects(service.forkRepository(1, 3, { defaultBranch: 'main' }));
      assert.equal(await service.exists(3), false);
      assert.equal((await fork.resolveCommit('main'))?.oid, commit);
      assert.deepEqual(readdirSync(join(folder, 'tmp')), []);
    } finally {
      await stop();
    }
  });

  test('is whole while the source is pushed to and repacked', async () => {
    const busy = openTestRepository();
    let last = await addCommit(busy, { n: '0' });
    const copies: GitTarget[] = [];
    const copying = (async () => {
      for (let round = 0; round < 4; round += 1) {
        const copy = openTestRepository();
        await copyRepository(busy, copy);
        copies.push(copy);
      }
    })();
    for (let change = 1; copies.length < 4; change += 1) {
      last = await addCommit(busy, { n: String(change) }, { parents: [last] });
      const repack = ['repack', '-a', '-d', '-q'];
      if (change % 3 === 0)
        await program.run(repack, { folder: busy.folder, timeoutMs: 60_000, maxOutput: 1000 });
      if (change > 1000) break;
    }
    await copying;
    for (const copy of copies) git(copy, 'rev-list', '--objects', '--all');
    assert.equal(copies.length, 4);
    assert.equal(program.processes, 0);
  });
});
