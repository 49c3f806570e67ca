// Repacking: readers and forks go on, nothing young is lost, and what killed processes left is found.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  addBlob,
  addTree,
  commitTree,
  runIn,
  startGit,
  type TestGit,
  needsGit,
} from '../fixture-repository.ts';
import { findLeftovers, removeLeftovers } from './leftovers.ts';
import { countRepositoryFiles, packRefs, repackRepository, writeCommitGraph } from './repack.ts';
import type { GitRepository } from '../repository.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('repacking', needsGit, () => {
  let service: TestGit;
  let repository: GitRepository;
  const { signal } = new AbortController();
  before(async () => {
    service = await startGit({ maxReaders: 1, idleMs: 600_000 });
    repository = await service.git.createRepository(1, 'main');
  });
  after(() => service.stop());

  /** A commit on a branch, with two objects more. */
  async function addBranch(name: string, content: string): Promise<{ blob: string; commit: string }> {
    const blob = await addBlob(repository, content);
    const commit = await commitTree(
      repository,
      await addTree(repository, [`100644 blob ${blob}\ta.txt`]),
      name,
    );
    await runIn(repository, ['update-ref', `refs/heads/${name}`, commit]);
    return { blob, commit };
  }

  test('a reader that has old files open finds every object afterwards, in the same process', async () => {
    const [first, second] = [await addBranch('main', 'one'), await addBranch('other', 'two')];
    // Two packs, of which the reader has opened one.
    await runIn(repository, ['repack', '-d', '-q']);
    const third = await addBranch('third', 'three');
    await runIn(repository, ['repack', '-d', '-q']);
    const { pool, program } = repository.services;
    const read = async (oid: string) => await pool.request(repository.folder, 'contents', oid);
    assert.equal(textOf(await read(first.blob)), 'one');
    const processes = program.processes;
    await packRefs(repository);
    await repackRepository(repository, { signal });
    await writeCommitGraph(repository, signal);
    const { looseObjects, packs, hasCommitGraph, cruftAt } = await countRepositoryFiles(repository.folder);
    assert.deepEqual([looseObjects, packs, hasCommitGraph, cruftAt], [0, 1, true, undefined]);
    for (const [{ blob }, text] of [
      [first, 'one'],
      [second, 'two'],
      [third, 'three'],
    ] as const)
      assert.equal(textOf(await read(blob)), text);
    assert.deepEqual([program.processes, pool.size], [processes, 1]);
    assert.equal(await repository.readRef('refs/heads/other'), second.commit);
  });

  test('what no reference leads to is kept for its time, and a fork keeps it for ever', async () => {
    const gone = await addBranch('gone', 'forgotten');
    const fork = await service.git.forkRepository(1, 2, { defaultBranch: 'main' });
    await runIn(repository, ['update-ref', '-d', 'refs/heads/gone']);
    const now = Date.now();
    await repackRepository(repository, { expireBefore: now - 14 * DAY_MS, signal });
    const { cruftAt } = await countRepositoryFiles(repository.folder);
    assert.ok(cruftAt !== undefined);
    assert.equal(await runIn(repository, ['cat-file', '-t', gone.commit]), 'commit');
    await repackRepository(repository, { expireBefore: now + DAY_MS, signal });
    assert.equal((await countRepositoryFiles(repository.folder)).cruftAt, undefined);
    await assert.rejects(runIn(repository, ['cat-file', '-t', gone.commit]));
    assert.equal(await runIn(fork, ['rev-list', '--objects', '--all', '--count']), '12');
    await runIn(fork, ['fsck', '--connectivity-only']);
  });

  test('an object that is written while it is about to expire is kept', async () => {
    const blob = await addBlob(repository, 'again and again');
    await repackRepository(repository, { signal });
    assert.notEqual((await countRepositoryFiles(repository.folder)).cruftAt, undefined);
    const between = Date.now() + DAY_MS;
    assert.equal(await addBlob(repository, 'again and again'), blob);
    const path = join(repository.folder, 'objects', blob.slice(0, 2), blob.slice(2));
    utimesSync(path, between / 1000 + 1, between / 1000 + 1);
    await repackRepository(repository, { expireBefore: between, signal });
    assert.equal(await runIn(repository, ['cat-file', '-t', blob]), 'blob');
  });

  test('an interrupted one leaves all objects, and a later one removes what it left', async () => {
    const { commit } = await addBranch('interrupted', 'x');
    await assert.rejects(
      repackRepository(repository, { signal: AbortSignal.abort(new Error('stop')) }),
      /stop/,
    );
    const { folder } = repository;
    const now = Date.now();
    const old = [
      'gc.pid',
      'packed-refs.lock',
      'objects/pack/tmp_pack_x',
      'refs/heads/a.lock',
      'objects/00/tmp_obj_1',
    ];
    const young = ['objects/pack/.tmp-12-pack-x', 'refs/heads/tmp_branch', 'objects/info/commit-graph.lock'];
    mkdirSync(join(folder, 'objects', 'tmp_objdir-incoming-x'), { recursive: true });
    mkdirSync(join(folder, 'objects', '00'), { recursive: true });
    for (const path of [...old, ...young]) writeFileSync(join(folder, path), `${commit}\n`);
    const at = (now - 2 * DAY_MS) / 1000;
    const stale = [...old, 'objects/tmp_objdir-incoming-x'];
    for (const path of [...stale, 'refs/heads/tmp_branch']) utimesSync(join(folder, path), at, at);
    assert.deepEqual((await findLeftovers(folder, now)).toSorted(), stale.toSorted());
    assert.equal(await removeLeftovers(folder, now), stale.length);
    for (const path of stale) assert.equal(existsSync(join(folder, path)), false, path);
    for (const path of young) assert.equal(existsSync(join(folder, path)), true, path);
    assert.equal(await repository.readRef('refs/heads/interrupted'), commit);
  });
});

function textOf(answer: { content?: Buffer } | string): string {
  assert.ok(typeof answer === 'object');
  return answer.content!.toString();
}
