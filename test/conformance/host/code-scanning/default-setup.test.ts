// The default setup of code scanning: its languages, its changes, who may make them, and both versions. Rule H22.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { needsGit } from '../../../../src/host/git/fixture-repository.ts';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import { dirname } from 'node:path';
import { ADMIN_TOKEN, startServer, type Answer, type Json, type TestServer } from '../../../server.ts';

const NEW = { 'x-host-api-version': '2026-03-10' };
const FILES = {
  'main.ts': 'export {};',
  'a.js': 'let a;',
  'b.cpp': 'int b;',
  'c.go': 'package c',
  '.github/workflows/ci.yml': 'on: push',
};
const FOUND = ['actions', 'c-cpp', 'go', 'javascript-typescript'];

onEachEngine(({ kind, database }) => {
  describe('the default setup of code scanning', needsGit, () => {
    let server: TestServer;
    let ada: HostPerson;
    let eve: HostPerson;
    const setupOf = (name: string) => `/repos/ada/${name}/code-scanning/default-setup`;
    const path = setupOf('mixed');
    const read = async (at = path): Promise<Json> => {
      const { status, text, json } = await ada.call(at, { headers: NEW });
      assert.equal(status, 200, text);
      return json;
    };
    const change = (body: unknown, at = path) => ada.patch(at, body);
    const configured = (at = path) => eventually(async () => (await read(at))['state'] === 'configured');

    before(async () => {
      const location = await database();
      server = await startServer(kind === 'sqlite' ? { data: dirname(location) } : { database: location });
      [ada, eve] = [await joinHost(server, 'ada'), await joinHost(server, 'eve')];
      await ada.repository('mixed');
      await ada.repository('empty', { private: true });
      for (const [file, content] of Object.entries(FILES)) {
        const body = { message: 'add', content: Buffer.from(content).toString('base64') };
        assert.equal((await ada.put(`/repos/ada/mixed/contents/${file}`, body)).status, 201);
      }
      await eventually(async () => (await read())['languages'].join() === FOUND.join());
    });
    after(() => server.stop());

    test('H22 lists the combined language in the new version, and three sorted names in the old one', async () => {
      assert.deepEqual(await read(), {
        state: 'not-configured',
        languages: FOUND,
        runner_type: null,
        runner_label: null,
        query_suite: 'default',
        threat_model: 'remote',
        updated_at: null,
        schedule: null,
      });
      const { json, headers } = await ada.get(path);
      assert.deepEqual(json['languages'], [
        'actions',
        'c-cpp',
        'go',
        'javascript',
        'javascript-typescript',
        'typescript',
      ]);
      assert.match(headers.get('link')!, /rel="deprecation"/);
      const byNumber = await ada.get(
        `/repositories/${(await ada.get('/repos/ada/mixed')).json['id']}/code-scanning/default-setup`,
      );
      assert.deepEqual(byNumber.json, json);
    });

    test('H22 a repository without languages has none in either version, and cannot be configured', async () => {
      const at = setupOf('empty');
      assert.deepEqual((await read(at))['languages'], []);
      assert.deepEqual((await ada.get(at)).json['languages'], []);
      const { status, json } = await change({ state: 'configured' }, at);
      assert.equal(status, 422);
      assert.match(json['message'], /no languages/);
    });

    test('H22 is configured in the background: 202 first, then in force; the same again is 200', async () => {
      const sent = {
        state: 'configured',
        query_suite: 'extended',
        languages: ['go', 'javascript-typescript', 'go'],
      };
      const { status, json } = await change(sent);
      assert.equal(status, 202);
      assert.ok(Number.isSafeInteger(json['run_id']));
      assert.equal(json['run_url'], `${server.url}${path}`);
      await configured();
      const setup = await read();
      assert.match(setup['updated_at'], /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      assert.deepEqual(setup, {
        ...setup,
        languages: ['go', 'javascript-typescript'],
        query_suite: 'extended',
        threat_model: 'remote',
        runner_type: 'standard',
        runner_label: null,
        schedule: 'weekly',
      });
      assert.deepEqual((await ada.get(path)).json['languages'], [
        'go',
        'javascript',
        'javascript-typescript',
        'typescript',
      ]);
      const again = await change(sent);
      assert.deepEqual([again.status, again.json], [200, {}]);
      assert.deepEqual(await read(), setup);
    });

    test('while it is being configured other changes are 409, and nothing is lost', async () => {
      const first = { runner_type: 'labeled', runner_label: 'large', threat_model: 'remote_and_local' };
      const answers: Answer[] = await Promise.all([
        change(first),
        ...[1, 2, 3].map(() => change({ query_suite: 'default' })),
      ]);
      for (const { status } of answers) assert.ok([202, 200, 409].includes(status), `${status}`);
      assert.ok(answers.some(({ status }) => status === 202));
      await eventually(async () => (await change(first)).status === 200);
      const setup = await read();
      assert.deepEqual([setup['runner_type'], setup['runner_label']], ['labeled', 'large']);
      assert.equal(setup['threat_model'], 'remote_and_local');
      const { status } = await change({ runner_type: 'standard' });
      assert.equal(status, 202);
      await eventually(async () => (await read())['runner_label'] === null);
    });

    test('what cannot be is 422, and changes nothing', async () => {
      const setup = await read();
      const bad: unknown[] = [
        {},
        { state: 'on' },
        { languages: ['python'] },
        { languages: ['javascript'] },
        { languages: [] },
        { languages: 'go' },
        { languages: Array(101).fill('go') },
        { query_suite: 'all' },
        { threat_model: 1 },
        { runner_type: 'labeled' },
        { runner_type: 'labeled', runner_label: '' },
        { runner_type: 'standard', runner_label: 'x' },
        { runner_type: 'labeled', runner_label: 'x'.repeat(256) },
        { runner_type: 'labeled', runner_label: 'a\0b' },
      ];
      for (const body of bad) {
        const { status, text } = await change(body);
        assert.equal(status, 422, `${JSON.stringify(body)}: ${text}`);
      }
      assert.equal((await ada.call(path, { method: 'PATCH', body: '[1' })).status, 400);
      assert.equal((await ada.post(path, {})).status, 404);
      assert.equal((await change({ query_suite: 'extended' }, setupOf('empty'))).status, 422);
      assert.deepEqual(await read(), setup);
    });

    test('only admins of the repository read and change it; private names stay unknown', async () => {
      const body = { state: 'not-configured' };
      for (const method of ['GET', 'PATCH']) {
        const init = { method, ...(method === 'PATCH' && { body }) };
        assert.equal((await eve.call(path, init)).status, 403);
        assert.equal((await server.call(path, { ...init, token: null })).status, 401);
        assert.equal((await server.call(path, { ...init, token: 'wrong' })).status, 401);
        assert.equal((await eve.call(setupOf('empty'), init)).status, 404);
        assert.equal((await eve.call(setupOf('missing'), init)).status, 404);
      }
      assert.equal((await eve.patch(setupOf('empty'), { state: 1 })).status, 404, 'also before validation');
      const policy = [{ effect: 'allow', actions: ['viewRepository'], resources: ['repo/*'] }];
      const made = await server.call('/api/v2/tokens', {
        method: 'POST',
        token: ADMIN_TOKEN,
        body: { name: 'narrow', inlineRole: policy },
      });
      assert.equal(made.status, 201, made.text);
      assert.equal((await server.call(path, { token: made.json['token'] })).status, 403);
      assert.equal((await read())['state'], 'configured');
    });

    test('it is switched off at once, and the archived repository keeps it', async () => {
      const { status, json } = await change({ state: 'not-configured' });
      assert.deepEqual([status, json], [200, {}]);
      const setup = await read();
      assert.deepEqual(
        [setup['state'], setup['languages'], setup['schedule']],
        ['not-configured', FOUND, null],
      );
      assert.equal((await ada.patch('/repos/ada/mixed', { archived: true })).status, 200);
      const refused = await change({ state: 'configured' });
      assert.equal(refused.status, 403);
      assert.match(refused.json['message'], /archived/);
      assert.equal((await ada.get(path)).status, 200);
      assert.equal((await ada.delete('/repos/ada/mixed')).status, 204);
      assert.equal((await ada.get(path)).status, 404);
    });
  });
});
