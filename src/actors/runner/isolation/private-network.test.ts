// Programs with a network of their own: what they and this machine can reach of each other, and that nothing stays.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, suite, test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { atEndOfFile } from '../../../../test/cleanup.ts';
import { eventually, inTime } from '../../../../test/eventually.ts';
import { fixedPort } from '../../../../test/fixed-port.ts';
import { needsNetwork } from '../../../../test/network-tests.ts';
import { newBridgeSocket, openForwarder } from '../program-sockets.ts';
import { commandLineOf, FOLDER_MODES, openTestRunner, type TestRunner } from '../fixture.ts';
import { machineIsolation, type Isolation } from './isolation.ts';
import { NetworkUnavailable, privateNetworkOf } from './private-network.ts';
import { listProcesses, userOf } from '../process-table.ts';
import { recordFolder } from '../program-record.ts';

const skip = needsNetwork;

function makeFolder(mode: number): string {
  const data = mkdtempSync(join(realpathSync(tmpdir()), 'runner-'));
  chmodSync(data, mode);
  atEndOfFile(() => rmSync(data, { recursive: true, force: true }));
  return data;
}

async function serveOnLoopback(t: TestContext, text: string): Promise<number> {
  const server = createServer((_request, reply) => reply.end(text)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close().closeAllConnections());
  return (server.address() as AddressInfo).port;
}

/** What a connection of this machine's loopback meets. */
async function reachFromOutside(port: number): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port });
  return await once(socket, 'connect').then(
    () => (socket.destroy(), 'reached'),
    (error: NodeJS.ErrnoException) => error.code ?? 'failed',
  );
}

/** The processes that connect programs, by their command. */
async function findSlirps(): Promise<number[]> {
  const all = await listProcesses();
  const isSlirp = ({ pid }: { pid: number }) => commandLineOf(pid).includes('slirp4netns');
  return all.filter((one) => one.parent === process.pid && isSlirp(one)).map(({ pid }) => pid);
}

for (const [where, mode] of Object.entries(FOLDER_MODES)) {
  suite(`a program with a network of its own, ${where}`, { skip }, () => {
    let inside: TestRunner;
    before(async () => {
      inside = await openTestRunner({ data: makeFolder(mode) });
    });

    test('reaches nothing on the loopback of this machine', async (t) => {
      const port = await serveOnLoopback(t, 'a service of this machine');
      const { output } = await inside.run(
        `node -e "
        const read = (host) => fetch('http://' + host + ':${port}/', { signal: AbortSignal.timeout(5000) }).then((r) => r.text(), () => 'unreachable');
        (async () => {
          for (const host of ['127.0.0.1', '127.0.0.2', 'localhost', '0.0.0.0', '[::1]', '[::ffff:127.0.0.1]', '10.0.2.2', '10.0.2.3', '10.0.2.100'])
            console.log(host, await read(host));
          console.log(Object.keys(require('os').networkInterfaces()).join());
        })()"
        cat /etc/resolv.conf`,
        { network: 'private' },
      );
      const lines = output.trim().split('\n');
      assert.deepEqual(lines.slice(-2), ['lo,tap0', 'nameserver 10.0.2.3']);
      assert.equal(lines.length, 11);
      for (const line of lines.slice(0, -2)) assert.match(line, /^\S+ unreachable$/);
    });

    test('listens where nobody on this machine can connect, even on a port that is taken here', async (t) => {
      const taken = await serveOnLoopback(t, 'the server');
      const free = await fixedPort();
      const running = await inside.start(
        `node -e "
        const { createServer } = require('http');
        const listen = (port, host) => new Promise((resolve) => createServer((_, reply) => reply.end('thief')).listen(port, host, resolve));
        (async () => {
          await listen(${free}, '0.0.0.0'); await listen(${taken}, '127.0.0.1'); await listen(${taken}, '::1');
          console.log(await (await fetch('http://127.0.0.1:${taken}/')).text(), 'ready');
        })()"`,
        { network: 'private' },
      );
      await eventually(() => running.output().includes('thief ready'));
      assert.equal(await reachFromOutside(free), 'ECONNREFUSED');
      assert.equal(await (await fetch(`http://127.0.0.1:${taken}/`)).text(), 'the server');
      await assert.rejects(fetch(`http://[::1]:${taken}/`));
      running.stop('kill');
      await inTime(running.exited);
    });

    test('is as locked in as one without, and cannot change its network', async () => {
      const { output } = await inside.run(
        `grep Cap /proc/self/status; grep NoNewPrivs /proc/self/status; id -u
        unshare -Urm true || echo no namespace
        echo 1 > /proc/sys/net/ipv4/ip_forward || echo no setting
        ip link set tap0 down || echo no change
        for p in /proc/[0-9]*; do cat $p/comm; done`,
        { network: 'private' },
      );
      for (const name of ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'])
        assert.match(output, new RegExp(`${name}:\\s+0{16}`));
      for (const text of ['NoNewPrivs:\t1\n1000\n', 'no namespace', 'no setting', 'no change'])
        assert.ok(output.includes(text), output);
      assert.ok(!output.includes('slirp'), output);
    });

    test('reaches what it has a bridge to, and the server reaches what it serves', async (t) => {
      const work = join(inside.data, 'work');
      const target = await serveOnLoopback(t, 'by the bridge');
      const forwarder = await openForwarder(work, { host: '127.0.0.1', port: target });
      t.after(() => forwarder.close());
      const socket = newBridgeSocket(work);
      const running = await inside.start(
        `node -e "
        (async () => {
          console.log(await (await fetch('http://localhost:${target}/')).text());
          require('http').createServer((_, reply) => reply.end('from inside')).listen(4321, () => console.log('ready'));
        })()"`,
        {
          network: 'private',
          bridges: [{ port: target, socket: forwarder.socket }],
          inboundSocket: { port: 4321, socket },
        },
      );
      await eventually(() => running.output().includes('by the bridge\nready\n'));
      const client = connect({ path: socket });
      client.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      let reply = '';
      client.setEncoding('utf8').on('data', (text: string) => (reply += text));
      await inTime(once(client, 'close'));
      assert.match(reply, /from inside/);
      running.stop('kill');
      await inTime(running.exited);
    });

    test('is connected by a process of its own user, which counts as its memory and ends with it', async () => {
      const running = await inside.start('echo ready; sleep 1000', {
        network: 'private',
      });
      await eventually(() => running.output().includes('ready'));
      const [slirp, ...others] = await findSlirps();
      assert.ok(slirp !== undefined && others.length === 0);
      const own = process.getuid?.() ?? 0;
      assert.equal(userOf(slirp) !== own, own === 0 && mode === 0o711);
      await eventually(async () => (await running.usage()).memoryBytes > 0);
      running.stop('kill');
      await inTime(running.exited);
      assert.deepEqual(await findSlirps(), []);
      await inside.run('true', { network: 'private' });
      assert.deepEqual(await findSlirps(), []);
      assert.deepEqual(readdirSync(recordFolder(join(inside.data, 'work'))), []);
    });
  });
}

test('a server that is killed leaves nothing that connects its programs', { skip }, async () => {
  const data = makeFolder(0o711);
  const file = fileURLToPath(new URL('../fixture-server.ts', import.meta.url));
  const server = spawn(process.execPath, [file, data, 'bubblewrap', 'groups', 'private'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await inTime(once(createInterface(server.stdout), 'line'))) as [string];
  const { folder } = JSON.parse(line) as { folder: string };
  await eventually(() => existsSync(join(folder, 'ready')));
  const ofServer = (await listProcesses()).filter(({ parent }) => parent === server.pid);
  assert.ok(ofServer.some(({ pid }) => commandLineOf(pid).includes('slirp4netns')));
  const [name = ''] = readdirSync(recordFolder(join(data, 'work')));
  const { connection } = JSON.parse(readFileSync(join(recordFolder(join(data, 'work')), name), 'utf8')) as {
    connection: { pid: number };
  };
  assert.ok(ofServer.some(({ pid }) => pid === connection.pid));
  server.kill('SIGKILL');
  await once(server, 'exit');
  await (await openTestRunner({ data })).runner.killLeftovers();
  const left = (await listProcesses()).filter(({ pid }) => ofServer.some((one) => one.pid === pid));
  assert.deepEqual(left, []);
});

test('what slirp4netns says is the reason, and what will not change is tried once', async () => {
  const folder = makeFolder(0o711);
  const tries = join(folder, 'tries');
  const slirp4netns = join(folder, 'slirp4netns');
  const connecting = async (...said: string[]) => {
    rmSync(tries, { force: true });
    // Its last words arrive when its end is known.
    const lines = ['while kill -0 $$ 2>/dev/null; do :; done', ...said.map((line) => `echo '${line}'`)];
    const script = ['#!/bin/sh', `echo >> ${tries}`, `{ ${lines.join('; ')}; } >&2 &`, 'exit 1'];
    writeFileSync(slirp4netns, script.join('\n'), { mode: 0o755 });
    const network = privateNetworkOf({ unshare: '/bin/true', slirp4netns }, []);
    const { reason } = await network.connect(process.pid).then(
      () => assert.fail('it is connected'),
      (error: NetworkUnavailable) => error,
    );
    return [reason, readFileSync(tries, 'utf8').length];
  };
  assert.deepEqual(
    await connecting('WARNING: experimental', 'open("/dev/net/tun"): Permission denied', 'child failed(1)'),
    ['slirp4netns does not work (open("/dev/net/tun"): Permission denied: child failed(1))', 1],
  );
  assert.deepEqual(await connecting('child failed(1)'), ['slirp4netns does not work (child failed(1))', 4]);
  assert.deepEqual(await connecting(), ['slirp4netns does not work (it ended before it was ready)', 4]);
});

test(
  'a program whose network cannot be had does not start, and has not that of the machine',
  { skip },
  async () => {
    const isolation = await machineIsolation();
    const withTools = (tools: Partial<Isolation['tools']>) =>
      ({ ...isolation, tools: { ...isolation.tools, ...tools } }) as Isolation;
    for (const [tools, reason] of [
      [{ slirp4netns: '/bin/false' }, /slirp4netns does not work \(it ended before it was ready\)/],
      [{ unshare: '/bin/false' }, /it gets no namespace of the kernel/],
    ] as const) {
      const broken = await openTestRunner({
        data: makeFolder(0o711),
        options: { isolation: withTools(tools) },
      });
      const program = broken.program('touch started', { network: 'private' });
      await assert.rejects(broken.runner.start(program), (error) => {
        assert.ok(error instanceof NetworkUnavailable);
        assert.match(error.message, reason);
        assert.match(error.message, /^The program cannot have a network of its own: .+\.$/);
        return true;
      });
      assert.ok(!existsSync(join(program.folder, 'started')));
    }
  },
);
