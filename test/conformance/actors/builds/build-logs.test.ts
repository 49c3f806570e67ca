// Logs of builds of public Actors, as other accounts read them. Rule A7.
import assert from 'node:assert/strict';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openLogWriter } from '../../../../src/actors/logs/log-writer.ts';
import { onEachEngine } from '../../../engines.ts';
import { giveToken, join as joinServer } from '../../../people.ts';
import { type Json, type TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { createActor, versionOf } from './build-calls.ts';

const SECRET = 'p4ss+wörd/"x"';
const KEY = `-----BEGIN KEY-----\nYWJjZGVmZ2hpamts\n-----END KEY-----`;
const VERSION = versionOf(
  { 'main.js': '' },
  {
    applyEnvVarsToBuild: true,
    envVars: [
      { name: 'TOKEN', value: SECRET, isSecret: true },
      { name: 'KEY', value: KEY, isSecret: true },
      { name: 'PIN', value: '7', isSecret: true },
      { name: 'MIRROR', value: 'https://mirror.test/npm' },
      { name: 'LEVEL', value: 'on' },
    ],
  },
);

onEachEngine((engine) => {
  let server: TestServer;
  let token: string;
  before(async () => {
    // No node executes the builds: each test writes what one would print.
    server = await startServerOn(engine, { limits: 'off', role: 'api' });
    token = (await giveToken(server, await joinServer(server, 'stranger'), {})).value;
  });
  after(() => server.stop());

  /** The id of a build that prints this. */
  async function buildOf(actor: Json, output: string): Promise<string> {
    const { kernel } = server.app;
    const path = `/v2/actors/${actor['id']}/builds?version=0.1`;
    const id = (await server.call(path, { method: 'POST' })).json['data'].id as string;
    const writer = await openLogWriter(kernel, {
      id,
      folder: join(kernel.settings.execution.work, 'runs', id),
    });
    await appendFile(writer.file, output);
    await writer.end();
    await kernel.db
      .updateTable('builds')
      .set({ status: 'SUCCEEDED', finished_at: kernel.clock.now() })
      .where('id', '=', id)
      .execute();
    return id;
  }

  const pathsOf = (id: string, actor: Json) => [
    `/v2/logs/${id}`,
    `/v2/logs/${id}?stream=1`,
    `/v2/actor-builds/${id}/log`,
    `/v2/actors/${actor['id']}/builds/${id}/log`,
  ];
  const withoutTimes = (text: string) => text.replaceAll(/^\S{24} /gm, '');

  test('A7 the log of a build of a public Actor is readable for whom the build is', async () => {
    const actor = await createActor(server, VERSION, { isPublic: true });
    const id = await buildOf(actor, 'compiled 3 files\n');
    for (const path of pathsOf(id, actor)) {
      const { status, text } = await server.call(path, { token });
      assert.deepEqual([status, withoutTimes(text)], [200, 'compiled 3 files\n'], path);
      assert.equal((await server.call(path, { token: null })).status, 401, path);
    }
  });

  test('A7 the log of a build of a private Actor is the owner’s alone, also when the Actor was public before', async () => {
    const actor = await createActor(server, VERSION, { isPublic: true });
    const id = await buildOf(actor, 'compiled 3 files\n');
    await server.call(`/v2/actors/${actor['id']}`, { method: 'PUT', body: { isPublic: false } });
    for (const path of pathsOf(id, actor)) {
      const { status, json } = await server.call(path, { token });
      assert.deepEqual([status, json['error'].type], [404, 'record-not-found'], path);
      assert.equal((await server.call(path)).status, 200, path);
    }
  });

  test('A7 others read the log without the values of environment variables, in whatever form', async () => {
    const actor = await createActor(server, VERSION, { isPublic: true });
    const forms = [
      SECRET,
      JSON.stringify(SECRET).slice(1, -1),
      encodeURIComponent(SECRET),
      Buffer.from(SECRET).toString('base64'),
      Buffer.from(SECRET).toString('base64url'),
      'https://mirror.test/npm',
    ];
    const output = `${forms.map((form) => `a ${form} b\n`).join('')}${KEY}\n\u001B[31m${SECRET}\u001B[0m\nlevel on, pin 7\nno newline ${SECRET}`;
    const id = await buildOf(actor, output);
    for (const path of pathsOf(id, actor)) {
      const { text } = await server.call(path, { token });
      assert.equal(
        withoutTimes(text),
        `${'a *** b\n'.repeat(forms.length)}***\n***\n***\n***\nlevel on, pin ***\nno newline ***\n`,
        path,
      );
      assert.ok((await server.call(path)).text.includes(SECRET), path);
    }
    const raw = await server.call(`/v2/logs/${id}?raw=1`, { token });
    assert.ok(!raw.text.includes(SECRET));
    assert.ok(raw.text.includes('\u001B[31m***\u001B[0m'));
  });

  test('A7 a value that stands in two pieces of a long log is masked too', async () => {
    const actor = await createActor(server, VERSION, { isPublic: true });
    const line = `${'x'.repeat(50)} ${SECRET} ${'y'.repeat(40)}\n`;
    const id = await buildOf(actor, line.repeat(20_000));
    const { text } = await server.call(`/v2/logs/${id}`, { token });
    assert.ok(!text.includes('wörd'));
    assert.equal(text.match(/\*\*\*/g)?.length, 20_000);
  });

  test('A7 others do not learn the repository that a build reads', async () => {
    const actor = await createActor(server, VERSION, { isPublic: true });
    const id = await buildOf(actor, 'ACTOR: Reading the repository admin/hidden of this server.\n');
    const { text } = await server.call(`/v2/logs/${id}`, { token });
    assert.equal(withoutTimes(text), 'ACTOR: Reading the repository *** of this server.\n');
  });

  test('A7 the log of a build of an earlier release stays the owner’s: it was printed as a private one', async () => {
    const actor = await createActor(server, VERSION, { isPublic: true });
    const id = await buildOf(actor, 'compiled 3 files\n');
    const { db } = server.app.kernel;
    await db.updateTable('builds').set({ has_public_log: 0 }).where('id', '=', id).execute();
    assert.equal((await server.call(`/v2/logs/${id}`, { token })).status, 404);
    assert.equal((await server.call(`/v2/actor-builds/${id}`, { token })).status, 200);
    assert.equal((await server.call(`/v2/logs/${id}`)).status, 200);
  });
});
