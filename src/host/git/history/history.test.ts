// Pages of a history, its filters, and comparisons of commits.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { Failure } from '../../../kernel/failure.ts';
import { addCommit, git, needsGit, openTestRepository, program, somebody } from '../fixture-repository.ts';
import type { GitTarget } from '../git-target.ts';
import {
  countAheadBehind,
  findMergeBases,
  isAncestor,
  listCommitIds,
  listCommitIdsBetween,
  listContributors,
  type HistoryFilter,
} from './history.ts';

const SECOND = 1000;
const MISSING = '1'.repeat(40);

describe('a history', needsGit, () => {
  let target: GitTarget;
  /** A line of five commits. */
  const ids: string[] = [];
  let side: string;
  let merge: string;
  before(async () => {
    target = openTestRepository();
    const ann = { ...somebody, name: 'Ann (.*)', email: 'ann@x.test' };
    const ben = { ...somebody, name: 'Bén "--all"', email: 'BEN@x.test' };
    const files = [
      { a: '1' },
      { a: '1', 'd/*': '1' },
      { a: '2', 'd/*': '1' },
      { a: '2', 'd/*': '1', ':(top)': '1' },
      { a: '3', 'd/*': '1', '-x': '1' },
    ];
    for (const [index, content] of files.entries()) {
      const author = { ...(index % 2 === 0 ? ann : ben), time: somebody.time + index * 10 * SECOND };
      const parents = ids.slice(-1);
      ids.push(
        await addCommit(target, content, { parents, author, committer: { ...author, name: 'Machine' } }),
      );
    }
    side = await addCommit(target, { b: '1' }, { branch: 'side', parents: [] });
    merge = await addCommit(
      target,
      { a: '3', b: '1' },
      { branch: 'merge', parents: [], author: { ...somebody, time: somebody.time + 100 * SECOND } },
    );
  });
  const list = (filter: HistoryFilter = {}, page = { limit: 100, skip: 0 }) =>
    listCommitIds(target, ids[4]!, page, filter);
  const numbers = async (filter: HistoryFilter) => (await list(filter)).map((id) => ids.indexOf(id));

  test('comes in pages, newest first', async () => {
    assert.deepEqual(await list(), ids.toReversed());
    assert.deepEqual(await list({}, { skip: 1, limit: 2 }), [ids[3], ids[2]]);
    assert.deepEqual(await list({}, { skip: 9, limit: 2 }), []);
    assert.deepEqual(await list({}, { skip: 0, limit: 0 }), []);
  });

  const filters: [string, HistoryFilter, number[]][] = [
    ['a path', { path: 'a' }, [4, 2, 0]],
    ['a folder', { path: 'd' }, [1]],
    ['an empty path, which is no filter', { path: '' }, [4, 3, 2, 1, 0]],
    ['a path with a star in its name', { path: 'd/*' }, [1]],
    ['a star that is not a pattern', { path: '*' }, []],
    ['a path that looks like magic', { path: ':(top)' }, [4, 3]],
    ['a path that looks like an option', { path: '-x' }, [4]],
    ['a path that does not exist', { path: 'nothing' }, []],
    ['a path outside', { path: '../a' }, []],
    ['an absolute path', { path: '/etc/passwd' }, []],
    ['a path with a part that is none', { path: 'd/./*' }, []],
    ['a path with NUL', { path: 'a\0b' }, []],
    ['an endless path', { path: 'a'.repeat(200_000) }, []],
    ['an author, as text and not as a pattern', { authors: ['ann (.*)'] }, [4, 2, 0]],
    ['an author in another case', { authors: ['<ben@X.test>'] }, [3, 1]],
    ['a pattern that matches nobody as text', { authors: ['A.*'] }, []],
    ['one of several authors', { authors: ['<ann@x.test>', '<ben@x.test>'] }, [4, 3, 2, 1, 0]],
    ['an author that looks like an option', { authors: ['--all'] }, [3, 1]],
    ['an author with a line break', { authors: ['nobody\nann'] }, []],
    ['an author with NUL', { authors: ['\0'] }, []],
    ['an author and a committer', { authors: ['ann'], committers: ['MACHINE <ann'] }, [4, 2, 0]],
    ['a committer who is none', { committers: ['ann ('] }, []],
    ['a beginning', { since: somebody.time + 30 * SECOND }, [4, 3]],
    ['an end', { until: somebody.time + 10 * SECOND }, [1, 0]],
    ['times before all', { until: -5 * SECOND }, []],
    [
      'all of these',
      { since: somebody.time, until: somebody.time + 20 * SECOND, authors: ['ann'], path: 'a' },
      [2, 0],
    ],
  ];
  for (const [name, filter, expected] of filters) {
    test(`is filtered by ${name}`, async () => assert.deepEqual(await numbers(filter), expected));
  }

  test('is not read for what is not the id of a commit', async () => {
    for (const tip of ['--all', 'main', 'HEAD', `${ids[0]}^`, '0'.repeat(40), ids[0]!.toUpperCase(), ''])
      await assert.rejects(
        listCommitIds(target, tip, { limit: 1 }),
        (error) => error instanceof Failure && error.kind === 'invalid',
        tip,
      );
    await assert.rejects(listCommitIds(target, MISSING, { limit: 1 }));
  });

  test('of one commit beyond another comes oldest first, in pages', async () => {
    const [base, head] = [ids[0]!, ids[4]!];
    assert.deepEqual(await countAheadBehind(target, base, head), { ahead: 4, behind: 0 });
    assert.deepEqual(await countAheadBehind(target, head, base), { ahead: 0, behind: 4 });
    const range = { base, head, total: 4 };
    assert.deepEqual(await listCommitIdsBetween(target, range, { limit: 100 }), ids.slice(1));
    assert.deepEqual(await listCommitIdsBetween(target, range, { limit: 2 }), ids.slice(1, 3));
    assert.deepEqual(await listCommitIdsBetween(target, range, { skip: 3, limit: 2 }), [ids[4]]);
    assert.deepEqual(await listCommitIdsBetween(target, range, { skip: 4, limit: 2 }), []);
  });

  test('has merge bases, or none with an unrelated one', async () => {
    assert.deepEqual(await findMergeBases(target, ids[1]!, ids[4]!), [ids[1]]);
    assert.deepEqual(await findMergeBases(target, side, ids[4]!), []);
    assert.deepEqual(await countAheadBehind(target, side, ids[4]!), { ahead: 5, behind: 1 });
    assert.equal(await isAncestor(target, ids[1]!, ids[4]!), true);
    assert.equal(await isAncestor(target, ids[1]!, ids[1]!), true);
    assert.equal(await isAncestor(target, ids[4]!, ids[1]!), false);
    assert.equal(await isAncestor(target, side, merge), false);
    await assert.rejects(isAncestor(target, MISSING, ids[1]!));
    await assert.rejects(findMergeBases(target, ids[1]!, '--help'), Failure);
  });

  test('has contributors, those with most commits first', async () => {
    const mailmap = 'Evil <evil@x.test> <ann@x.test>\n';
    const author = { ...somebody, name: 'Ann (.*)', email: 'ann@x.test' };
    const tip = await addCommit(target, { '.mailmap': mailmap }, { branch: 'mailmap', author });
    git(target, 'symbolic-ref', 'HEAD', 'refs/heads/mailmap');
    assert.deepEqual(await listContributors(target, tip, { limit: 5 }), [
      { name: 'Ann (.*)', email: 'ann@x.test', commits: 1 },
    ]);
    const ann = { name: 'Ann (.*)', email: 'ann@x.test', commits: 3 };
    const ben = { name: 'Bén "--all"', email: 'ben@x.test', commits: 2 };
    const found = await listContributors(target, ids[4]!, { limit: 10 });
    assert.deepEqual(
      found.map((one) => ({ ...one, email: one.email.toLowerCase() })),
      [ann, ben],
    );
    assert.equal((await listContributors(target, ids[4]!, { limit: 1 })).length, 1);
  });

  test('can reach into another repository that is named', async () => {
    const fork = openTestRepository();
    const tip = await addCommit({ ...fork, alternates: [target.folder] }, { a: 'fork' }, { parents: [] });
    await assert.rejects(countAheadBehind(fork, ids[4]!, tip));
    const both = { ...fork, alternates: [target.folder] };
    assert.deepEqual(await countAheadBehind(both, ids[4]!, tip), { ahead: 1, behind: 5 });
  });

  test('leaves no process', () => assert.equal(program.processes, 0));
});
