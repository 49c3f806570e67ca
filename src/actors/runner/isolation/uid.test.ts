// Programs with users of their own: what they cannot reach, and that a user belongs to one program only.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, suite, test } from 'node:test';
import { promisify } from 'node:util';
import { atEndOfFile } from '../../../../test/cleanup.ts';
import { eventually, inTime } from '../../../../test/eventually.ts';
import { openTestRunner, type TestRunner } from '../fixture.ts';
import { findWorkingTools } from './machine-tools.ts';
import { identify } from '../process-table.ts';
import { probeMounts, removeFilesOf } from './user-folders.ts';
import { chooseRange, UidPool } from './uid.ts';

const tools = await findWorkingTools();
const { setpriv } = tools;
const mounts = await probeMounts(tools);
const isRoot = process.getuid?.() === 0;

function makeFolder(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'uid-'));
  atEndOfFile(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

suite(
  'a user of its own',
  { skip: isRoot && setpriv !== undefined ? false : 'needs root and setpriv' },
  () => {
    let on: TestRunner;
    let data: string;
    before(async () => {
      const parent = makeFolder();
      chmodSync(parent, 0o755);
      data = join(parent, 'data');
      mkdirSync(data, { mode: 0o700 });
      writeFileSync(join(data, 'secret'), 'a secret of the server', { mode: 0o644 });
      on = await openTestRunner({
        data,
        settings: { work: join(parent, 'data-work') },
        options: { isolation: { kind: 'uid', tools: { ...tools, setpriv: setpriv! } } },
      });
    });

    test('has no group, no capability, and gets no privilege', async () => {
      const { output } = await on.run(
        'id -u; id -G; grep -E "Cap(Prm|Eff|Amb)|NoNewPrivs" /proc/self/status',
      );
      const [uid, groups] = output.split('\n');
      assert.ok(Number(uid) > 60_000);
      assert.equal(groups, uid);
      assert.equal(output.match(/Cap\w+:\s+0{16}/g)?.length, 3);
      assert.match(output, /NoNewPrivs:\s+1/);
    });

    test("cannot read the server's data, nor its environment", async () => {
      const { output } = await on.run(
        `ls ${data} || echo no list; cat ${data}/secret || echo no secret; cat /proc/${process.pid}/environ || echo no environment`,
      );
      for (const words of ['no list', 'no secret', 'no environment']) assert.match(output, new RegExp(words));
    });

    test('owns its folder, and cannot enter that of another', async () => {
      const other = await on.start('echo mine > file; echo ready; sleep 1000');
      await eventually(() => other.output().includes('ready'));
      const { output } = await on.run(
        `echo x > file && cat file; cat ${other.program.folder}/file || echo not mine; kill -9 -1; ls ${on.data}-work || echo no list`,
      );
      assert.match(output, /^x\n/);
      assert.match(output, /not mine/);
      assert.match(output, /no list/);
      assert.ok((await other.usage()).memoryBytes >= 0);
      other.stop('kill');
      assert.deepEqual(await inTime(other.exited), { code: null });
    });

    test('cannot read its own log by name', async () => {
      const { output } = await on.run('cat /proc/self/fd/1 || echo unreadable');
      assert.match(output, /unreadable/);
    });

    test(
      'has temporary folders of its own that count and go with it',
      { skip: !mounts && 'needs mounts' },
      async () => {
        const name = `left-${process.pid}`;
        const { output, code } = await on.run(
          `for one in $TMPDIR /tmp /var/tmp /dev/shm; do echo x > $one/${name} || exit 1; done; ls -A /tmp; pwd; ipcmk -Q`,
        );
        assert.equal(code, 0, output);
        assert.ok(output.startsWith(`${name}\n`) || output.includes(`\n${name}\n`), output);
        for (const folder of ['/tmp', '/var/tmp', '/dev/shm'])
          assert.equal(existsSync(join(folder, name)), false);
        assert.deepEqual(readdirSync(`${data}-work/tmp`), []);
        const much =
          'i=0; while :; do i=$((i + 1)); head -c 1000000 /dev/zero > /tmp/file$i; sleep 0.01; done';
        assert.equal((await on.run(much, { diskMbytes: 8 })).exceeded, 'disk');
        const memory = 'head -c 200000000 /dev/zero > /dev/shm/file';
        const { output: refused } = await on.run(memory, { diskMbytes: 1000, memoryMbytes: 128 });
        assert.match(refused, /No space left/);
      },
    );

    test('without mounts, what it writes to the folders that all share counts and is deleted', async () => {
      const plain = await openTestRunner({
        data,
        settings: { work: `${data}-work` },
        options: { isolation: { kind: 'uid', tools: { ...tools, setpriv: setpriv! } }, mounts: 'none' },
      });
      assert.match(plain.runner.warnings.join(), /a \/tmp and \/dev\/shm of their own/);
      const place = `/tmp/of-a-program-${process.pid}`;
      const { exceeded, output } = await plain.run(
        `mkdir ${place}; i=0; while :; do i=$((i + 1)); head -c 1000000 /dev/zero > ${place}/file$i; sleep 0.01; done`,
        { diskMbytes: 8 },
      );
      assert.equal(exceeded, 'disk', output);
      assert.equal(existsSync(place), false);
    });

    test('only its own files are swept from a folder that all share', async () => {
      const shared = makeFolder();
      mkdirSync(join(shared, 'its'));
      writeFileSync(join(shared, 'its/file'), '');
      writeFileSync(join(shared, 'other'), '');
      chownSync(join(shared, 'its'), 1_900_009_999, 1_900_009_999);
      await removeFilesOf(1_900_009_999, [shared]);
      assert.deepEqual(readdirSync(shared), ['other']);
    });

    test('variables of the loader have no effect while the program is still root', async () => {
      const { output } = await on.run('echo "$LD_PRELOAD"; id -u', {
        env: { LD_PRELOAD: './evil.so', PATH: '/usr/bin:/bin', ENV: './evil.sh', BASH_ENV: './evil.sh' },
      });
      // The loader complains once the variable is set, and then for programs of the user only.
      const complaints = output.match(/evil\.so.*cannot be preloaded/g)?.length ?? 0;
      assert.ok(complaints > 0 && complaints <= 3, output);
      assert.match(output, /\.\/evil\.so\n/);
    });

    test('links out of the folder are not given to the program', async () => {
      const target = join(data, 'target');
      const linked = join(on.program('').folder, '../linked');
      writeFileSync(target, 'of the server');
      writeFileSync(linked, 'of the server');
      const { folder } = on.program('');
      symlinkSync(target, join(folder, 'link'));
      linkSync(linked, join(folder, 'hard'));
      const { code } = await on.run('true', { folder });
      assert.equal(code, 0);
      assert.equal(statSync(target).uid, 0);
      assert.equal(statSync(linked).uid, 0);
    });

    test('must be able to read what it is given', async () => {
      const hidden = makeFolder();
      await assert.rejects(on.run('true', { readable: [hidden] }), /Other users cannot read/);
    });

    test('is of no use in a folder that other users may not enter', async () => {
      const closed = makeFolder();
      const inside = await openTestRunner({
        data: closed,
        options: { isolation: { kind: 'uid', tools: { ...tools, setpriv: setpriv! } } },
      });
      assert.match(inside.runner.refusal!, /--work/);
    });

    test('can be become and nothing more', async () => {
      const { stdout } = await promisify(execFile)('id', ['-u'], { uid: 1_900_000_000, gid: 1_900_000_000 });
      assert.equal(stdout, '1900000000\n');
    });
  },
);

describe('user ids', () => {
  const range = { first: 70_000, count: 3 };

  test('are given to one program of the machine at a time', () => {
    const folder = makeFolder();
    const [one, other] = [new UidPool(range, folder), new UidPool(range, folder)];
    const taken = [one.take(), other.take(), one.take()];
    assert.deepEqual(
      taken.toSorted((a, b) => a - b),
      [70_000, 70_001, 70_002],
    );
    assert.throws(() => other.take(), /in use/);
    other.release(70_001, { ...identify(process.pid), startTime: -1 });
    assert.throws(() => other.take(), /in use/);
    one.release(70_001);
    assert.equal(other.take(), 70_001);
  });

  test('are those that the machine does not use, or few in a container with few', () => {
    assert.equal(chooseRange('         0          0 4294967295\n')?.first, 1_900_000_000);
    assert.equal(chooseRange('0 1000 1\n1 100000 65536\n')?.first, 60_578);
    assert.equal(chooseRange('0 1000 1\n'), undefined);
  });
});
