// A short line of commits is read as git itself logs it, or not at all.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  addCommit,
  addTree,
  commitTree,
  needsGit,
  somebody,
  startGit,
  type TestFiles,
  type TestGit,
} from '../fixture-repository.ts';
import { buildCommit } from '../objects/new-object.ts';
import { writeObjects } from '../objects/write-objects.ts';
import type { GitRepository } from '../repository.ts';
import { listMissingCommitIds, logFiles } from './history.ts';
import { logStraightLine, readStraightLine } from './straight-line.ts';

const MODULE = 'a'.repeat(40);
const LIMITS = { maxFiles: 1000 };

describe('a line of commits', needsGit, () => {
  let server: TestGit;
  let repository: GitRepository;
  let branches = 0;
  before(async () => {
    server = await startGit();
    repository = await server.git.createRepository(1, 'main');
  });
  after(() => server.stop());

  const addLine = async (versions: readonly TestFiles[]): Promise<string[]> => {
    const branch = `line-${(branches += 1)}`;
    const oids: string[] = [];
    for (const [index, files] of versions.entries())
      oids.push(
        await addCommit(repository, files, { branch, parents: oids.slice(-1), message: `${index}\n` }),
      );
    return oids;
  };
  const byGit = (from: string | undefined, to: string) =>
    logFiles(repository, {
      tip: to,
      without: from === undefined ? [] : [from],
      maxCommits: 100,
      ...LIMITS,
    });

  const lines: Record<string, TestFiles[]> = {
    'that adds, changes and deletes': [
      { a: '1', b: '1', 'dir/c': '1', 'dir/deep/d': '1' },
      { a: '2', b: '1', 'dir/c': '1', 'dir/deep/d': '2', 'dir/deep/e': '1' },
      { b: '1', 'dir/deep/e': '1' },
    ],
    'that turns files into folders and back': [
      { a: '1', 'a.b': '1', 'a-b': '1', c: '1' },
      { 'a/x': '1', 'a/y': '2', 'a.b': '2', 'a-b': '2', c: '1' },
      { a: '3', 'a.b': '2', 'a-b': '2', 'c/d': '1' },
    ],
    'that changes modes, links and submodules': [
      { run: '1', link: 'x', '160000 sub': MODULE },
      { '100755 run': '1', '120000 link': 'x', '160000 sub': 'b'.repeat(40) },
      { '100755 run': '1', sub: 'a file' },
    ],
    'with names that sort by bytes': [
      { ä: '1', 'z/ä': '1', '\u{1f600}': '1', '\uffee': '1', 'with space': '1' },
      { 'z/ö': '1', '\u{1f600}x': '2', '\uffeex': '2', 'with\ttab': '1', '"': '1' },
    ],
    'that changes nothing': [{ a: '1' }, { a: '1' }],
  };
  for (const [what, versions] of Object.entries(lines))
    test(`${what} is logged as git logs it`, async () => {
      const oids = await addLine(versions);
      const to = oids.at(-1)!;
      for (const from of [undefined, ...oids]) {
        assert.deepEqual(await logStraightLine(repository, { from, to, ...LIMITS }), await byGit(from, to));
        const line = await readStraightLine(repository, from, to);
        const without = from === undefined ? [] : [from];
        const missing = await listMissingCommitIds(repository, { tip: to, without, limit: 100 });
        assert.deepEqual(
          line!.map(({ oid }) => oid),
          missing.toReversed(),
        );
      }
    });

  test('names no more files than it may', async () => {
    const [from, to] = await addLine([{ a: '1' }, { a: '2', b: '1', c: '1' }]);
    const [commit] = (await logStraightLine(repository, { from, to: to!, maxFiles: 2 }))!;
    assert.deepEqual([commit!.modified, commit!.added], [['a'], ['b']]);
  });

  test('is left to git where it is none: merges, other histories, many commits, and objects that are gone', async () => {
    const [first, second] = await addLine([{ a: '1' }, { a: '2' }]);
    const [other] = await addLine([{ b: '1' }]);
    const { tree } = (await repository.readCommit(second!))!;
    const parents = [second!, other!];
    const commit = buildCommit({ tree, parents, author: somebody, committer: somebody, message: 'm' });
    await writeObjects(repository, [commit]);
    const merge = commit.oid;
    const many = await addLine(Array.from({ length: 20 }, (_, index) => ({ a: String(index) })));
    const cases: [string | undefined, string][] = [
      [first, merge],
      [other, second!],
      [second, first!],
      [undefined, many.at(-1)!],
      [first, MODULE],
    ];
    for (const [from, to] of cases) {
      assert.equal(await readStraightLine(repository, from, to), undefined);
      assert.equal(await logStraightLine(repository, { from, to, ...LIMITS }), undefined);
    }
  });
  test('is left to git where a name is not UTF-8, or too many folders differ', async () => {
    const [blob] = await addLine([{ a: '1' }]);
    const { oid } = (await repository.findEntry(blob!, 'a'))!;
    const raw = await addTree(repository, [
      Buffer.concat([Buffer.from(`100644 blob ${oid}\t`), Buffer.from([0xff])]),
    ]);
    const strange = await commitTree(repository, raw);
    assert.equal(await logStraightLine(repository, { from: undefined, to: strange, ...LIMITS }), undefined);
    const files = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`d${index}/f`, '1']));
    const [wide] = await addLine([files]);
    assert.equal(await logStraightLine(repository, { from: undefined, to: wide!, ...LIMITS }), undefined);
  });
});
