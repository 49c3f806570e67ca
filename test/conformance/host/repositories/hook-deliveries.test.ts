// Deliveries of the host's webhooks on a running server: what is sent and how, what is recorded, and who is told of what.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { writeCertificate } from '../../../certificate.ts';
import { gitTest } from '../../../git-tests.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import type { Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { checkWebhookPayload } from '../../../webhook-schemas.ts';
import { openReceiver, type ReceivedWebhook, type WebhookReceiver } from '../../../webhook-receiver.ts';

const SECRET = 'key of the signatures';

onEachEngine((engine) => {
  let server: TestServer;
  let receiver: WebhookReceiver;
  let ada: HostPerson;
  let folder: string;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off', allowPrivateWebhooks: true });
    receiver = await openReceiver((response, { path }) => {
      if (path.startsWith('/hang')) return;
      response.writeHead(path.startsWith('/fail') ? 500 : 200, { 'X-Answer': 'yes' }).end('thanks');
    });
    ada = await joinHost(server, 'ada');
    const organization = { method: 'POST', body: { login: 'acme', admin: 'ada' } };
    assert.equal((await server.call('/admin/organizations', organization)).status, 201);
    await ada.repository('demo');
    folder = await mkdtemp(join(tmpdir(), 'signalbox-hooks-'));
  });
  after(async () => {
    await server.stop();
    await receiver.close();
    await rm(folder, { recursive: true });
  });

  let paths = 0;
  const newPath = (word = 'hook') => `/${word}-${(paths += 1)}`;

  /** Creates a hook, and waits for its ping. */
  async function createHook(place: string, path: string, more: Json = {}, config: Json = {}): Promise<Json> {
    const body = { config: { url: receiver.url + path, content_type: 'json', ...config }, ...more };
    const { status, text, json } = await ada.post(`${place}/hooks`, body);
    assert.equal(status, 201, text);
    if (!path.startsWith('/hang')) await receiver.wait(path);
    return json;
  }

  const eventOf = ({ headers }: ReceivedWebhook) => headers['x-github-event'];
  const toldAt = (path: string) => receiver.at(path).filter((one) => eventOf(one) !== 'ping');

  async function waitTold(path: string, count: number): Promise<ReceivedWebhook[]> {
    await eventually(() => toldAt(path).length >= count, `${count} events at ${path}`);
    return toldAt(path);
  }

  async function deliveriesOf(hookPath: string, count: number, query = ''): Promise<Json[]> {
    let list: Json[] = [];
    await eventually(async () => {
      list = (await ada.get(`${hookPath}/deliveries${query}`)).json as unknown as Json[];
      return list.length >= count;
    }, `${count} deliveries of ${hookPath}`);
    return list;
  }

  let files = 0;
  const commitFile = async (repository: string) => {
    const content = Buffer.from(`file ${(files += 1)}`).toString('base64');
    const path = `/repos/${repository}/contents/file-${files}.txt`;
    const { status, text, json } = await ada.put(path, { message: `adds file ${files}`, content });
    assert.equal(status, 201, text);
    return json['commit'].sha as string;
  };

  test('a new hook gets a ping, with signatures and the headers that receivers know', async () => {
    const path = newPath();
    const hook = await createHook('/repos/ada/demo', path, {}, { secret: SECRET });
    const [ping] = receiver.at(path);
    const { headers, body, json } = ping!;
    checkWebhookPayload('ping', json);
    const { json: demo } = await ada.get('/repos/ada/demo');
    assert.equal(headers['x-github-event'], 'ping');
    assert.match(headers['x-github-delivery'] as string, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.equal(headers['x-github-hook-id'], String(hook['id']));
    assert.equal(headers['x-github-hook-installation-target-type'], 'repository');
    assert.equal(headers['x-github-hook-installation-target-id'], String(demo['id']));
    assert.match(headers['user-agent']!, /^GitHub-Hookshot\//);
    assert.equal(headers['content-type'], 'application/json');
    for (const [name, algorithm] of [
      ['x-hub-signature', 'sha1'],
      ['x-hub-signature-256', 'sha256'],
    ] as const)
      assert.equal(headers[name], `${algorithm}=${createHmac(algorithm, SECRET).update(body).digest('hex')}`);
    assert.equal(json['hook_id'], hook['id']);
    assert.equal(json['hook'].config.secret, '********');
    assert.doesNotMatch(body, new RegExp(SECRET));
    assert.equal(json['repository'].full_name, 'ada/demo');
    assert.equal(json['sender'].login, 'ada');
    const hookPath = `/repos/ada/demo/hooks/${hook['id']}`;
    await deliveriesOf(hookPath, 1);
    assert.deepEqual((await ada.get(hookPath)).json['last_response'], {
      code: 200,
      status: 'active',
      message: 'OK',
    });
    assert.equal((await ada.post(`${hookPath}/pings`)).status, 204);
    const [first, second] = await receiver.wait(path, 2);
    assert.notEqual(first!.headers['x-github-delivery'], second!.headers['x-github-delivery']);
    checkWebhookPayload('ping', second!.json);
  });

  test('the ping of an organization names it', async () => {
    const path = newPath();
    const hook = await createHook('/orgs/acme', path);
    const [ping] = receiver.at(path);
    checkWebhookPayload('ping', ping!.json);
    const { json: acme } = await ada.get('/orgs/acme');
    assert.equal(ping!.headers['x-github-hook-installation-target-type'], 'organization');
    assert.equal(ping!.headers['x-github-hook-installation-target-id'], String(acme['id']));
    assert.equal(ping!.headers['x-hub-signature-256'], undefined);
    assert.deepEqual(
      [ping!.json['organization'].login, ping!.json['hook'].type, ping!.json['hook_id']],
      ['acme', 'Organization', hook['id']],
    );
  });

  gitTest('a push is told as JSON and as a form, with the same id, to those who ask for it', async () => {
    const [json, form, other] = [newPath(), newPath(), newPath()];
    await createHook('/repos/ada/demo', json, { events: ['push'] }, { secret: SECRET });
    await createHook('/repos/ada/demo', form, { events: ['*'] }, { content_type: 'form', secret: SECRET });
    await createHook('/repos/ada/demo', other, { events: ['issues'] });
    const sha = await commitFile('ada/demo');
    const [asJson] = await waitTold(json, 1);
    await eventually(() => toldAt(form).some((one) => eventOf(one) === 'push'), 'the push as a form');
    const asForm = toldAt(form).find((one) => eventOf(one) === 'push')!;
    checkWebhookPayload('push', asJson!.json);
    const { ref, after: to, commits, head_commit: head, pusher, compare } = asJson!.json;
    assert.deepEqual([ref, to, pusher.name], ['refs/heads/main', sha, 'ada']);
    assert.equal(head.url, `${server.url}/ada/demo/commit/${sha}`);
    assert.deepEqual(commits.at(-1).added, [`file-${files}.txt`]);
    assert.match(compare, new RegExp(`^${server.url}/ada/demo/compare/`));
    assert.equal(asForm.headers['content-type'], 'application/x-www-form-urlencoded');
    const payload = new URLSearchParams(asForm.body).get('payload')!;
    assert.deepEqual(JSON.parse(payload), asJson!.json);
    assert.equal(
      asForm.headers['x-hub-signature-256'],
      `sha256=${createHmac('sha256', SECRET).update(asForm.body).digest('hex')}`,
    );
    assert.equal(asForm.headers['x-github-delivery'], asJson!.headers['x-github-delivery']);
    assert.deepEqual(toldAt(other), []);
  });

  gitTest('the test of a hook is the push of the last commit', async () => {
    const [path, other] = [newPath(), newPath()];
    const sha = await commitFile('ada/demo');
    const hook = await createHook('/repos/ada/demo', path, { events: ['push'] });
    const deaf = await createHook('/repos/ada/demo', other, { events: ['fork'] });
    for (const { id } of [deaf, hook])
      assert.equal((await ada.post(`/repos/ada/demo/hooks/${id}/tests`)).status, 204);
    assert.equal((await ada.post(`/repos/ada/demo/hooks/${hook['id']}/test`)).status, 204);
    const [push] = await waitTold(path, 2);
    checkWebhookPayload('push', push!.json);
    assert.equal(push!.json['head_commit'].id, sha);
    assert.deepEqual(toldAt(other), []);
  });

  gitTest('a hook hears nothing of what was before it, nor while it is off', async () => {
    await ada.repository('early');
    await commitFile('ada/early');
    const path = newPath();
    const hook = await createHook('/repos/ada/early', path, { events: ['push'] });
    const second = await commitFile('ada/early');
    await waitTold(path, 1);
    const hookPath = `/repos/ada/early/hooks/${hook['id']}`;
    await ada.patch(hookPath, { active: false });
    await commitFile('ada/early');
    // The events of a repository are told in order: when this one is here, the one before was passed over.
    const witness = newPath();
    await createHook('/repos/ada/early', witness, { events: ['push'] });
    await commitFile('ada/early');
    await waitTold(witness, 1);
    await ada.patch(hookPath, { active: true });
    const last = await commitFile('ada/early');
    await waitTold(path, 2);
    assert.deepEqual(
      toldAt(path).map(({ json }) => json['after']),
      [second, last],
    );
  });

  gitTest('hooks of an organization hear of its private repositories, and no other ones', async () => {
    const path = newPath();
    await createHook('/orgs/acme', path, { events: ['push'] });
    const { status } = await ada.post('/orgs/acme/repos', { name: 'hidden', private: true });
    assert.equal(status, 201);
    await commitFile('ada/demo');
    const sha = await commitFile('acme/hidden');
    const [push] = await waitTold(path, 1);
    checkWebhookPayload('push', push!.json);
    assert.deepEqual(
      [push!.json['after'], push!.json['organization'].login, push!.json['repository'].private],
      [sha, 'acme', true],
    );
    assert.equal(toldAt(path).length, 1);
  });

  gitTest('hooks move with their repository, and hooks of its new owner hear of it', async () => {
    await ada.repository('moving');
    const [own, organizational] = [newPath(), newPath()];
    const hook = await createHook('/repos/ada/moving', own, { events: ['push'] });
    await createHook('/orgs/acme', organizational, { events: ['push'] });
    const { status } = await ada.post('/repos/ada/moving/transfer', { new_owner: 'acme' });
    assert.equal(status, 202);
    assert.equal((await ada.get(`/repos/acme/moving/hooks/${hook['id']}`)).status, 200);
    const sha = await commitFile('acme/moving');
    for (const path of [own, organizational]) {
      await waitTold(path, 1);
      assert.deepEqual(
        toldAt(path).map(({ json }) => json['after']),
        [sha],
      );
    }
  });

  test('deliveries are listed by a cursor, and show what was sent and answered', async () => {
    const path = newPath();
    const hook = await createHook('/repos/ada/demo', path, { events: ['fork'] }, { secret: SECRET });
    const hookPath = `/repos/ada/demo/hooks/${hook['id']}`;
    for (let count = 0; count < 4; count += 1) await ada.post(`${hookPath}/pings`);
    const all = await deliveriesOf(hookPath, 5);
    assert.deepEqual(
      all.map(({ id }) => id as number),
      all.map(({ id }) => id as number).toSorted((one, other) => other - one),
    );
    const seen: unknown[] = [];
    let next: string | undefined = `${hookPath}/deliveries?per_page=2`;
    while (next !== undefined) {
      const page = await ada.get(next);
      seen.push(...(page.json as unknown as Json[]).map(({ id }) => id));
      const [, link] = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '') ?? [];
      next = link?.slice(server.url.length);
    }
    assert.deepEqual(
      seen,
      all.map(({ id }) => id),
    );
    assert.equal((await ada.get(`${hookPath}/deliveries?status=failure`)).text, '[]');
    assert.equal((await deliveriesOf(hookPath, 5, '?status=success')).length, 5);
    const last = all[0]!;
    assert.deepEqual(
      [last['status'], last['status_code'], last['event'], last['action'], last['redelivery']],
      ['OK', 200, 'ping', null, false],
    );
    const { json: shown } = await ada.get(`${hookPath}/deliveries/${last['id']}`);
    const sent = receiver.at(path).find(({ headers }) => headers['x-github-delivery'] === last['guid'])!;
    assert.equal(shown['url'], receiver.url + path);
    assert.deepEqual(shown['request'].payload, sent.json);
    for (const name of ['X-GitHub-Event', 'X-GitHub-Delivery', 'X-Hub-Signature-256', 'Content-Type'])
      assert.equal(shown['request'].headers[name], sent.headers[name.toLowerCase()], name);
    assert.equal(shown['response'].headers['X-Answer'], 'yes');
    assert.equal(shown['response'].payload, 'thanks');
    assert.doesNotMatch(JSON.stringify(shown), new RegExp(SECRET));
    for (const query of ['cursor=x', 'cursor=v1_', 'cursor=v2_3', 'per_page=-1', 'status=none'])
      assert.equal((await ada.get(`${hookPath}/deliveries?${query}`)).status, 422, query);
    for (const id of ['0', 'x', '999999', '99999999999999999999']) {
      assert.equal((await ada.get(`${hookPath}/deliveries/${id}`)).status, 404, id);
      assert.equal((await ada.post(`${hookPath}/deliveries/${id}/attempts`)).status, 404, id);
    }
    const other = await createHook('/repos/ada/demo', newPath(), { events: ['fork'] });
    const wrong = `/repos/ada/demo/hooks/${other['id']}/deliveries/${last['id']}`;
    assert.equal((await ada.get(wrong)).status, 404);
    assert.equal((await ada.post(`${hookPath}/deliveries/${last['id']}/attempts`)).status, 202);
  });

  test('a delivery is sent again when somebody asks, and only then', async () => {
    const path = newPath('fail');
    const hook = await createHook('/orgs/acme', path, { events: ['fork'] });
    const hookPath = `/orgs/acme/hooks/${hook['id']}`;
    const [failed] = await deliveriesOf(hookPath, 1);
    assert.deepEqual([failed!['status'], failed!['status_code']], ['Invalid HTTP Response: 500', 500]);
    const fixed = newPath();
    await ada.patch(`${hookPath}/config`, { url: receiver.url + fixed });
    const again = await ada.post(`${hookPath}/deliveries/${failed!['id']}/attempts`);
    assert.deepEqual([again.status, again.json], [202, {}]);
    const [received] = await receiver.wait(fixed);
    assert.equal(received!.headers['x-github-delivery'], failed!['guid']);
    assert.equal(received!.body, receiver.at(path)[0]!.body);
    const [redelivered] = await deliveriesOf(hookPath, 2);
    assert.deepEqual(
      [redelivered!['guid'], redelivered!['redelivery'], redelivered!['status_code']],
      [failed!['guid'], true, 200],
    );
    assert.notEqual(redelivered!['id'], failed!['id']);
    const { json: whole } = await ada.get(`${hookPath}/deliveries/${redelivered!['id']}`);
    assert.deepEqual([whole['url'], whole['request'].payload], [receiver.url + fixed, received!.json]);
    assert.equal(receiver.at(path).length, 1);
  });

  test('a receiver that hangs, or is not there, delays nobody else', async () => {
    const [hanging, good] = [newPath('hang'), newPath()];
    const hook = await createHook('/repos/ada/demo', hanging, { events: ['fork'] });
    await receiver.wait(hanging);
    for (let count = 0; count < 20; count += 1) await ada.post(`/repos/ada/demo/hooks/${hook['id']}/pings`);
    await createHook('/repos/ada/demo', good, { events: ['fork'] });
    assert.equal((await ada.delete(`/repos/ada/demo/hooks/${hook['id']}`)).status, 204);
    const config = { url: 'http://127.0.0.1:1/' };
    const { json: absent } = await ada.post('/repos/ada/demo/hooks', { config, events: ['fork'] });
    const [delivery] = await deliveriesOf(`/repos/ada/demo/hooks/${absent['id']}`, 1);
    assert.deepEqual([delivery!['status'], delivery!['status_code']], ['failed to connect to host', 0]);
    const { json: shown } = await ada.get(
      `/repos/ada/demo/hooks/${absent['id']}/deliveries/${delivery!['id']}`,
    );
    assert.deepEqual(shown['response'], { headers: null, payload: null });
  });

  test('a certificate that nobody knows is accepted only where the hook says so', async (t) => {
    const { tlsCert, tlsKey } = writeCertificate(folder);
    const tls = { cert: await readFile(tlsCert), key: await readFile(tlsKey) };
    const secure = await openReceiver(undefined, tls);
    t.after(() => secure.close());
    const create = async (insecure: string) => {
      const config = { url: `${secure.url}/${insecure}`, insecure_ssl: insecure };
      const { json } = await ada.post('/repos/ada/demo/hooks', { config, events: ['fork'] });
      return (await deliveriesOf(`/repos/ada/demo/hooks/${json['id']}`, 1))[0]!;
    };
    assert.equal((await create('0'))['status_code'], 0);
    assert.equal((await create('1'))['status_code'], 200);
    assert.deepEqual(
      secure.received.map(({ path }) => path),
      ['/1'],
    );
  });

  test('with a repository or an organization go its hooks and their deliveries', async () => {
    const { db } = server.app.kernel;
    assert.equal(
      (await server.call('/admin/organizations', { method: 'POST', body: { login: 'brief', admin: 'ada' } }))
        .status,
      201,
    );
    await ada.repository('brief');
    const ids: number[] = [];
    for (const place of ['/repos/ada/brief', '/orgs/brief']) {
      const { id } = await createHook(place, newPath());
      ids.push(id as number);
      await deliveriesOf(`${place}/hooks/${id}`, 1);
      assert.ok((await ada.delete(place)).status < 300);
    }
    server.clock.ahead += 11 * 60 * 1000;
    await eventually(async () => {
      const hooks = await db.selectFrom('host_hooks').select('number').where('number', 'in', ids).execute();
      const deliveries = await db
        .selectFrom('deliveries')
        .select('id')
        .where('api', '=', 'host')
        .where('hook_id', 'in', ids.map(String))
        .execute();
      return hooks.length + deliveries.length === 0;
    }, 'nothing is left');
  });
});
