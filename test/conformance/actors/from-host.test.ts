// Actors whose sources are a repository of the same server: built without HTTP, and by pushes where they ask for it.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { needsGit } from '../../../src/host/git/fixture-repository.ts';
import { onEachEngine } from '../../engines.ts';
import { eventually } from '../../eventually.ts';
import { joinHost, type HostPerson } from '../../host-people.ts';
import { giveToken } from '../../people.ts';
import type { Json, TestServer } from '../../server.ts';
import { startServerOn } from '../../suites.ts';

onEachEngine((engine) => {
  describe('an Actor from a repository', needsGit, () => {
    let server: TestServer;
    let ann: HostPerson;
    let bob: HostPerson;
    before(async () => {
      // Without HTTP: loopback addresses are refused for everything that is fetched.
      server = await startServerOn(engine, { limits: 'off' });
      [ann, bob] = [await joinHost(server, 'ann'), await joinHost(server, 'bob')];
    });
    after(() => server.stop());

    async function put(
      person: HostPerson,
      repo: string,
      path: string,
      text: string,
      more: Json = {},
    ): Promise<void> {
      const body = { message: `write ${path}`, content: Buffer.from(text).toString('base64'), ...more };
      const answer = await person.put(`/repos/${repo}/contents/${path}`, body);
      assert.ok(answer.status < 300, answer.text);
    }

    async function createSources(person: HostPerson, name: string, fields: Json = {}): Promise<string> {
      await person.repository(name, fields);
      const repo = `${person.login}/${name}`;
      await put(person, repo, 'actors/one/package.json', '{"scripts":{"start":"node main.js"}}');
      await put(person, repo, 'actors/one/main.js', 'console.log("one")');
      await put(person, repo, '.gitattributes', '*.js export-ignore\n');
      return repo;
    }

    async function createActor(
      person: HostPerson,
      name: string,
      gitRepoUrl: string,
      more: Json = {},
    ): Promise<string> {
      const version = {
        versionNumber: '0.1',
        sourceType: 'GIT_REPO',
        gitRepoUrl,
        buildTag: 'latest',
        ...more,
      };
      const { status, text, json } = await person.post('/v2/actors', { name, versions: [version] });
      assert.equal(status, 201, text);
      assert.equal(json['data'].versions[0].buildOnPush, more['buildOnPush']);
      return json['data'].id as string;
    }

    async function ended(
      person: HostPerson,
      id: string,
    ): Promise<{ status: string; log: string; origin: string }> {
      let shown: Json = {};
      await eventually(async () => {
        shown = (await person.get(`/v2/actor-builds/${id}?waitForFinish=60`)).json['data'] as Json;
        return shown['finishedAt'] != null;
      }, 'the end of the build');
      const log = (await person.get(`/v2/logs/${id}`)).text;
      return { status: shown['status'] as string, log, origin: shown['meta'].origin as string };
    }

    async function build(person: HostPerson, actor: string) {
      const { status, text, json } = await person.post(`/v2/actors/${actor}/builds?version=0.1`);
      assert.equal(status, 201, text);
      return await ended(person, json['data'].id as string);
    }

    const buildsOf = async (person: HostPerson, actor: string): Promise<string[]> =>
      ((await person.get(`/v2/actors/${actor}/builds`)).json['data'].items as Json[]).map(
        ({ id }) => id as string,
      );
    const dueBuilds = async () =>
      await server.app.kernel.db
        .selectFrom('due')
        .select('id')
        .where('kind', '=', 'actors.build-on-push')
        .execute();

    /** A link that leads out of the folder, on a branch of its own. */
    async function addLink(person: HostPerson, repo: string): Promise<void> {
      const { json: head } = await person.get(`/repos/${repo}/commits/main`);
      const entry = { path: 'actors/one/secrets', mode: '120000', type: 'blob', content: '/etc/passwd' };
      const base = { base_tree: head['commit'].tree.sha as string, tree: [entry] };
      const { json: tree } = await person.post(`/repos/${repo}/git/trees`, base);
      const commit = { message: 'link', tree: tree['sha'] as string, parents: [head['sha'] as string] };
      const { json: made } = await person.post(`/repos/${repo}/git/commits`, commit);
      const ref = { ref: 'refs/heads/linked', sha: made['sha'] as string };
      assert.equal((await person.post(`/repos/${repo}/git/refs`, ref)).status, 201);
    }

    test('is built from a branch and a folder, with the permissions of its owner', async () => {
      const repo = await createSources(ann, 'closed', { private: true });
      const { port } = new URL(server.url);
      const address = `http://localhost:${port}/${repo}.git#main:actors/one`;
      const actor = await createActor(ann, 'mine', address);
      const good = await build(ann, actor);
      assert.equal(good.status, 'SUCCEEDED', good.log);
      assert.match(good.log, /Reading the repository ann\/closed of this server\.[^]*Commit [0-9a-f]{40}/);

      const stolen = await build(bob, await createActor(bob, 'stolen', address));
      assert.equal(stolen.status, 'FAILED');
      assert.match(stolen.log, /no repository ann\/closed, or the owner of the Actor may not read it/);
      const withToken = `http://x:${ann.token}@127.0.0.1:${port}/${repo}#main:actors/one`;
      const granted = await build(bob, await createActor(bob, 'granted', withToken));
      assert.equal(granted.status, 'SUCCEEDED', granted.log);
      assert.ok(!granted.log.includes(ann.token));

      for (const [name, end, words] of [
        ['no-branch', '#nope', /no branch, tag or commit "nope"/],
        ['no-folder', '#main:nope', /no folder "nope"/],
      ] as const) {
        const { status, log } = await build(ann, await createActor(ann, name, `${server.url}/${repo}${end}`));
        assert.equal(status, 'FAILED');
        assert.match(log, words);
      }

      await addLink(ann, repo);
      const linked = await build(
        ann,
        await createActor(ann, 'linked', `${server.url}/${repo}#linked:actors/one`),
      );
      assert.equal(linked.status, 'SUCCEEDED', linked.log);
      assert.match(linked.log, /Left out the link "secrets"/);

      assert.equal((await ann.patch(`/repos/${repo}`, { name: 'renamed' })).status, 200);
      assert.equal((await build(ann, actor)).status, 'SUCCEEDED');
    });

    test('is built once by each push to its branch, where it asks for that', async () => {
      const repo = await createSources(ann, 'pushed');
      const address = `${server.url}/${repo}`;
      const asking = await createActor(ann, 'asking', `${address}#:actors/one`, { buildOnPush: true });
      const silent = await createActor(ann, 'silent', `${address}#:actors/one`);
      const elsewhere = await createActor(ann, 'elsewhere', `${address}#other:actors/one`, {
        buildOnPush: true,
      });
      await put(ann, repo, 'actors/one/more.js', '1');
      await eventually(async () => (await buildsOf(ann, asking)).length === 1, 'the build of the push');
      const [first] = await buildsOf(ann, asking);
      const { status, log, origin } = await ended(ann, first!);
      assert.equal(status, 'SUCCEEDED', log);
      assert.equal(origin, 'WEBHOOK');
      assert.deepEqual([await buildsOf(ann, silent), await buildsOf(ann, elsewhere)], [[], []]);

      assert.equal((await ann.patch(`/repos/${repo}`, { name: 'pushed-again' })).status, 200);
      const head = (await ann.get('/repos/ann/pushed-again/git/ref/heads/main')).json['object'].sha as string;
      const created = await ann.post('/repos/ann/pushed-again/git/refs', {
        ref: 'refs/heads/other',
        sha: head,
      });
      assert.equal(created.status, 201, created.text);
      await eventually(
        async () => (await buildsOf(ann, elsewhere)).length === 1,
        'the build of the new branch',
      );
      assert.equal((await buildsOf(ann, asking)).length, 1);

      const off = await ann.put(`/v2/actors/${asking}/versions/0.1`, { buildOnPush: false });
      assert.equal(off.json['data'].buildOnPush, undefined);
      await put(ann, 'ann/pushed-again', 'actors/one/last.js', '1');
      await eventually(async () => (await dueBuilds()).length === 0);
      assert.equal((await buildsOf(ann, asking)).length, 1);
    });

    test('is not built by pushes to what its owner may not read, and its owner learns nothing', async () => {
      const repo = await createSources(ann, 'hidden', { private: true });
      const actor = await createActor(bob, 'curious', `${server.url}/${repo}`, { buildOnPush: true });
      await put(ann, repo, 'secret.txt', '1');
      await eventually(async () => (await dueBuilds()).length === 0);
      assert.deepEqual(await buildsOf(bob, actor), []);
    });

    test('is built from what the token that asks for it may read, by pushes from what its saver may', async () => {
      const repo = await createSources(ann, 'narrowly', { private: true });
      const resources = ['actor/*', 'actor-build/*', 'actor-run/*'];
      const policy = [{ effect: 'allow' as const, actions: ['*'], resources }];
      const { value } = await giveToken(server, ann.member, { inlinePolicy: policy });
      const post = (path: string, body?: unknown) =>
        ann.call(path, { method: 'POST', token: value, ...(body !== undefined && { body }) });
      const narrow: HostPerson = { ...ann, token: value, post };
      const address = `${server.url}/${repo}#:actors/one`;
      const actor = await createActor(narrow, 'narrow', address, { buildOnPush: true });
      const refused = await build(narrow, actor);
      assert.equal(refused.status, 'FAILED');
      assert.match(refused.log, /may not read it with the token that asked for the build\./);
      assert.equal((await build(ann, actor)).status, 'SUCCEEDED');
      await put(ann, repo, 'actors/one/first.js', '1');
      await eventually(async () => (await dueBuilds()).length === 0);
      assert.equal((await buildsOf(ann, actor)).length, 2, 'the push has built nothing');
      assert.equal((await ann.put(`/v2/actors/${actor}/versions/0.1`, { buildTag: 'latest' })).status, 200);
      await put(ann, repo, 'actors/one/second.js', '1');
      await eventually(async () => (await buildsOf(ann, actor)).length === 3, 'the build of the push');

      const { json: made } = await ann.post('/v2/key-value-stores');
      const record = `/v2/key-value-stores/${made['data'].id}/records/sources.zip`;
      assert.equal((await ann.put(record, 'no archive')).status, 201);
      const version = { versionNumber: '0.1', sourceType: 'TARBALL', tarballUrl: server.url + record };
      const archive = await narrow.post('/v2/actors', { name: 'archive', versions: [version] });
      const stolen = await build(narrow, archive.json['data'].id as string);
      assert.match(stolen.log, /may not read the key-value store with the sources\./);
      const own = await build(ann, archive.json['data'].id as string);
      assert.doesNotMatch(own.log, /may not read/);
    });
  });
});
