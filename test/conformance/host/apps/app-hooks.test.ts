// Webhooks of apps, on a running server: what they hear of installations, and of what happens where the app is installed.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { AppBrowser, MANIFEST } from '../../../app-forms.ts';
import { signedJwt } from '../../../app-people.ts';
import { onEachEngine } from '../../../engines.ts';
import { eventually } from '../../../eventually.ts';
import { afterGitTests as after, beforeGitTests as before, gitTest as test } from '../../../git-tests.ts';
import { joinHost, type HostPerson } from '../../../host-people.ts';
import type { Answer, CallInit, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { openReceiver, type ReceivedWebhook, type WebhookReceiver } from '../../../webhook-receiver.ts';
import { checkWebhookPayload } from '../../../webhook-schemas.ts';
import { createTestOrganization } from '../organization-calls.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let receiver: WebhookReceiver;
  let ada: HostPerson;
  let eve: HostPerson;
  let browser: AppBrowser;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off', allowPrivateWebhooks: true });
    receiver = await openReceiver();
    ada = await joinHost(server, 'ada');
    eve = await joinHost(server, 'eve');
    await createTestOrganization(server, 'acme', { admin: 'ada', members: ['eve'] });
    browser = await AppBrowser.open(server, ada.member);
  });
  after(async () => {
    await server.stop();
    await receiver.close();
  });

  const register = (name: string, path: string, more: Json = {}) =>
    browser.register({
      ...MANIFEST,
      name,
      hook_attributes: { url: receiver.url + path },
      default_permissions: { contents: 'read', members: 'read' },
      default_events: ['push', 'repository', 'star', 'team'],
      ...more,
    });
  const nameOf = ({ headers, json }: ReceivedWebhook): string =>
    [headers['x-github-event'], json['action']].filter((word) => word !== undefined).join('.');
  const namesAt = (path: string) => receiver.at(path).map(nameOf);

  /** Waits until an event has come, and checks all that came. */
  async function waitFor(path: string, name: string, count = 1): Promise<Json> {
    for (let wanted = 1; ; wanted = receiver.at(path).length + 1) {
      await receiver.wait(path, wanted);
      const found = receiver.at(path).filter((one) => nameOf(one) === name);
      if (found.length < count) continue;
      for (const one of receiver.at(path))
        checkWebhookPayload(one.headers['x-github-event'] as string, one.json);
      return found.at(-1)!.json;
    }
  }

  async function expect(status: number, answer: Promise<Answer>): Promise<Json> {
    const got = await answer;
    assert.equal(got.status, status, got.text);
    return got.text === '' ? {} : got.json;
  }

  test('an app hears of its installations, and of what they cover', async () => {
    const path = '/first';
    const app = await register('First', path);
    const ping = await waitFor(path, 'ping');
    assert.equal(ping['hook'].app_id, app['id']);
    const one = await ada.repository('one', { auto_init: true });
    const two = await ada.repository('two', { private: true, auto_init: true });
    const number = await browser.install('first', 'ada', [one['id'] as number]);
    const created = await waitFor(path, 'installation.created');
    assert.deepEqual(
      [created['installation'].id, created['installation'].account.login, created['repositories']],
      [
        number,
        'ada',
        [{ id: one['id'], node_id: one['node_id'], name: 'one', full_name: 'ada/one', private: false }],
      ],
    );
    await expect(204, eve.put('/user/starred/ada/one'));
    const star = await waitFor(path, 'star.created');
    assert.equal(star['installation'].id, number);
    assert.equal(star['repository'].full_name, 'ada/one');

    const [delivery] = receiver.at(path).filter((got) => nameOf(got) === 'star.created');
    const { headers, body } = delivery!;
    assert.equal(headers['x-github-hook-installation-target-type'], 'integration');
    assert.equal(headers['x-github-hook-installation-target-id'], String(app['id']));
    const digest = createHmac('sha256', app['webhook_secret'] as string)
      .update(body)
      .digest('hex');
    assert.equal(headers['x-hub-signature-256'], `sha256=${digest}`);

    // What is not covered, or not asked for, is not told.
    await expect(201, ada.put('/repos/ada/two/contents/a.txt', { message: 'a', content: 'YQ==' }));
    await expect(201, ada.post('/repos/ada/one/forks', { organization: 'acme' }).then(accepted));
    await expect(201, ada.put('/repos/ada/one/contents/a.txt', { message: 'a', content: 'YQ==' }));
    const push = await waitFor(path, 'push');
    assert.equal(push['repository'].full_name, 'ada/one');
    assert.equal(namesAt(path).includes('fork'), false);

    const page = `/settings/installations/${number}`;
    await expectChange(browser.change(page, 'repositories', [two['id'] as number]));
    const added = await waitFor(path, 'installation_repositories.added');
    assert.deepEqual(
      added['repositories_added'].map((some: Json) => some['full_name']),
      ['ada/two'],
    );
    await waitFor(path, 'installation_repositories.removed');
    await expect(204, eve.delete('/user/starred/ada/one'));
    await expect(201, ada.put('/repos/ada/two/contents/b.txt', { message: 'b', content: 'YQ==' }));
    assert.equal((await waitFor(path, 'push', 2))['repository'].full_name, 'ada/two');
    assert.equal(namesAt(path).includes('star.deleted'), false);

    // A suspended installation hears of itself only.
    await expectChange(browser.change(page, 'suspend'));
    const suspended = await waitFor(path, 'installation.suspend');
    assert.equal(suspended['installation'].suspended_by.login, 'ada');
    await expect(201, ada.put('/repos/ada/two/contents/c.txt', { message: 'c', content: 'YQ==' }));
    await settled(two['id'] as number);
    await expectChange(browser.change(page, 'unsuspend'));
    await waitFor(path, 'installation.unsuspend');
    await expectChange(browser.change(page, 'repositories', 'all'));
    await expect(201, ada.put('/repos/ada/one/contents/d.txt', { message: 'd', content: 'YQ==' }));
    await waitFor(path, 'push', 3);
    assert.equal((await browser.change(page, 'uninstall')).status, 200);
    await waitFor(path, 'installation.deleted');
    assert.equal((await browser.get(page)).status, 404);
    await expect(201, ada.put('/repos/ada/one/contents/e.txt', { message: 'e', content: 'YQ==' }));
    await settled(one['id'] as number);
    assert.equal(namesAt(path).filter((name) => name === 'push').length, 3);
  });

  const accepted = (answer: Answer): Answer => ({ ...answer, status: 201, text: '' });

  async function expectChange(answer: Promise<Answer>): Promise<void> {
    const { status, text } = await answer;
    assert.equal(status, 204, text);
  }

  /** A hook of the repository that asks for everything tells when its events are delivered. */
  async function settled(repository: number): Promise<void> {
    const { full_name: name } = (await server.call(`/repositories/${repository}`)).json;
    const path = `/settled-${repository}-${receiver.received.length}`;
    const config = { url: receiver.url + path, content_type: 'json' };
    const { id } = await expect(201, ada.post(`/repos/${name}/hooks`, { config, events: ['star'] }));
    await expect(204, ada.put(`/user/starred/${name}`));
    await receiver.wait(path, 2);
    await expect(204, ada.delete(`/repos/${name}/hooks/${id}`));
    await expect(204, ada.delete(`/user/starred/${name}`));
  }

  test('on an organization an app hears of its teams and of all its repositories, new ones too', async () => {
    const path = '/acme';
    await register('For Acme', path, { public: true });
    const number = await browser.install('for-acme', 'acme');
    await waitFor(path, 'installation.created');
    await expect(201, ada.post('/orgs/acme/teams', { name: 'Builders' }));
    const team = await waitFor(path, 'team.created');
    assert.equal(team['installation'].id, number);
    await expect(201, ada.post('/orgs/acme/repos', { name: 'fresh', private: true }));
    const created = await waitFor(path, 'repository.created');
    assert.equal(created['repository'].full_name, 'acme/fresh');
    await expect(204, ada.delete('/repos/acme/fresh'));
    await waitFor(path, 'repository.deleted');
    // Another account's events are not its business.
    await ada.repository('private-matter');
    assert.equal(
      receiver.at(path).some(({ body }) => body.includes('private-matter')),
      false,
    );
  });

  test('a webhook that is off gets nothing, not even a ping', async () => {
    const path = '/off';
    await register('Turned Off', path, { hook_attributes: { url: receiver.url + path, active: false } });
    await browser.install('turned-off', 'ada');
    await ada.repository('unheard');
    await register('Turned On', '/on');
    await browser.install('turned-on', 'ada');
    await waitFor('/on', 'installation.created');
    assert.deepEqual(receiver.at(path), []);
  });

  test('two apps hear of the same event with their own installations', async () => {
    await register('Left', '/left');
    await register('Right', '/right');
    const [left, right] = [await browser.install('left', 'ada'), await browser.install('right', 'ada')];
    await ada.repository('shared');
    const heard = [
      await waitFor('/left', 'repository.created'),
      await waitFor('/right', 'repository.created'),
    ];
    assert.deepEqual(
      heard.map(({ installation }) => installation.id as number),
      [left, right],
    );
  });

  test('an app reads and changes its webhook, and sees and repeats deliveries', async () => {
    const app = await register('Looking', '/looking', { public: true });
    const call = (path: string, init: CallInit = {}) => server.call(path, { token: jwtOf(app), ...init });
    await waitFor('/looking', 'ping');
    const config = await expect(200, call('/app/hook/config'));
    assert.deepEqual(config, {
      url: `${receiver.url}/looking`,
      content_type: 'json',
      insecure_ssl: '0',
      secret: '********',
    });
    await eventually(async () => (await call('/app/hook/deliveries')).json.length === 1, 'a delivery');
    const [delivery] = (await expect(200, call('/app/hook/deliveries?per_page=5'))) as unknown as Json[];
    assert.deepEqual([delivery!['event'], delivery!['status_code']], ['ping', 200]);
    const whole = await expect(200, call(`/app/hook/deliveries/${delivery!['id']}`));
    assert.equal(whole['request'].payload.hook.app_id, app['id']);
    await expect(202, call(`/app/hook/deliveries/${delivery!['id']}/attempts`, { method: 'POST' }));
    await receiver.wait('/looking', 2);

    const moved = { url: `${receiver.url}/moved`, content_type: 'form', secret: 'new' };
    const patched = await expect(200, call('/app/hook/config', { method: 'PATCH', body: moved }));
    assert.deepEqual([patched['url'], patched['content_type']], [moved.url, 'form']);
    await browser.install('looking', 'ada');
    const [{ headers, body }] = (await receiver.wait('/moved', 1)) as [ReceivedWebhook];
    const digest = createHmac('sha256', 'new').update(body).digest('hex');
    assert.equal(headers['x-hub-signature-256'], `sha256=${digest}`);

    // What is wrong is refused, and nothing changes.
    for (const bad of [{ url: 'ftp://x' }, { url: 'https://a:b@c.test' }, { insecure_ssl: 2 }, { url: 5 }])
      await expect(422, call('/app/hook/config', { method: 'PATCH', body: bad }));
    await expect(404, call('/app/hook/deliveries/999999'));
    await expect(422, call('/app/hook/deliveries?cursor=x'));
    // Neither people nor other apps nor installations see it.
    const other = await register('Other Eyes', '/other-eyes');
    await expect(401, server.call('/app/hook/config', { token: null }));
    await expect(401, ada.get('/app/hook/config'));
    await expect(401, ada.get('/app/hook/deliveries'));
    await expect(404, server.call(`/app/hook/deliveries/${delivery!['id']}`, { token: jwtOf(other) }));
    await expect(
      404,
      server.call(`/app/hook/deliveries/${delivery!['id']}/attempts`, {
        method: 'POST',
        token: jwtOf(other),
      }),
    );
    assert.equal((await expect(200, call('/app/hook/config')))['url'], moved.url);
  });

  function jwtOf(app: Json): string {
    const now = Math.floor(server.clock.now() / 1000);
    return signedJwt(app['pem'] as string, { iat: now - 30, exp: now + 500, iss: app['id'] });
  }
});
