// What members change about themselves over the Signalbox API: their password, name and address.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { updatePassword, type Member } from '../../../../src/kernel/identity/store-members.ts';
import { insertLoginLink } from '../../../../src/kernel/identity/sessions/store-login-links.ts';
import { onEachEngine } from '../../../engines.ts';
import { giveToken, join, openBrowser, quickHashOf, type BrowserHeaders } from '../../../people.ts';
import type { Answer, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';

const BASE = '/signalbox/v1';
const MINUTE = 60 * 1000;
const FIRST = 'first password';
const SECOND = 'second password';

onEachEngine((engine) => {
  let server: TestServer;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
  });
  after(() => server.stop());

  const browse = (browser: object, path: string, method: string, body?: unknown, on = server) =>
    on.call(BASE + path, {
      method,
      token: null,
      headers: { ...browser, origin: on.url },
      ...(body !== undefined && { body }),
    });

  const setPassword = (browser: object, body: unknown, on = server): Promise<Answer> =>
    browse(browser, '/me/password', 'PUT', body, on);

  const logIn = (name: string, password: string): Promise<Answer> =>
    browse({}, '/session', 'POST', { name, password });

  const browserOf = ({ headers, json }: Answer): BrowserHeaders => ({
    cookie: headers.getSetCookie()[0]!.split(';')[0]!,
    'x-signalbox-session': json['secret'] as string,
  });

  /** Somebody with the first password. */
  const joinWithPassword = async (name: string): Promise<Member> => {
    const member = await join(server, name);
    const { db, clock } = server.app.kernel;
    await updatePassword(db, member.id, await quickHashOf(FIRST), clock.now());
    return member;
  };

  test('who was let in by a link sets a password, and logs in with it', async () => {
    const ada = await join(server, 'ada');
    const browser = await openBrowser(server, ada);
    assert.equal((await setPassword(browser, { password: FIRST })).status, 204);
    const opened = await logIn('ada@example.com', FIRST);
    assert.equal(opened.status, 201, opened.text);
    assert.deepEqual([opened.json['hasPassword'], opened.json['mustSetPassword']], [true, false]);
    assert.equal(opened.json['purpose'], undefined);
    const entry = await server.call(`${BASE}/activity?action=updatePassword&limit=1`);
    const [change] = entry.json['items'] as Json[];
    assert.equal(change!['verb'], 'changed the password of the member');
    assert.equal(change!['member'].id, ada.id);
    const detail = await server.call(`/api/v2/auditlog/${change!['id']}`);
    assert.equal(detail.status, 200, detail.text);
    assert.doesNotMatch(entry.text + detail.text, /first password|scrypt/);
  });

  test('a session that a password has opened needs the present one', async () => {
    await joinWithPassword('bob');
    const browser = browserOf(await logIn('bob', FIRST));
    const absent = await setPassword(browser, { password: SECOND });
    assert.equal(absent.status, 422);
    assert.equal(absent.json['errors'][0].field, '/current');
    const wrong = await setPassword(browser, { current: 'something', password: SECOND });
    assert.deepEqual([wrong.status, wrong.json['code']], [422, 'wrong-password']);
    assert.equal((await logIn('bob', SECOND)).status, 401);
    assert.equal((await setPassword(browser, { current: FIRST, password: SECOND })).status, 204);
    assert.equal((await logIn('bob', FIRST)).status, 401);
    assert.equal((await logIn('bob', SECOND)).status, 201);
  });

  test('a session that a link has opened needs it, too, after a quarter of an hour or a first change', async () => {
    const cyd = await joinWithPassword('cyd');
    const browser = await openBrowser(server, cyd);
    assert.equal((await setPassword(browser, { password: SECOND })).status, 204);
    assert.equal((await setPassword(browser, { password: FIRST })).status, 422);
    const late = await openBrowser(server, cyd);
    server.clock.ahead += 15 * MINUTE;
    assert.equal((await setPassword(late, { password: FIRST })).status, 422);
    assert.equal((await setPassword(late, { current: SECOND, password: FIRST })).status, 204);
  });

  test('a new password ends all other sessions and open links, and not this session', async () => {
    const dan = await joinWithPassword('dan');
    const { db, clock } = server.app.kernel;
    const [own, other] = [browserOf(await logIn('dan', FIRST)), browserOf(await logIn('dan', FIRST))];
    const link = await insertLoginLink(db, dan, clock.now(), 'reset');
    // Both are known to the server by now.
    for (const browser of [own, other]) assert.equal((await browse(browser, '/me', 'GET')).status, 200);
    assert.equal((await setPassword(own, { current: FIRST, password: SECOND })).status, 204);
    assert.equal((await browse(own, '/me', 'GET')).status, 200);
    assert.equal((await browse(other, '/me', 'GET')).status, 401);
    assert.equal((await browse({}, '/session', 'POST', { link })).status, 401);
  });

  test('of eight changes of a password at once one is made', async () => {
    const eve = await joinWithPassword('eve');
    const browser = browserOf(await logIn('eve', FIRST));
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        setPassword(browser, { current: FIRST, password: `another password ${index}` }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 204).length, 1, statuses.join());
    assert.ok(
      statuses.every((status) => [204, 409, 422].includes(status)),
      statuses.join(),
    );
    const index = statuses.indexOf(204);
    assert.equal((await logIn(eve.username, `another password ${index}`)).status, 201);
  });

  test('no token sets a password, and nobody without a session', async () => {
    const fay = await joinWithPassword('fay');
    const { value: own } = await giveToken(server, fay, { role: 'owner' });
    const { value: service } = await giveToken(server, fay, { isService: true, role: 'admin' });
    const body = { current: FIRST, password: SECOND };
    for (const token of [own, service])
      assert.equal((await server.call(`${BASE}/me/password`, { method: 'PUT', token, body })).status, 403);
    assert.equal(
      (await server.call(`${BASE}/me/password`, { method: 'PUT', token: null, body })).status,
      401,
    );
    const browser = browserOf(await logIn('fay', FIRST));
    const foreign = await server.call(`${BASE}/me/password`, {
      method: 'PUT',
      token: null,
      headers: { ...browser, origin: 'https://evil.example' },
      body,
    });
    assert.ok([401, 403].includes(foreign.status), foreign.text);
    assert.equal((await logIn('fay', FIRST)).status, 201);
  });

  test('bodies that are no password are refused, and nothing is changed', async () => {
    await joinWithPassword('gil');
    const browser = browserOf(await logIn('gil', FIRST));
    for (const body of [
      {},
      [],
      'x',
      { current: FIRST },
      { current: FIRST, password: 'short' },
      { current: FIRST, password: 7 },
      { current: FIRST, password: null },
      { current: FIRST, password: 'with a \0 in it' },
      { current: FIRST, password: 'x'.repeat(1025) },
      { current: 'x'.repeat(1025), password: SECOND },
      { current: FIRST, password: SECOND, other: 1 },
    ]) {
      const { status, text } = await setPassword(browser, body);
      assert.ok([400, 422].includes(status), `${JSON.stringify(body)}: ${text}`);
      assert.doesNotMatch(text, /first password/);
    }
    assert.equal((await logIn('gil', FIRST)).status, 201);
  });

  test('guessing the present password is limited like logging in', async (t) => {
    const limited = await startServerOn(engine, {
      limit: { login: { anonymous: 3, known: 3, seconds: 60 } },
    });
    t.after(() => limited.stop());
    const hal = await join(limited, 'hal');
    const browser = await openBrowser(limited, hal);
    assert.equal((await setPassword(browser, { password: FIRST }, limited)).status, 204);
    const statuses: number[] = [];
    for (let call = 0; call < 3; call += 1)
      statuses.push((await setPassword(browser, { current: 'guess', password: SECOND }, limited)).status);
    assert.deepEqual(statuses, [422, 422, 429]);
  });

  test('people change their own name and address, and all APIs know it at once', async () => {
    const ivy = await join(server, 'ivy');
    const browser = await openBrowser(server, ivy);
    const patch = (body: unknown) => browse(browser, '/me', 'PATCH', body);
    const changed = await patch({ firstName: ' Ivy ', lastName: 'Lee', email: 'Ivy.Lee@Example.com' });
    assert.equal(changed.status, 200, changed.text);
    const { member } = changed.json;
    assert.deepEqual(
      [member.firstName, member.lastName, member.email],
      ['Ivy', 'Lee', 'ivy.lee@example.com'],
    );
    const shown = await server.call('/api/v2/members/me', { token: null, headers: browser });
    assert.equal(shown.json['email'], 'ivy.lee@example.com');
    assert.equal((await patch({ lastName: null })).json['member'].lastName, undefined);
    const earlier = await server.call(`${BASE}/activity?action=updateProfile&member=${ivy.id}`);
    assert.equal((await patch({ firstName: 'Ivy' })).status, 200);
    const later = await server.call(`${BASE}/activity?action=updateProfile&member=${ivy.id}`);
    assert.deepEqual([earlier.json['items'].length, later.json['items'].length], [2, 2]);
    const [found] = (await server.call(`${BASE}/members?q=ivy.lee`)).json['items'] as Json[];
    assert.equal(found!['firstName'], 'Ivy');
  });

  test('an address that somebody has, as a member or on the host, is a conflict', async () => {
    await join(server, 'jan');
    const kim = await join(server, 'kim', { role: 'writer' });
    const { value: token } = await giveToken(server, kim, { role: 'writer' });
    const added = await server.call('/user/emails', {
      method: 'POST',
      token,
      body: { emails: ['kim@home.example'] },
    });
    assert.equal(added.status, 201, added.text);
    const eli = await openBrowser(server, await join(server, 'eli'));
    for (const email of ['JAN@example.com', 'kim@home.example']) {
      const { status, json } = await browse(eli, '/me', 'PATCH', { email });
      assert.deepEqual([status, json['errors'][0].field], [409, '/email'], email);
    }
    const own = await openBrowser(server, kim);
    assert.equal((await browse(own, '/me', 'PATCH', { email: 'kim@home.example' })).status, 200);
    const people = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => openBrowser(server, await join(server, `lot-${index}`))),
    );
    const answers = await Promise.all(
      people.map((browser) => browse(browser, '/me', 'PATCH', { email: 'wanted@example.com' })),
    );
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 409, 409, 409, 409, 409, 409, 409],
    );
  });

  test('profiles that cannot be are refused; a token needs the permission, and a service token has none', async () => {
    const lea = await join(server, 'lea');
    const browser = await openBrowser(server, lea);
    for (const body of [
      { email: 'x' },
      { email: null },
      { email: 'a b@example.com' },
      { email: `${'x'.repeat(300)}@example.com` },
      { firstName: 'x'.repeat(257) },
      { firstName: 'a\0b' },
      { firstName: 7 },
      { role: 'owner' },
      [],
    ]) {
      const { status, text } = await browse(browser, '/me', 'PATCH', body);
      assert.ok([400, 422].includes(status), `${JSON.stringify(body)}: ${text}`);
    }
    const patch = async (token: string) =>
      await server.call(`${BASE}/me`, { method: 'PATCH', token, body: { firstName: 'Lea' } });
    const { value: reader } = await giveToken(server, lea, { role: 'reader' });
    assert.equal((await patch(reader)).status, 200);
    const narrow = [{ effect: 'allow' as const, actions: ['viewProject'], resources: ['proj/*'] }];
    const { value: weak } = await giveToken(server, lea, { inlinePolicy: narrow });
    const refused = await patch(weak);
    assert.equal(refused.status, 403);
    assert.deepEqual(refused.json['access'], { action: 'updateProfile', resource: 'member/me:profile/*' });
    const { value: service } = await giveToken(server, lea, { isService: true, role: 'admin' });
    assert.equal((await patch(service)).status, 403);
  });
});
