// The real gh, unmodified: it reaches the server through a Unix socket, because it speaks TLS to every host with a port.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { needsGit } from '../../src/host/git/fixture-repository.ts';
import { PATIENCE_MS } from '../eventually.ts';
import { ADMIN_TOKEN, startServer, type TestServer } from '../server.ts';

const skip = needsGit.skip || (spawnSync('gh', ['--version']).error !== undefined && 'needs gh');

const folder = mkdtempSync(join(tmpdir(), 'signalbox-gh-'));
const socket = join(folder, 'socket');
let server: TestServer;
const proxy = createServer((client) => {
  const upstream = connect(Number(new URL(server.url).port), '127.0.0.1');
  client.on('error', () => upstream.destroy()).pipe(upstream);
  upstream.on('error', () => client.destroy()).pipe(client);
});

before(async () => {
  if (skip !== false) return;
  server = await startServer();
  await new Promise<void>((resolve) => proxy.listen(socket, resolve));
  writeFileSync(join(folder, 'config.yml'), `http_unix_socket: ${socket}\n`);
});
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  if (skip !== false) return;
  await server.stop();
  await new Promise((resolve) => proxy.close(resolve));
});

async function gh(...args: string[]): Promise<string> {
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    GH_CONFIG_DIR: folder,
    GH_HOST: 'signalbox.localhost',
    GH_ENTERPRISE_TOKEN: ADMIN_TOKEN,
    GH_NO_UPDATE_NOTIFIER: '1',
    NO_COLOR: '1',
  };
  const { stdout } = await promisify(execFile)('gh', ['api', ...args], { env, timeout: PATIENCE_MS });
  return stdout.trim();
}

test('creates, changes and reads repositories, follows pages, and chooses a version', { skip }, async () => {
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    await gh('user/repos', '-f', `name=${name}`, '-F', 'auto_init=true');
  const names = await gh('--paginate', 'user/repos?per_page=2', '--jq', '.[].full_name');
  assert.deepEqual(names.split('\n'), ['admin/a', 'admin/b', 'admin/c', 'admin/d', 'admin/e']);
  const commits = await gh('--paginate', 'repos/admin/a/commits?per_page=1', '--jq', '.[].commit.message');
  assert.equal(commits.split('\n').length, 1);
  assert.equal(
    await gh('-X', 'PATCH', 'repos/admin/a', '-f', 'description=by gh', '--jq', '.description'),
    'by gh',
  );
  assert.equal(
    await gh('-H', 'Accept: application/vnd.github.raw', 'repos/admin/a/contents/README.md'),
    '# a',
  );
  const hasDownloads = ['repos/admin/a', '--jq', 'has("has_downloads")'];
  assert.equal(await gh(...hasDownloads), 'true');
  assert.equal(await gh('-H', 'X-GitHub-Api-Version: 2026-03-10', ...hasDownloads), 'false');
  assert.equal(
    await gh('graphql', '-f', 'query={ viewer { login } }', '--jq', '.data.viewer.login'),
    'admin',
  );
});

test('says what is wrong in the words of the server', { skip }, async () => {
  await assert.rejects(gh('repos/admin/none'), { stderr: /^gh: Not Found \(HTTP 404\)/ });
  await assert.rejects(gh('user/repos', '-f', 'name=..'), { stderr: /Validation Failed.*HTTP 422/s });
});
