// What a program sees and can do inside bubblewrap, told by the program itself.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, suite, test } from 'node:test';
import { atEndOfFile } from '../../../../test/cleanup.ts';
import { eventually } from '../../../../test/eventually.ts';
import { commandLineOf, FOLDER_MODES, openTestRunner, type TestRunner } from '../fixture.ts';
import { tryIsolation } from './isolation.ts';
import { listProcesses, userOf } from '../process-table.ts';

const { kind, tools } = await tryIsolation();
const skip = kind === 'bubblewrap' ? false : 'needs bwrap';

for (const [where, mode] of Object.entries(FOLDER_MODES)) {
  suite(`inside bubblewrap, ${where}`, { skip }, () => {
    let inside: TestRunner;
    before(async () => {
      const data = mkdtempSync(join(realpathSync(tmpdir()), 'runner-'));
      chmodSync(data, mode);
      atEndOfFile(() => rmSync(data, { recursive: true, force: true }));
      inside = await openTestRunner({ data });
      writeFileSync(join(inside.data, 'secret'), 'a secret of the server');
    });

    test('a program has no capability, and gets none', async () => {
      const { output, code } = await inside.run(
        'grep Cap /proc/self/status; grep NoNewPrivs /proc/self/status',
      );
      assert.equal(code, 0);
      for (const name of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb']) {
        assert.match(output, new RegExp(`${name}:\\s+0{16}`));
      }
      assert.match(output, /NoNewPrivs:\s+1/);
    });

    test('the user of a program is not that of the server on this machine, where it can be another', async () => {
      const running = await inside.start('echo ready; sleep 1000');
      await eventually(() => running.output().includes('ready'));
      const found = (await listProcesses())
        .filter(({ parent }) => parent === process.pid)
        .map(({ pid }) => userOf(pid));
      running.stop('kill');
      await running.exited;
      const own = process.getuid?.() ?? 0;
      const isOther = own === 0 && mode === 0o711 && tools.setpriv !== undefined;
      assert.equal(
        found.some((uid) => uid !== own),
        isOther,
      );
    });

    test('a program is an ordinary user', async () => {
      const { output } = await inside.run('id -u; id -g; id -G; id -un; cat /proc/self/uid_map; hostname');
      const [uid, gid, groups, name, map, host] = output.split('\n');
      assert.deepEqual([uid, gid, groups, name, host], ['1000', '1000', '1000', 'actor', 'actor']);
      assert.match(map!, /^\s+1000\s+\d+\s+1$/);
    });

    test('a program cannot mount anything, nor make a namespace in which it could', async () => {
      const { output } = await inside.run(
        'mount -t tmpfs none /tmp || echo no mount; mount -o remount,rw / || echo no remount; unshare -Urm true || echo no namespace',
      );
      assert.match(output, /no mount/);
      assert.match(output, /no remount/);
      assert.match(output, /no namespace/);
    });

    test("a program cannot change the kernel's settings, even where the server is root", async () => {
      const { output } = await inside.run(
        'cat /proc/sys/vm/swappiness > value; cat value > /proc/sys/vm/swappiness || echo no; test -w /proc/sys/kernel/core_pattern || echo neither',
      );
      assert.match(output, /no\nneither\n$/);
    });

    test("a program has none of the server's variables", async (t) => {
      process.env['SERVER_SECRET'] = 'a secret of the server';
      t.after(() => delete process.env['SERVER_SECRET']);
      const { output } = await inside.run('env; cat /proc/*/environ | tr "\\0" "\\n"', { env: { A: '1' } });
      const names = output
        .split('\n')
        .filter((line) => line.includes('='))
        .map((line) => line.split('=')[0]);
      // Shells add the others.
      const own = new Set(names).difference(new Set(['PWD', 'SHLVL', '_']));
      assert.deepEqual([...own], ['A']);
    });

    test('the command line on this machine shows nothing of the environment', async () => {
      const running = await inside.start('sleep 1000', { env: { TOKEN: 'secret-token', PATH: '/usr/bin' } });
      const lines: string[] = [];
      await eventually(async () => {
        const children = (await listProcesses()).filter(({ parent }) => parent === process.pid);
        lines.push(...children.map(({ pid }) => commandLineOf(pid)));
        return lines.some((line) => line.includes('sleep 1000'));
      }, 'the program has started');
      assert.ok(!lines.some((line) => line.includes('secret-token')));
      running.stop('kill');
      await running.exited;
    });

    test("a program sees nothing of the server's data, although its folder is inside it", async () => {
      const { output } = await inside.run(
        `ls -A ${inside.data} ${inside.data}/work ${inside.data}/work/runs; cat ${inside.data}/secret || echo unreadable`,
      );
      assert.match(output, /unreadable/);
      assert.ok(!output.includes('a secret of the server'));
      const listed = output.split('\n').filter((line) => /^[\w.-]+$/.test(line));
      assert.deepEqual(listed.slice(0, 2), ['work', 'runs']);
      assert.equal(listed.filter((name) => name.startsWith(inside.prefix)).length, 1);
    });

    test('a program sees no other process', async () => {
      const { output } = await inside.run('for p in /proc/[0-9]*; do cat $p/comm; done');
      assert.deepEqual(
        output.split('\n').filter((name) => !['bwrap', 'sh', 'cat', ''].includes(name)),
        [],
      );
    });

    test('a program inherits no descriptor beside its output', async () => {
      const { output } = await inside.run('ls -l /proc/self/fd');
      const targets = [...output.matchAll(/(\d+) -> (\S+)/g)].map(([, fd, target]) => [fd, target]);
      // The last is the folder that is being listed.
      assert.deepEqual(
        targets.map(([fd]) => fd),
        ['0', '1', '2', '3'],
      );
      assert.deepEqual(targets[0], ['0', '/dev/null']);
      assert.match(targets[3]![1]!, /^\/proc\/\d+\/fd$/);
    });

    test('a program writes to its folder and reads what it was given, and changes nothing else', async () => {
      const readable = mkdtempSync(join(tmpdir(), 'readable-'));
      chmodSync(readable, 0o755);
      mkdirSync(join(readable, 'node_modules'));
      writeFileSync(join(readable, 'node_modules/x.js'), 'given');
      const { output } = await inside.run(
        `echo mine > file && cat file
       cat ${readable}/node_modules/x.js; echo
       for path in ${readable}/y ${readable}/node_modules/x.js /y /usr/y /etc/y /dev/y /run/y /var/y; do
         (echo > $path) 2>&- && echo wrote $path
       done
       rm -rf ${readable} 2>&-; cat ${readable}/node_modules/x.js`,
        { readable: [readable] },
      );
      assert.equal(output, 'mine\ngiven\ngiven');
    });

    test('what is given inside the working folder is read-only too', async () => {
      const made = inside.program('');
      const given = join(made.folder, 'node_modules');
      mkdirSync(given);
      const { output } = await inside.run('touch a && touch node_modules/b || echo read-only', {
        folder: made.folder,
        readable: [given],
      });
      assert.match(output, /read-only\n$/);
    });

    test('temporary folders are bounded', async () => {
      const { output } = await inside.run(
        'for folder in /tmp /dev/shm; do head -c 80000000 /dev/zero > $folder/big || echo full; rm $folder/big; done',
        { memoryMbytes: 128 },
      );
      assert.equal(output.match(/full/g)?.length, 2, output);
    });

    test('Node, names and certificates are there', async () => {
      const { output, code } = await inside.run(
        `node -e "require('dns').lookup('localhost', (error, address) => console.log(error ?? address, require('tls').rootCertificates.length > 0))"
       ls /etc/ssl/certs > /dev/null && ls /etc/shadow /etc/ssl/private 2>&-; true`,
      );
      assert.equal(code, 0);
      assert.match(output, /^(127\.0\.0\.1|::1) true\n$/);
    });

    test('variables of the loader reach the program and not the tools before it', async () => {
      const { output } = await inside.run('echo $LD_LIBRARY_PATH', {
        env: { PATH: '/usr/bin:/bin', LD_LIBRARY_PATH: '/nowhere' },
      });
      assert.equal(output, '/nowhere\n');
    });

    test('a program without a network reaches the server by its bridge, and nothing else', async (t) => {
      const server = createServer((_request, reply) => reply.end('hello from the server'));
      const folder = mkdtempSync(join(tmpdir(), 'socket-'));
      const socket = join(folder, 's');
      await new Promise<void>((resolve) => server.listen(socket, resolve));
      const other = createServer((_request, reply) => reply.end('not for you'));
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      t.after(() => (server.close(), other.close()));
      const { port } = other.address() as { port: number };
      const { output, code } = await inside.run(
        `node -e "
        const read = (port) => fetch('http://127.0.0.1:' + port).then((r) => r.text(), () => 'unreachable');
        (async () => {
          console.log(await read(4321), await read(${port}));
          console.log(Object.keys(require('os').networkInterfaces()).join());
          process.exit(7);
        })()"`,
        { network: 'none', bridges: [{ port: 4321, socket }] },
      );
      assert.equal(output, 'hello from the server unreachable\nlo\n');
      assert.equal(code, 7);
    });

    test('a signal reaches a program behind the bridge', async (t) => {
      const server = createServer();
      const socket = join(mkdtempSync(join(tmpdir(), 'socket-')), 's');
      await new Promise<void>((resolve) => server.listen(socket, resolve));
      t.after(() => server.close());
      const running = await inside.start(
        'trap "echo stopping; exit 3" TERM; echo ready; while :; do sleep 0.05; done',
        {
          network: 'none',
          bridges: [{ port: 4321, socket }],
        },
      );
      await eventually(() => running.output().includes('ready'));
      running.stop('terminate');
      assert.deepEqual(await running.exited, { code: 3 });
      assert.match(running.output(), /stopping/);
    });
  });
}
