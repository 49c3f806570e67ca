// The alerts of an organization on a running server, on both engines: whose they are, who sees them, and where they go.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { needsGit } from '../../../../src/host/git/fixture-repository.ts';
import { makeApp } from '../../../app-people.ts';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import { giveToken } from '../../../people.ts';
import type { Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { createTestOrganization } from '../organization-calls.ts';
import { analyze, packed, sarifOf, uploadBytes, type UploadPlace } from './scanning-calls.ts';

if (needsGit.skip === false)
  onEachEngine((engine) => {
    let server: TestServer;
    let ada: HostPerson;
    let bob: HostPerson;
    let one: UploadPlace;
    let two: UploadPlace;
    before(async () => {
      server = await startServerOn(engine, { limits: 'off' });
      ada = await joinHost(server, 'ada');
      bob = await joinHost(server, 'bob');
      await createTestOrganization(server, 'acme', { admin: 'ada', members: ['bob'] });
      one = await newPlace('acme', 'one');
      two = await newPlace('acme', 'two', { private: true });
      await analyze(one, [{ hash: 'a' }, { hash: 'b' }]);
      await analyze(two, [{ hash: 'a' }, { hash: 'c' }]);
      await analyze({ ...two, ref: 'refs/heads/topic' }, [{ hash: 'd' }]);
      await analyze(one, [{ hash: 'b' }]);
      await ada.patch(`${two.at}/code-scanning/alerts/2`, {
        state: 'dismissed',
        dismissed_reason: 'used in tests',
      });
    });

    after(() => server.stop());

    async function newPlace(owner: string, name: string, fields: Json = {}): Promise<UploadPlace> {
      const at = `/repos/${owner}/${name}`;
      const path = owner === 'ada' ? '/user/repos' : `/orgs/${owner}/repos`;
      await ada.post(path, { name, auto_init: true, ...fields });
      const { json } = await ada.get(`${at}/git/ref/heads/main`);
      return { person: ada, at, sha: json['object'].sha as string };
    }

    const PATH = '/orgs/acme/code-scanning/alerts';
    const shownIn = (json: Json) =>
      (json as unknown as Json[]).map((alert) => `${alert['repository'].name} ${alert['number']}`);
    const shown = async (query = '', person = ada) => {
      const { status, text, json } = await person.get(PATH + query);
      assert.equal(status, 200, text);
      return shownIn(json);
    };

    test('alerts are those on the default branches of its repositories, the newest first', async () => {
      assert.deepEqual(await shown(), ['two 2', 'two 1', 'one 2', 'one 1']);
      assert.deepEqual(await shown('?direction=asc'), ['one 1', 'one 2', 'two 1', 'two 2']);
      assert.deepEqual(await shown('?sort=updated'), ['two 2', 'one 1', 'two 1', 'one 2']);
      assert.deepEqual(await shown('?state=open'), ['two 1', 'one 2']);
      assert.deepEqual(await shown('?state=closed'), ['two 2', 'one 1']);
      assert.deepEqual(await shown('?state=dismissed&severity=high&tool_name=Linter'), ['two 2']);
      assert.deepEqual(await shown('?tool_name=Other'), []);
      const [alert] = (await ada.get(PATH)).json as unknown as Json[];
      const { repository, ...rest } = alert!;
      const { json: single } = await ada.get(`${two.at}/code-scanning/alerts/2`);
      assert.equal(single['rule'].help, null);
      assert.deepEqual({ ...rest, rule: { ...rest['rule'], help: null } }, single);
      assert.equal(repository.private, true);
      assert.equal('has_downloads' in repository, false);
    });

    test('alerts have pages and cursors', async () => {
      assert.deepEqual(await shown('?per_page=3&page=2'), ['one 1']);
      for (const sort of ['created', 'updated']) {
        const all = await shown(`?sort=${sort}`);
        const seen: string[] = [];
        let path: string | undefined = `${PATH}?sort=${sort}&per_page=2&after=`;
        while (path !== undefined) {
          const { json, headers } = await ada.get(path);
          seen.push(...shownIn(json));
          path = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]?.slice(server.url.length);
        }
        assert.deepEqual(seen, all);
      }
      assert.equal((await ada.get(`${PATH}?after=nonsense`)).status, 422);
      assert.equal((await ada.get(`${PATH}?state=nice`)).status, 422);
    });

    test('alerts are for its admins, and for tokens that may see them', async () => {
      assert.equal((await bob.get(PATH)).status, 403);
      assert.equal((await bob.get(`${PATH}?state=nice`)).status, 403);
      assert.equal((await server.call(PATH, { token: null })).status, 401);
      assert.equal((await ada.get('/orgs/nobody/code-scanning/alerts')).status, 404);
      assert.equal((await ada.post(PATH)).status, 404);
      const withPolicy = async (resources: string[], hidden = 'repo/acme/none') => {
        const inlinePolicy = [
          { effect: 'allow' as const, actions: ['*'], resources },
          { effect: 'deny' as const, actions: ['viewRepository'], resources: [hidden] },
        ];
        const { value: token } = await giveToken(server, ada.member, { inlinePolicy });
        return { ...ada, get: (path: string) => server.call(path, { token }) };
      };
      assert.equal((await (await withPolicy(['repo/acme/*'])).get(PATH)).status, 403);
      assert.deepEqual(await shown('', await withPolicy(['org/acme', 'repo/acme/one'])), ['one 2', 'one 1']);
      assert.deepEqual(await shown('', await withPolicy(['*'], 'repo/acme/two')), ['one 2', 'one 1']);
    });

    test('alerts of all repositories are those that one may write to, in pages, narrowed by what is asked', async () => {
      const ALL = '/signalbox/v1/code-scanning/alerts';
      const read = async (query = '', person = ada) => {
        const { status, text, json } = await person.get(ALL + query);
        assert.equal(status, 200, text);
        return json;
      };
      const names = (json: Json) =>
        (json['items'] as Json[]).map(({ repository, number }) => `${repository.name} ${number}`);
      const own = await newPlace('ada', 'mine');
      await analyze(own, [{ hash: 'o' }]);
      const everything = ['mine 1', 'two 2', 'two 1', 'one 2', 'one 1'];
      assert.deepEqual(names(await read()), everything);
      const seen: string[] = [];
      let next: string | undefined = '';
      while (next !== undefined) {
        const page: Json = await read(`?limit=2${next === '' ? '' : `&cursor=${next}`}`);
        seen.push(...names(page));
        next = page['next'] as string | undefined;
      }
      assert.deepEqual(seen, everything);
      assert.deepEqual(names(await read('?state=open')), ['mine 1', 'two 1', 'one 2']);
      assert.deepEqual(names(await read('?state=dismissed&severity=high&tool=Linter')), ['two 2']);
      assert.deepEqual(names(await read('?tool=Other')), []);
      const [first] = (await read())['items'] as Json[];
      const { json: single } = await ada.get(`${own.at}/code-scanning/alerts/1`);
      const { most_recent_instance: instance } = single;
      assert.deepEqual(first, {
        repository: { owner: 'ada', name: 'mine' },
        number: 1,
        state: 'open',
        rule: { id: single['rule'].id, description: single['rule'].description },
        severity: single['rule'].security_severity_level ?? single['rule'].severity,
        tool: 'Linter',
        path: instance.location.path,
        line: instance.location.start_line,
        createdAt: first!['createdAt'],
      });

      // Members read what is in the organization; by a grant they write to one repository of it.
      assert.deepEqual(names(await read('', bob)), []);
      await ada.put(`${one.at}/collaborators/bob`, { permission: 'pull' });
      assert.deepEqual(names(await read('', bob)), [], 'reading is not enough');
      await ada.put(`${one.at}/collaborators/bob`, { permission: 'push' });
      assert.deepEqual(names(await read('', bob)), ['one 2', 'one 1']);
      await ada.delete(`${one.at}/collaborators/bob`);
      assert.deepEqual(names(await read('', bob)), []);
      const inlinePolicy = [
        { effect: 'allow' as const, actions: ['*'], resources: ['*'] },
        { effect: 'deny' as const, actions: ['viewCodeScanning'], resources: ['repo/acme/two'] },
      ];
      const { value: token } = await giveToken(server, ada.member, { inlinePolicy });
      const narrow = await server.call(ALL, { token });
      assert.deepEqual(names(narrow.json), ['mine 1', 'one 2', 'one 1']);
      for (const query of ['?cursor=nonsense', '?state=closed', '?severity=dire'])
        assert.equal((await ada.get(ALL + query)).status, 422, query);
      assert.equal((await server.call(ALL, { token: null })).status, 401);
      await ada.delete(own.at);
    });

    test('alerts are shown to an app as far as it reaches; its permission is enough to upload', async () => {
      const app = await makeApp(server, 'ada', {
        name: 'Scanner',
        permissions: { security_events: 'write', metadata: 'read' },
      });
      const { json } = await ada.get(one.at);
      const token = await app.token(await app.install('acme', [json['id'] as number]));
      const call = (path: string, body?: unknown) =>
        server.call(path, { token, ...(body !== undefined && { method: 'POST', body }) });
      const program = { ...ada, get: call, post: call };
      assert.deepEqual(await shown('', program), ['one 2', 'one 1']);
      await analyze({ ...one, person: program }, [{ hash: 'b' }]);
      assert.equal((await uploadBytes({ ...two, person: program }, packed(sarifOf([])))).status, 404);
      const reader = await app.token(await app.install('ada'), { permissions: { metadata: 'read' } });
      const place = await newPlace('ada', 'own');
      const refused = await server.call(`${place.at}/code-scanning/alerts`, { token: reader });
      assert.equal(refused.status, 403);
    });

    test('alerts follow the default branch and the owner of a repository', async () => {
      const { status } = await ada.post(`${two.at}/git/refs`, { ref: 'refs/heads/topic', sha: two.sha });
      assert.equal(status, 201);
      await ada.patch(two.at, { default_branch: 'topic' });
      assert.ok(!(await shown()).includes('two 1'));
      await eventually(async () => (await shown()).includes('two 3'), 'the alerts of the other branch');
      assert.deepEqual(await shown(), ['two 3', 'one 2', 'one 1']);
      const moved = await ada.post(`${two.at}/transfer`, { new_owner: 'ada' });
      assert.equal(moved.status, 202, moved.text);
      assert.deepEqual(await shown(), ['one 2', 'one 1']);
      const back = await ada.post('/repos/ada/two/transfer', { new_owner: 'acme' });
      assert.equal(back.status, 202, back.text);
      await eventually(async () => (await shown()).includes('two 3'), 'the alerts after the transfer');
    });
  });
