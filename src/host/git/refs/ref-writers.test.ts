// Processes that are kept to change references: how many there are, how long they live, and what happens when they die.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eventually, inTime } from '../../../../test/eventually.ts';
import { addCommit, git, needsGit, openTestRepository, program } from '../fixture-repository.ts';
import type { GitTarget } from '../git-target.ts';
import { GitError, type GitProcess } from '../process/git-process.ts';
import { RefWriters, type RefWriterOptions } from './ref-writers.ts';
import { UPDATE_REFS, updateRefs } from './update-refs.ts';

describe('a kept process', needsGit, () => {
  let targets: GitTarget[];
  let commit: string;
  const opened: RefWriters[] = [];
  let started: GitProcess[] = [];

  before(async () => {
    targets = [openTestRepository(), openTestRepository(), openTestRepository()];
    for (const target of targets) commit = await addCommit(target, { a: '1' });
  });
  after(async () => {
    for (const writers of opened) writers.close();
    await eventually(() => program.processes === 0);
  });

  function open(options: Partial<RefWriterOptions> = {}): RefWriters {
    started = [];
    const writers = new RefWriters({
      maxWriters: 2,
      idleMs: 600_000,
      timeoutMs: 600_000,
      async start(folder) {
        const process = await program.start(UPDATE_REFS, { folder, work: 'reader' });
        started.push(process);
        return process;
      },
      ...options,
    });
    opened.push(writers);
    return writers;
  }
  const creationOf = (name: string, oid = commit) =>
    `start\0update refs/heads/${name}\0${oid}\0${'0'.repeat(40)}\0prepare\0commit\0`;

  test('changes the references of one repository after another', async () => {
    const writers = open();
    const { folder } = targets[0]!;
    const runs = Array.from({ length: 30 }, (_, nth) => writers.run(folder, creationOf(`many-${nth}`)));
    assert.ok((await inTime(Promise.all(runs))).every(Boolean));
    assert.equal(started.length, 1);
    assert.equal(git(targets[0]!, 'for-each-ref', 'refs/heads/many-*').split('\n').length, 30);
  });

  test('sees what other processes have changed since', async () => {
    const writers = open();
    const [target] = targets;
    await writers.run(target!.folder, creationOf('seen'));
    git(target!, 'update-ref', '-d', 'refs/heads/seen');
    git(target!, 'pack-refs', '--all', '--prune');
    await writers.run(target!.folder, creationOf('seen'));
    git(target!, 'update-ref', '-d', 'refs/heads/seen');
    git(target!, 'update-ref', 'refs/heads/seen/below', commit);
    await assert.rejects(writers.run(target!.folder, creationOf('seen')), GitError);
    const later = await addCommit(target!, { a: '2' }, { branch: 'later' });
    await writers.run(target!.folder, creationOf('of-later', later));
    assert.equal(started.length, 2);
  });

  test('that refuses a change ends, and those that wait are made by another', async () => {
    const writers = open();
    const { folder } = targets[0]!;
    const results = await inTime(
      Promise.allSettled([
        writers.run(folder, creationOf('waits-1')),
        writers.run(folder, creationOf('waits-1')),
        writers.run(folder, creationOf('waits-2')),
      ]),
    );
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    const { reason } = results[1] as PromiseRejectedResult;
    assert.match((reason as GitError).stderr, /reference already exists/);
  });

  test('that was killed is replaced', async () => {
    const writers = open();
    const { folder } = targets[0]!;
    await writers.run(folder, creationOf('before-the-kill'));
    started[0]!.kill();
    await inTime(started[0]!.exited);
    await writers.run(folder, creationOf('after-the-kill'));
    assert.equal(started.length, 2);
  });

  test('is stopped where a change takes too long', async () => {
    const writers = open({
      timeoutMs: 50,
      start: (folder) => program.start(['cat-file', '--batch'], { folder }),
    });
    await assert.rejects(inTime(writers.run(targets[0]!.folder, 'HEAD')), /took too long/);
  });

  test('gives way to another repository when it is idle, and to none while it works', async () => {
    const writers = open();
    for (const { folder } of targets) assert.ok(await writers.run(folder, creationOf('in-turn')));
    assert.deepEqual([started.length, writers.size], [3, 2]);
    await inTime(started[0]!.exited);
    const busy = [0, 1].map((nth) => writers.run(targets[nth]!.folder, creationOf('busy')));
    assert.equal(await writers.run(targets[2]!.folder, creationOf('busy')), false);
    assert.deepEqual(await inTime(Promise.all(busy)), [true, true]);
    const target = { ...targets[2]!, refWriters: writers };
    await updateRefs(target, [{ name: 'refs/heads/busy', from: undefined, to: commit }]);
  });

  test('ends when it is idle, and with its repository', async () => {
    const writers = open({ idleMs: 20 });
    await writers.run(targets[0]!.folder, creationOf('idle'));
    await inTime(started[0]!.exited);
    assert.equal(writers.size, 0);
    const others = open();
    await others.run(targets[0]!.folder, creationOf('forgotten'));
    others.forget(targets[0]!.folder);
    await inTime(started[0]!.exited);
    others.close();
    await assert.rejects(others.run(targets[0]!.folder, creationOf('closed')), /stopping/);
  });
});
