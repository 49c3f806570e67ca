// Logins by an identity provider: by issuer and subject, whatever it says of e-mail addresses.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { Member } from '../../../../src/kernel/identity/store-members.ts';
import { onEachEngine } from '../../../engines.ts';
import { IdentityProvider } from '../../../identity-provider.ts';
import { browserHeadersOf, giveToken, join, openBrowser } from '../../../people.ts';
import type { Answer, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';

const LOGIN = '/signalbox/v1/me/external-login';

onEachEngine((engine) => {
  let provider: IdentityProvider;
  let server: TestServer;
  before(async () => {
    provider = await new IdentityProvider().start();
    server = await startServerOn(engine, {
      limits: 'off',
      oidcIssuer: provider.url,
      oidcClientId: 'signalbox',
      oidcClientSecret: 'a secret of the provider',
      oidcName: 'Example SSO',
      oidcNewMembers: 'reader',
    });
  });
  beforeEach(() => {
    provider.lies = {};
  });
  after(async () => {
    await server.stop();
    await provider.stop();
  });

  const get = (path: string, headers: object = {}): Promise<Answer> =>
    server.call(path, { token: null, headers: { accept: 'text/html', ...headers } });
  const cookieOf = ({ headers }: Answer) => headers.getSetCookie()[0]!.split(';')[0]!;

  /** Through the provider, and back to the path that it answers with. */
  const visitProvider = async (address: string): Promise<string> => {
    const answer = await fetch(address, { redirect: 'manual' });
    const { pathname, search } = new URL(answer.headers.get('location')!);
    return pathname + search;
  };

  const arrive = async (person: object): Promise<Answer> => {
    provider.person = { ...person };
    const begun = await get('/session/oidc?return=/console/runs');
    assert.equal(begun.status, 303, begun.text);
    return await get(await visitProvider(begun.headers.get('location')!), { cookie: cookieOf(begun) });
  };

  const nameOf = async (answer: Answer): Promise<string> => {
    assert.equal(answer.status, 200, answer.text);
    const { json } = await server.call('/signalbox/v1/me', {
      token: null,
      headers: browserHeadersOf(answer),
    });
    return json['member'].username as string;
  };

  const connect = async (member: Member, subject: string): Promise<Answer> => {
    const browser = { ...(await openBrowser(server, member)), origin: server.url };
    provider.person = { sub: subject };
    const begun = await server.call(LOGIN, { method: 'POST', token: null, headers: browser, body: {} });
    assert.equal(begun.status, 201, begun.text);
    const cookie = `${browser.cookie}; ${cookieOf(begun)}`;
    const back = await get(await visitProvider(begun.json['url'] as string), { cookie });
    assert.equal(back.status, 303, back.text);
    const proof = new URL(back.headers.get('location')!, server.url).searchParams.get('connect')!;
    return await server.call(LOGIN, { method: 'PUT', token: null, headers: browser, body: { proof } });
  };

  test('the login offers it, and leads back to the page that was asked for', async () => {
    assert.match((await get('/session')).text, /Continue with Example SSO/);
    const arrived = await arrive({ sub: 'p-1', email: 'pia@example.org', email_verified: true });
    assert.match(arrived.text, /data-next="\/console\/runs"/);
    assert.equal(await nameOf(arrived), 'pia');
    assert.equal(await nameOf(await arrive({ sub: 'p-1', email: 'other@example.org' })), 'pia', 'by subject');
    const entries = await server.call('/signalbox/v1/activity?action=createMember&limit=1');
    assert.equal((entries.json['items'] as Json[])[0]!['name'], 'pia@example.org');
  });

  test('nobody gets the account of another by an address, verified or not, nor by one that is not verified', async () => {
    await join(server, 'bob');
    for (const verified of [true, false, 'true', undefined]) {
      const refused = await arrive({ sub: 'thief', email: 'bob@example.com', email_verified: verified });
      assert.equal(refused.status, 403, refused.text);
      assert.doesNotMatch(refused.text, /data-secret/);
    }
    const unknown = await arrive({ sub: 'nobody', email: 'nobody@example.org', email_verified: false });
    assert.match(unknown.text, /does not vouch for your e-mail address/);
  });

  test('a member connects once by their own session, logs in by it, and ends it with a password alone', async () => {
    const [cyd, dan] = [await join(server, 'cyd'), await join(server, 'dan')];
    assert.equal((await connect(cyd, 'p-cyd')).status, 204);
    assert.equal(await nameOf(await arrive({ sub: 'p-cyd' })), 'cyd');
    assert.equal((await connect(cyd, 'p-other')).status, 409);
    assert.equal((await connect(dan, 'p-cyd')).status, 409);
    const browser = { ...(await openBrowser(server, cyd)), origin: server.url };
    const shown = await server.call(LOGIN, { token: null, headers: browser });
    assert.equal(shown.json['provider'], 'Example SSO');
    assert.ok(shown.json['connected'].since > 0);
    const end = () => server.call(LOGIN, { method: 'DELETE', token: null, headers: browser });
    assert.equal((await end()).status, 409);
    const password = {
      method: 'PUT',
      token: null,
      headers: browser,
      body: { password: 'long enough for it' },
    };
    assert.equal((await server.call('/signalbox/v1/me/password', password)).status, 204);
    for (const _again of [1, 2]) assert.equal((await end()).status, 204);
    assert.equal((await arrive({ sub: 'p-cyd' })).status, 403);
  });

  test('a proof is worth nothing for another member, for a token, or when it was changed', async () => {
    const [eve, fay] = [await join(server, 'eve'), await join(server, 'fay')];
    const browser = { ...(await openBrowser(server, eve)), origin: server.url };
    provider.person = { sub: 'p-eve' };
    const begun = await server.call(LOGIN, { method: 'POST', token: null, headers: browser, body: {} });
    const back = await get(await visitProvider(begun.json['url'] as string), { cookie: cookieOf(begun) });
    const proof = new URL(back.headers.get('location')!, server.url).searchParams.get('connect')!;
    const put = (headers: object, body: unknown, token: string | null = null) =>
      server.call(LOGIN, { method: 'PUT', token, headers: { ...headers }, body });
    const other = { ...(await openBrowser(server, fay)), origin: server.url };
    assert.equal((await put(other, { proof })).status, 422);
    for (const wrong of [proof.replace(/.{9}$/, 'AAAAAAAAA'), '', 'v1.x', cookieOf(begun).split('=')[1]!])
      assert.equal((await put(browser, { proof: wrong })).status, 422, wrong);
    const { value: token } = await giveToken(server, eve, { role: 'owner' });
    assert.equal((await put({}, { proof }, token)).status, 403);
    assert.equal((await put(browser, { proof })).status, 204);
  });

  test('an answer of the provider that lies is refused', async () => {
    const person = { sub: 'p-1', email: 'pia@example.org', email_verified: true };
    assert.equal((await arrive(person)).status, 200);
    for (const lies of [
      { audience: 'another-client' },
      { issuer: 'https://elsewhere.example' },
      { nonce: 'of another login' },
      { isForged: true },
    ]) {
      provider.lies = lies;
      const refused = await arrive(person);
      assert.equal(refused.status, 401, JSON.stringify(lies));
      assert.doesNotMatch(refused.text, /data-secret/);
    }
  });

  test('an answer for another browser, a second time, or with another state is refused', async () => {
    provider.person = { sub: 'p-1' };
    const begun = await get('/session/oidc');
    const path = await visitProvider(begun.headers.get('location')!);
    const cookie = cookieOf(begun);
    assert.equal((await get(path)).status, 401, 'without the cookie');
    assert.equal((await get(`${path}x`, { cookie })).status, 401, 'another state');
    assert.equal((await get('/session/oidc/callback?error=access_denied', { cookie })).status, 401);
    assert.equal((await get(path, { cookie })).status, 200);
    assert.equal((await get(path, { cookie })).status, 401, 'a second time');
    const late = await get('/session/oidc');
    const answer = await visitProvider(late.headers.get('location')!);
    server.clock.ahead += 10 * 60_000;
    assert.equal((await get(answer, { cookie: cookieOf(late) })).status, 401, 'too late');
  });

  test('a provider that is gone is named, and everything else goes on', async (t) => {
    const lonely = await startServerOn(engine, {
      oidcIssuer: 'http://127.0.0.1:9',
      oidcClientId: 'signalbox',
      oidcClientSecret: 'a secret of the provider',
    });
    t.after(() => lonely.stop());
    const begun = await lonely.call('/session/oidc', { token: null });
    assert.equal(begun.status, 503);
    assert.match(begun.text, /127\.0\.0\.1:9 does not answer as it should/);
    assert.equal((await lonely.call('/session', { token: null })).status, 200);
  });
});
