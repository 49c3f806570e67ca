// Archives hold the files of a commit, and no name that leads out of their folder.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { eventually } from '../../../test/eventually.ts';
import { Failure } from '../../kernel/failure.ts';
import { openArchive, type Archive } from './archive.ts';
import { addCommit, needsGit, openTestRepository, program } from './fixture-repository.ts';
import type { GitTarget } from './git-target.ts';
import { buildBlob } from './objects/new-object.ts';
import { writeObjects } from './objects/write-objects.ts';

interface TarEntry {
  name: string;
  type: string;
  mode: string;
  linkTarget: string;
  content: string;
}

describe('an archive', needsGit, () => {
  let target: GitTarget;
  let commit: string;
  const link = buildBlob(Buffer.from('../../../etc/passwd'));
  before(async () => {
    target = openTestRepository();
    commit = await addCommit(target, {
      '.gitattributes': 'secret export-ignore\nversion export-subst\n* filter=evil\n',
      'dir/run': '',
      '100755 dir/program': 'run\n',
      '120000 link': link.bytes,
      'ünï\ncode': 'x',
      secret: 's',
      version: '$Format:%H$\n',
      '160000 sub': '5'.repeat(40),
    });
  });

  async function read(archive: Partial<Archive> = {}): Promise<Buffer> {
    const options = { tree: commit, format: 'tar', prefix: 'top', ...archive } as const;
    return Buffer.concat(await Array.fromAsync(await openArchive(target, options)));
  }

  test('holds all files below its folder, links as links', async () => {
    const entries = entriesOf(await read());
    const rows = entries.map(
      ({ name, type, mode, linkTarget }) => `${type} ${mode} ${name}${linkTarget && ' -> '}${linkTarget}`,
    );
    assert.deepEqual(rows, [
      '5 0000775 top/',
      '0 0000664 top/.gitattributes',
      '5 0000775 top/dir/',
      '0 0000775 top/dir/program',
      '0 0000664 top/dir/run',
      '2 0000777 top/link -> ../../../etc/passwd',
      '5 0000775 top/sub/',
      '0 0000664 top/version',
      '0 0000664 top/ünï\ncode',
    ]);
    assert.equal(entries.find(({ name }) => name === 'top/version')!.content, `${commit}\n`);
  });

  test('is the same when it is compressed', async () => {
    const compressed = await read({ format: 'tar.gz' });
    assert.ok(compressed.equals(await read({ format: 'tar.gz' })));
    assert.ok(gunzipSync(compressed).equals(await read()));
  });

  test('can be a zip file', async () => {
    const bytes = await read({ format: 'zip', prefix: 'a-b_1.0' });
    assert.equal(bytes.toString('latin1', 0, 4), 'PK\x03\x04');
    assert.ok(bytes.includes('a-b_1.0/dir/program'));
  });

  test('has a folder of a plain name', async () => {
    for (const prefix of ['', '.', '..', '/tmp', 'a/b', '-x', '../x', 'a\\b', 'a\0', 'a b', '.git'])
      if (prefix !== '-x') await assert.rejects(read({ prefix }), Failure, prefix);
    assert.equal(entriesOf(await read({ prefix: '-x' }))[0]!.name, '-x/');
  });

  test('needs a commit or a tree that exists', async () => {
    for (const tree of ['1'.repeat(40), '--remote=ext::sh', 'main', ''])
      await assert.rejects(read({ tree }), Error, tree);
    await writeObjects(target, [link]);
    await assert.rejects(read({ tree: link.oid }));
  });

  const blob = (name: string, mode = '100644') => ({ mode, name, oid: link.oid });
  const hostile: Record<string, () => { mode: string; name: string; oid: string }[]> = {
    'the parent folder': () => [blob('..')],
    'a path to a parent folder': () => [blob('../../x')],
    'an absolute path': () => [blob('/etc/cron.d/x')],
    'a path to a parent folder on Windows': () => [blob('a\\..\\..\\x')],
    'a folder named as the parent': () => [{ mode: '40000', name: '..', oid: storeTree([blob('x')]) }],
    'the folder of git': () => [{ mode: '40000', name: '.git', oid: storeTree([blob('config')]) }],
    'a link and a folder of the same name': () => [
      blob('a', '120000'),
      { mode: '40000', name: 'a', oid: storeTree([blob('x')]) },
    ],
    'a link and a file of the same name': () => [blob('a', '120000'), blob('a')],
    'an entry without a name': () => [blob('')],
  };
  for (const [what, entries] of Object.entries(hostile)) {
    test(`is not made of a tree with ${what}`, async () => {
      await writeObjects(target, [link]);
      const tree = storeTree(entries());
      await assert.rejects(openArchive(target, { tree, format: 'zip', prefix: 'x' }));
    });
  }

  test('that nobody reads to its end leaves no process', async () => {
    const tree = await addCommit(target, { big: Buffer.alloc(3_000_000, 'abc') }, { branch: 'big' });
    for (const format of ['tar', 'tar.gz', 'zip'] as const) {
      for await (const chunk of await openArchive(target, { tree, format, prefix: 'x' })) {
        assert.ok(chunk.length > 0);
        break;
      }
    }
    await eventually(() => program.processes === 0, 'the end of the processes');
  });

  /** Git stores these without a look at them. */
  function storeTree(entries: readonly { mode: string; name: string; oid: string }[]): string {
    const rows = entries.map(({ mode, name, oid }) =>
      Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')]),
    );
    const args = [`--git-dir=${target.folder}`, 'hash-object', '-w', '--literally', '-t', 'tree', '--stdin'];
    return execFileSync('git', args, { input: Buffer.concat(rows), encoding: 'utf8' }).trim();
  }
});

function entriesOf(tar: Buffer): TarEntry[] {
  const entries: TarEntry[] = [];
  for (let at = 0; tar[at] !== 0;) {
    const field = (start: number, length: number) =>
      tar.toString('utf8', at + start, at + start + length).replace(/\0[^]*$/, '');
    const size = Number.parseInt(field(124, 12), 8);
    const [name, type] = [field(0, 100), field(156, 1)];
    const content = tar.toString('utf8', at + 512, at + 512 + size);
    // The id of the commit stands in a header of its own.
    if (type !== 'g') entries.push({ name, type, mode: field(100, 8), linkTarget: field(157, 100), content });
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return entries;
}
