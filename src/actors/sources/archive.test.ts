// Archives: the same files come out as went in, and nothing leaves the folder.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { Failure } from '../../kernel/failure.ts';
import { writeZip } from '../export/zip.ts';
import { ARCHIVE_LIMITS, type ArchiveLimits } from './archive-limits.ts';
import { hashFolder, packFolder } from './pack.ts';
import { unpackArchive, unpackTar } from './unpack.ts';

type Files = Record<string, string>;

let root: string;
let count = 0;
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'archive-test-'));
});
after(() => rm(root, { recursive: true, force: true }));

async function emptyFolder(): Promise<string> {
  const folder = join(root, String((count += 1)));
  await mkdir(folder);
  return folder;
}

async function folderOf(files: Files): Promise<string> {
  const folder = await emptyFolder();
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}

async function filesOf(folder: string): Promise<Files> {
  const files: Files = {};
  for (const found of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!found.isFile()) continue;
    const path = join(found.parentPath, found.name);
    files[path.slice(folder.length + 1)] = await readFile(path, 'utf8');
  }
  return files;
}

/** Writes the archive to a file, unpacks it, and reads what came out. */
async function unpackBytes(bytes: Uint8Array, limits: Partial<ArchiveLimits> = {}): Promise<Files> {
  const folder = await emptyFolder();
  const file = `${folder}.archive`;
  await writeFile(file, bytes);
  await unpackArchive(file, folder, { limits: { ...ARCHIVE_LIMITS, ...limits } });
  return filesOf(folder);
}

/** A tar entry written by hand, as an attacker would. */
function entry(name: string, content = '', type = '0', size = Buffer.byteLength(content)): Buffer {
  const block = Buffer.alloc(512);
  block.write(name, 0);
  block.write('0000644\0', 100);
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  block.write(' '.repeat(8), 148);
  block.write(type, 156);
  block.write('ustar\x0000', 257, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const body = Buffer.from(content);
  return Buffer.concat([block, body, Buffer.alloc((512 - (body.length % 512)) % 512)]);
}

const END = Buffer.alloc(1024);
const tar = (...entries: Buffer[]): Buffer => Buffer.concat([...entries, END]);

async function zip(files: Files): Promise<Buffer> {
  const parts = Object.entries(files).map(([name, text]) => ({ name, content: [text] }));
  return Buffer.concat(await Array.fromAsync(writeZip(parts)));
}

const refused = (words: RegExp) => (error: unknown) => {
  assert.ok(error instanceof Failure, String(error));
  assert.match(error.message, words);
  return true;
};

describe('a packed folder', () => {
  const segment = fc.stringMatching(/^[a-z0-9_é☃-]{1,40}$/);
  const name = fc.array(segment, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('/'));
  const someFiles = fc
    .dictionary(name, fc.string({ unit: 'binary', maxLength: 2000 }), { maxKeys: 8 })
    .map((files) => {
      // A name that is a folder of another cannot be a file.
      const names = Object.keys(files);
      return Object.fromEntries(
        Object.entries(files).filter(([one]) => !names.some((other) => other.startsWith(`${one}/`))),
      );
    });

  test('comes out as it went in', async () => {
    await fc.assert(
      fc.asyncProperty(someFiles, async (files) => {
        const folder = await folderOf(files);
        const expected = await filesOf(folder);
        const { hash } = await packFolder(folder, `${folder}.tgz`);
        assert.deepEqual(await unpackBytes(await readFile(`${folder}.tgz`)), expected);
        assert.equal(await hashFolder(folder), hash);
      }),
      { numRuns: 40 },
    );
  });

  test('has the same hash whatever its times and the order of creation, and another with other content', async () => {
    const one = await packFolder(await folderOf({ a: '1', 'b/c': '2' }), join(root, 'one.tgz'));
    const two = await packFolder(await folderOf({ 'b/c': '2', a: '1' }), join(root, 'two.tgz'));
    const other = await packFolder(await folderOf({ 'b/c': '2', a: '3' }), join(root, 'three.tgz'));
    assert.equal(one.hash, two.hash);
    assert.notEqual(one.hash, other.hash);
    assert.deepEqual(await readFile(join(root, 'one.tgz')), await readFile(join(root, 'two.tgz')));
  });

  test('can be unpacked by tar, with the executable bit', async () => {
    const long = `${'folder/'.repeat(20)}file`;
    const folder = await folderOf({ 'run.sh': '#!/bin/sh\n', [long]: 'deep' });
    await chmod(join(folder, 'run.sh'), 0o700);
    await packFolder(folder, `${folder}.tgz`);
    const out = await emptyFolder();
    execFileSync('tar', ['-xzf', `${folder}.tgz`, '-C', out]);
    assert.deepEqual(await filesOf(out), { 'run.sh': '#!/bin/sh\n', [long]: 'deep' });
    assert.equal((await lstat(join(out, 'run.sh'))).mode & 0o111, 0o111);
  });

  test('leaves out links and what is named', async () => {
    const folder = await folderOf({ 'a.js': 'x', 'node_modules/m/index.js': 'y' });
    await symlink('/etc/passwd', join(folder, 'passwd'));
    await packFolder(folder, `${folder}.tgz`, { without: ['node_modules'] });
    assert.deepEqual(await unpackBytes(await readFile(`${folder}.tgz`)), { 'a.js': 'x' });
  });
});

describe('an archive of another program', () => {
  const files = {
    'package.json': '{}',
    'src/main.js': 'console.log(1)\n'.repeat(2000),
    'src/ünïcode.txt': 'ü',
  };

  test('made by GNU tar is unpacked: pax, GNU and ustar', async () => {
    const folder = await folderOf({ ...files, [`${'long-folder-name/'.repeat(12)}x`]: 'deep' });
    const expected = await filesOf(folder);
    for (const format of ['pax', 'gnu', 'posix']) {
      const bytes = execFileSync('tar', [`--format=${format}`, '-cf', '-', '-C', folder, '.']);
      assert.deepEqual(await unpackBytes(bytes), expected, format);
      assert.deepEqual(await unpackBytes(gzipSync(bytes)), expected, `${format}, compressed`);
    }
  });

  test('made by the export of records is unpacked', async () => {
    assert.deepEqual(await unpackBytes(await zip(files)), files);
  });

  const hasPython = spawnSync('python3', ['-c', 'import zipfile']).status === 0;
  test(
    'made by Python is unpacked: stored and deflated',
    { skip: !hasPython && 'needs python3' },
    async () => {
      const folder = await folderOf(files);
      const script =
        'import os,sys,zipfile\nos.chdir(sys.argv[1])\nz=zipfile.ZipFile(sys.argv[2],"w",int(sys.argv[3]))\n' +
        'for d,_,fs in os.walk("."):\n  z.write(d)\n  for f in fs: z.write(os.path.join(d,f))\nz.close()';
      for (const method of ['0', '8']) {
        execFileSync('python3', ['-c', script, folder, `${folder}.zip`, method]);
        assert.deepEqual(await unpackBytes(await readFile(`${folder}.zip`)), files);
      }
    },
  );

  test('keeps the executable bit', async () => {
    const folder = await folderOf({ run: '#!/bin/sh\n' });
    await chmod(join(folder, 'run'), 0o755);
    const bytes = execFileSync('tar', ['-cf', '-', '-C', folder, '.']);
    const out = await emptyFolder();
    await writeFile(`${out}.tar`, bytes);
    await unpackArchive(`${out}.tar`, out);
    assert.equal((await lstat(join(out, 'run'))).mode & 0o777, 0o755);
  });
});

describe('a hostile archive', () => {
  const names: [name: string, words: RegExp][] = [
    ['/etc/cron.d/x', /absolute/],
    ['C:/x', /absolute/],
    ['../x', /leads out/],
    ['a/../../x', /leads out/],
    ['a\\b', /backslash/],
    ['..\\x', /backslash/],
    ['a\nb', /control character/],
  ];
  for (const [name, words] of names) {
    test(`with the name ${JSON.stringify(name)} is refused as tar and as ZIP`, async () => {
      await assert.rejects(unpackBytes(tar(entry(name, 'x'))), refused(words));
      await assert.rejects(unpackBytes(await zip({ [name]: 'x' })), refused(words));
    });
  }

  test('with a link or a device is refused', async () => {
    for (const type of ['1', '2'])
      await assert.rejects(unpackBytes(tar(entry('x', '', type))), refused(/is a link/));
    for (const type of ['3', '4', '6', 'S'])
      await assert.rejects(unpackBytes(tar(entry('x', '', type))), refused(/neither a file/));
    const linked = await zip({ x: '/etc/passwd' });
    const listed = linked.indexOf(Buffer.from('PK\x01\x02'));
    linked.writeUInt32LE((0o120777 << 16) >>> 0, listed + 38);
    await assert.rejects(unpackBytes(linked), refused(/is a link/));
  });

  test('with links is unpacked without them where they are named instead', async () => {
    const folder = await emptyFolder();
    const links: string[] = [];
    const source = (async function* () {
      yield tar(entry('a', 'x'), entry('l', '', '2'), entry('b', 'y'));
    })();
    await unpackTar(source, folder, { onLink: (name) => links.push(name) });
    assert.deepEqual([links, await filesOf(folder)], [['l'], { a: 'x', b: 'y' }]);
  });

  test('with two names that differ in case only, or twice the same, is refused', async () => {
    await assert.rejects(unpackBytes(tar(entry('a/X', '1'), entry('A/y', '2'))), refused(/too much alike/));
    await assert.rejects(unpackBytes(tar(entry('x', '1'), entry('x', '2'))), refused(/twice/));
    await assert.rejects(
      unpackBytes(tar(entry('x', '1'), entry('x/y', '2'))),
      refused(/both a file and a folder/),
    );
    await assert.rejects(unpackBytes(await zip({ 'x.js': '1', 'X.js': '2' })), refused(/too much alike/));
  });

  test('that is too large, in bytes, files, names or ratio, is refused', async () => {
    const three = tar(entry('a', '12345'), entry('b', '12345'), entry('c', '12345'));
    await assert.rejects(unpackBytes(three, { bytes: 14 }), refused(/more than 14 bytes/));
    await assert.rejects(unpackBytes(three, { entries: 2 }), refused(/more than 2 files/));
    await assert.rejects(unpackBytes(tar(entry('abcdef')), { nameLength: 5 }), refused(/more than 5 bytes/));
    const bomb = tar(entry('zeros', '\0'.repeat(8 * 1024 * 1024)));
    await assert.rejects(unpackBytes(gzipSync(bomb)), refused(/more than 200 times/));
    await assert.rejects(
      unpackBytes(await zip({ zeros: '\0'.repeat(8 * 1024 * 1024) })),
      refused(/more than 200 times/),
    );
    await assert.rejects(
      unpackBytes(await zip({ a: '1', b: '2', c: '3' }), { entries: 2 }),
      refused(/more than 2 files/),
    );
  });

  test('whose ZIP entries overlap, or lie about their sizes, is refused', async () => {
    const honest = await zip({ aa: 'x'.repeat(100), bb: 'y'.repeat(100) });
    const second = honest.lastIndexOf(Buffer.from('PK\x01\x02'));
    const larger = Buffer.from(honest);
    larger.writeUInt32LE(1_000_000, second + 20);
    await assert.rejects(unpackBytes(larger), refused(/overlap/));
    const shorter = Buffer.from(honest);
    shorter.writeUInt32LE(50, second + 24);
    await assert.rejects(unpackBytes(shorter), refused(/not as the directory says/));
    const renamed = Buffer.from(honest);
    renamed.write('cc', second + 46);
    await assert.rejects(unpackBytes(renamed), refused(/another name/));
  });

  test('that is cut or changed anywhere is refused or gives the same files, and never breaks the process', async () => {
    const good = { 'a.txt': 'some content', 'b/c.txt': 'more content' };
    const folder = await folderOf(good);
    await packFolder(folder, `${folder}.tgz`);
    for (const bytes of [await zip(good), await readFile(`${folder}.tgz`)]) {
      await fc.assert(
        fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(255), fc.boolean(), async (at, value, isCut) => {
          const damaged = Buffer.from(isCut ? bytes.subarray(0, at) : bytes);
          if (!isCut) damaged[at] = value;
          await unpackBytes(damaged).catch((error: unknown) => {
            if (!(error instanceof Failure)) throw error;
          });
        }),
        { numRuns: 150 },
      );
    }
  });

  test('of another kind is named as such', async () => {
    await assert.rejects(unpackBytes(Buffer.from('hello')), refused(/neither a ZIP archive nor a tar/));
    await assert.rejects(unpackBytes(Buffer.alloc(0)), refused(/neither a ZIP archive nor a tar/));
  });
});
