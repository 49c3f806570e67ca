// The bundle that the npm package holds: it runs by itself, and the licences of what is inside it travel along.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { bundleInto } from '../scripts/bundle.ts';
import { startServer, statusOf } from '../src/cli/fixture.ts';
import manifest from '../package.json' with { type: 'json' };

const folder = mkdtempSync(join(tmpdir(), 'signalbox-package-'));
after(() => rmSync(folder, { recursive: true, force: true }));

let bin: string;
before(async () => {
  ({ bin } = await bundleInto(join(folder, 'dist')));
});

test('a bundle far from any package starts, answers and stops', async () => {
  const server = await startServer(join(folder, 'data'), [], {}, bin);
  const { status, version } = (await (await fetch(`${server.url}/healthz`)).json()) as Record<string, string>;
  assert.deepEqual([status, version], ['ok', manifest.version]);
  assert.equal(await statusOf(server.url, server.token!), 200);
  // Loads the compiler of schemas, which the sources load late.
  const wrong = await fetch(`${server.url}/api/v2/projects`, {
    method: 'POST',
    headers: { authorization: server.token!, 'content-type': 'application/json' },
    body: '{}',
  });
  assert.equal(wrong.status, 400);
  assert.match(await wrong.text(), /key/);
  server.kill('SIGTERM');
  assert.equal((await server.ended).code, 0);
});

test('the licence of every package inside is there', () => {
  const [, ...notices] = readFileSync(join(folder, 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8').split(
    /\n-{80}\n/,
  );
  const names = notices.map((notice) => /^(\S+) \d/m.exec(notice)?.[1]);
  // With a file of its own, with words in its description, and with a name of a licence alone.
  for (const name of ['fastify', 'pg-types', 'abstract-logging']) assert.ok(names.includes(name), name);
  for (const [index, notice] of notices.entries()) {
    assert.ok(/permission|redistribution/i.test(notice) && /copyright/i.test(notice), names[index]);
  }
});
