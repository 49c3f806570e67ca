// Eight clients on one app at the same time, on all nodes: it is changed, suspended and deleted while they ask for tokens.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Installation } from '../../../../src/host/apps/app.ts';
import { generateAppKeys, type NewAppKeys } from '../../../../src/host/apps/change-app.ts';
import { createInstallation } from '../../../../src/host/apps/change-installation.ts';
import { removeApp } from '../../../../src/host/apps/remove-app.ts';
import { findOwner } from '../../../../src/host/owners/store.ts';
import { systemActor } from '../../../../src/kernel/identity/actor.ts';
import type { ChangeTransaction } from '../../../../src/kernel/change/changes.ts';
import { AppBrowser, tokenIn } from '../../../app-forms.ts';
import { makeApp, signedJwt, type TestApp } from '../../../app-people.ts';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import type { CallInit, Json, TestServer } from '../../../server.ts';
import { startNodes, type Nodes } from '../../../suites.ts';
import { createTestOrganization, giveRepository } from '../organization-calls.ts';

const CLIENTS = 8;
const ROUNDS = 6;

onEachEngine((engine) => {
  let nodes: Nodes;
  let server: TestServer;
  let keys: NewAppKeys;
  let ada: HostPerson;
  let shop: number;
  let other: number;

  before(async () => {
    nodes = await startNodes(engine);
    ({ server } = nodes);
    keys = await generateAppKeys(server.app.kernel, true);
    ada = await joinHost(server, 'ada');
    shop = await giveRepository(server, 'ada', 'shop');
    other = await giveRepository(server, 'ada', 'other');
  });
  after(() => nodes.stop());

  async function makeInstalled(name: string): Promise<{ app: TestApp; installation: Installation }> {
    // The webhook is off, so that nothing is sent.
    const hook = {
      url: 'https://example.com/hook',
      isActive: false,
      contentType: 'json',
      insecureSsl: false,
    };
    const app = await makeApp(
      server,
      'ada',
      { name, permissions: { contents: 'read' }, hook: { ...hook, contentType: 'json' } },
      keys,
    );
    return { app, installation: await app.install('ada', [shop]) };
  }

  /** Clients use both nodes, if there are two. */
  const nodeOf = (client: number) => (client % 2 === 0 ? server : (nodes.other ?? server));
  const change = <T>(work: (tx: ChangeTransaction) => Promise<T>) =>
    server.app.kernel.changes.run(systemActor({ now: server.clock.now() }), work);

  /** The rows of an installation and its tokens. */
  async function countRows({ number }: Pick<Installation, 'number'>): Promise<number> {
    const { db } = server.app.kernel;
    const rows = await Promise.all([
      db.selectFrom('host_installations').select('number').where('number', '=', number).execute(),
      ...(['host_installation_tokens', 'host_installation_repositories'] as const).map((table) =>
        db
          .selectFrom(table)
          .select('installation_number')
          .where('installation_number', '=', number)
          .execute(),
      ),
    ]);
    return rows.flat().length;
  }

  test('an app or an organization that was deleted since it was read gets no installation', async () => {
    const { app, installation } = await makeInstalled('Late');
    await createTestOrganization(server, 'gone');
    const account = (await findOwner(server.app.kernel.db, 'gone'))!;
    const install = () =>
      change((tx) => createInstallation(tx, { app: app.app, account, repositories: 'all' }));
    const deleted = await server.call('/orgs/gone', { method: 'DELETE' });
    assert.equal(deleted.status, 202, deleted.text);
    await assert.rejects(install(), { kind: 'not-found' });
    await change((tx) => removeApp(tx, app.app));
    await eventually(async () => (await countRows(installation)) === 0, 'the end of the installation');
    await assert.rejects(app.install('ada'), { kind: 'not-found' });
  });

  test('clients that suspend, change and use an app at the same time all succeed, and the last change counts', async () => {
    const { app, installation } = await makeInstalled('Racer');
    const jwt = app.jwt();
    const at = `/app/installations/${installation.number}`;
    const browser = await AppBrowser.open(server, ada.member);
    const send = async (client: number, statuses: number[], path: string, init: CallInit = {}) => {
      const answer = await nodeOf(client).call(path, { token: jwt, ...init });
      assert.ok(statuses.includes(answer.status), `${init.method} ${path}: ${answer.status} ${answer.text}`);
      return answer;
    };
    const suspend = (client: number, round: number) =>
      send(client, [204], `${at}/suspended`, { method: round % 2 === client ? 'PUT' : 'DELETE' });
    const useToken = async (client: number) => {
      const made = await send(client, [201, 403], `${at}/access_tokens`, { method: 'POST' });
      if (made.status !== 201) return;
      const token = made.json['token'] as string;
      const shown = await send(client, [200, 401], '/installation/repositories', { token });
      if (shown.status === 200) assert.ok([1, 2].includes(shown.json['total_count'] as number));
    };
    const configure = (client: number, round: number) =>
      send(client, [200], '/app/hook/config', {
        method: 'PATCH',
        body: { content_type: round % 2 === 0 ? 'form' : 'json', secret: `secret ${round}` },
      });
    const addKey = async (client: number, round: number) => {
      if (round > 1) return;
      const page = await browser.change('/settings/apps/racer', 'new-key');
      assert.equal(page.status, 200, page.text);
      const [pem] =
        /-----BEGIN RSA PRIVATE KEY-----[\w\s+/=]+-----END RSA PRIVATE KEY-----/.exec(page.text) ?? [];
      const now = Math.floor(Date.now() / 1000);
      const token = signedJwt(pem!, { iat: now - 30, exp: now + 300, iss: app.app.number });
      await send(client, [200], '/app', { token });
    };
    const select = (client: number, round: number) =>
      send(client, [204], `/user/installations/${installation.number}/repositories/${other}`, {
        method: round % 2 === 0 ? 'PUT' : 'DELETE',
        token: ada.token,
      });
    const list = async (client: number) => {
      const { json } = await send(client, [200], '/app/installations');
      assert.deepEqual(
        (json as Json[]).map(({ id }) => id as number),
        [installation.number],
      );
    };
    const works = [suspend, suspend, useToken, useToken, configure, addKey, select, list];
    assert.equal(works.length, CLIENTS);
    await Promise.all(
      works.map(async (work, client) => {
        for (let round = 0; round < ROUNDS; round += 1) await work(client, round);
      }),
    );

    await send(0, [204], `${at}/suspended`, { method: 'DELETE' });
    const { json: made } = await send(1, [201], `${at}/access_tokens`, { method: 'POST' });
    const { json: reached } = await send(1, [200], '/installation/repositories', {
      token: made['token'] as string,
    });
    assert.deepEqual(
      (reached['repositories'] as Json[]).map(({ name }) => name as string),
      ['shop'],
    );
    const { json: config } = await send(0, [200], '/app/hook/config');
    assert.equal(config['content_type'], 'json');
    const settings = await browser.get('/settings/apps/racer');
    assert.equal(settings.text.match(/SHA256:/g)?.length, 3);
    // Each entry of the audit log was a change: the installation was not suspended twice in a row.
    const entries = await server.app.kernel.db
      .selectFrom('events')
      .select(['before', 'after'])
      .where('resource', '=', `app/racer:installation/${installation.number}`)
      .orderBy('seq')
      .execute();
    let isSuspended = false;
    let selection: string[] = [];
    for (const { before: old, after: now } of entries) {
      const [was, is] = [old, now].map((text) => JSON.parse(text ?? '{}') as Json) as [Json, Json];
      assert.equal(was['suspended'] ?? false, isSuspended);
      isSuspended = is['suspended'] as boolean;
      selection = [
        ...selection,
        ...['added', 'removed'].filter((key) => (is[key] as number[] | undefined)?.length === 1),
      ];
    }
    assert.equal(isSuspended, false);
    assert.deepEqual(selection, ['added', 'removed', 'added', 'removed', 'added', 'removed']);
  });

  for (const [what, allowed, remove] of [
    [
      'an installation that its app removes',
      [201, 404],
      async ({ app, installation }: Awaited<ReturnType<typeof makeInstalled>>) => {
        const path = `/app/installations/${installation.number}`;
        const replies = await Promise.all(
          [0, 1].map((client) => nodeOf(client).call(path, { method: 'DELETE', token: app.jwt() })),
        );
        const statuses = replies.map(({ status }) => status);
        assert.ok(statuses.includes(204), String(statuses));
        assert.ok(
          statuses.every((status) => [204, 404].includes(status)),
          String(statuses),
        );
      },
    ],
    [
      'an app that its owner deletes',
      [201, 401, 404],
      async ({ app }: Awaited<ReturnType<typeof makeInstalled>>) => {
        const browser = await AppBrowser.open(server, ada.member);
        const path = `/settings/apps/${app.app.slug}`;
        const token = tokenIn(await browser.get(path));
        const deleted = await browser.post(path, { token, action: 'delete', confirm: app.app.slug });
        assert.equal(deleted.status, 200, deleted.text);
      },
    ],
  ] as const)
    test(`${what} while clients ask for tokens leaves none of them`, async () => {
      const made = await makeInstalled(what.includes('owner') ? 'Ending' : 'Leaving');
      const { app, installation } = made;
      const jwt = app.jwt();
      const tokens: string[] = [];
      let isRemoved = false;
      const asking = Array.from({ length: CLIENTS }, async (_, client) => {
        for (let isEnd = false; !isEnd;) {
          // A call that begins after the removal must fail.
          isEnd = isRemoved;
          const path = `/app/installations/${installation.number}/access_tokens`;
          const answer = await nodeOf(client).call(path, { method: 'POST', token: jwt });
          const expected: readonly number[] = isEnd ? allowed.slice(1) : allowed;
          assert.ok(expected.includes(answer.status), `${answer.status} ${answer.text}`);
          if (answer.status === 201) tokens.push(answer.json['token'] as string);
          else isEnd = true;
        }
      });
      const removing = eventually(() => tokens.length >= CLIENTS, 'the first tokens')
        .then(() => remove(made))
        .finally(() => (isRemoved = true));
      await Promise.all([...asking, removing]);
      await eventually(async () => (await countRows(installation)) === 0, 'the end of its rows');
      for (const [client, token] of [...tokens.slice(0, 2), ...tokens.slice(-2)].entries())
        await eventually(
          async () => (await nodeOf(client).call('/installation/repositories', { token })).status === 401,
          'the end of its tokens',
        );
    });
});
