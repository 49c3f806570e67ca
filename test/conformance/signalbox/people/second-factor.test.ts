// Logins with a second factor, and limits on guessing that keep nobody else out.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sealedColumns } from '../../../../src/app/secret-rotation.ts';
import { findSecondFactor } from '../../../../src/kernel/identity/second-factor/store.ts';
import { totpCode, totpStepAt } from '../../../../src/kernel/identity/second-factor/totp.ts';
import { insertLoginLink } from '../../../../src/kernel/identity/sessions/store-login-links.ts';
import { listSealedRows } from '../../../../src/kernel/secrets/store-keyring.ts';
import { updatePassword, type Member } from '../../../../src/kernel/identity/store-members.ts';
import { onEachEngine } from '../../../engines.ts';
import {
  browserHeadersOf,
  FORM,
  giveToken,
  join,
  openBrowser,
  quickHashOf,
  type BrowserHeaders,
} from '../../../people.ts';
import type { Answer, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';

const BASE = '/signalbox/v1';
const FACTOR = '/me/second-factor';
const STEP_MS = 30_000;
const PASSWORD = 'a long enough password';

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

  const logIn = (body: object, browser: object = {}, on = server): Promise<Answer> =>
    browse(browser, '/session', 'POST', body, on);

  const browserOf = ({ headers, json }: Answer): BrowserHeaders => ({
    cookie: headers.getSetCookie()[0]!.split(';')[0]!,
    'x-signalbox-session': json['secret'] as string,
  });

  const codeNow = (secret: string) => totpCode(secret, totpStepAt(server.clock.now()));

  const joinWithPassword = async (name: string, on = server): Promise<Member> => {
    const member = await join(on, name);
    const { db, clock } = on.app.kernel;
    await updatePassword(db, member.id, await quickHashOf(PASSWORD), clock.now());
    return member;
  };

  /** Somebody whose login needs a code. */
  const joinWithFactor = async (name: string) => {
    const member = await joinWithPassword(name);
    // Opened by a link, it needs no present password.
    const browser = await openBrowser(server, member);
    const begun = await browse(browser, FACTOR, 'POST', {});
    assert.equal(begun.status, 201, begun.text);
    const secret = begun.json['secret'] as string;
    const confirmed = await browse(browser, FACTOR, 'PUT', { code: codeNow(secret) });
    assert.equal(confirmed.status, 200, confirmed.text);
    const codes = confirmed.json['recoveryCodes'] as string[];
    // A code is taken once.
    server.clock.ahead += STEP_MS;
    return { member, browser, secret, codes };
  };

  const challengeOf = async (name: string, on = server): Promise<string> => {
    const { status, text, json } = await logIn({ name, password: PASSWORD }, {}, on);
    assert.equal(status, 202, text);
    return json['challenge'] as string;
  };

  test('a login needs the password and then a code, and each code lets in once', async () => {
    const { browser, secret, codes } = await joinWithFactor('ada');
    const shown = await browse(browser, FACTOR, 'GET');
    assert.deepEqual([shown.json['isActive'], shown.json['recoveryCodes']], [true, 10]);
    const first = await logIn({ name: 'ada', password: PASSWORD });
    assert.deepEqual([first.status, first.headers.getSetCookie()], [202, []]);
    const challenge = first.json['challenge'] as string;
    const wrong = await logIn({ challenge, code: '000000' });
    assert.deepEqual([wrong.status, wrong.json['code']], [401, 'wrong-code']);
    const code = codeNow(secret);
    const [one, other] = await Promise.all([logIn({ challenge, code }), logIn({ challenge, code })]);
    assert.deepEqual(new Set([one.status, other.status]), new Set([201, 401]));
    assert.equal((await logIn({ challenge, code })).status, 401);
    const spaced = await logIn({ challenge, code: codes[0]!.toUpperCase() });
    assert.equal(spaced.status, 201, spaced.text);
    assert.equal((await logIn({ challenge, code: codes[0]! })).status, 401);
    assert.equal((await browse(browserOf(spaced), FACTOR, 'GET')).json['recoveryCodes'], 9);
  });

  test('the page of the login asks for the code, too, and leads back', async () => {
    const { secret } = await joinWithFactor('pia');
    const post = (fields: Record<string, string>) =>
      server.call('/session', {
        method: 'POST',
        token: null,
        headers: { ...FORM, origin: server.url },
        body: new URLSearchParams(fields).toString(),
      });
    const asked = await post({ name: 'pia', password: PASSWORD, return: '/console/runs' });
    assert.deepEqual([asked.status, asked.headers.getSetCookie()], [200, []]);
    assert.doesNotMatch(asked.text, /a long enough password/);
    const [, challenge] = /name="challenge" value="([^"]+)"/.exec(asked.text)!;
    const wrong = await post({ challenge: challenge!, code: '1', return: '/console/runs' });
    assert.equal(wrong.status, 401);
    assert.match(wrong.text, /The code is wrong/);
    const opened = await post({ challenge: challenge!, code: codeNow(secret), return: '/console/runs' });
    assert.match(opened.text, /data-next="\/console\/runs"/);
    assert.equal((await browse(browserHeadersOf(opened), '/me', 'GET')).json['member'].username, 'pia');
  });

  test('a challenge ends after five minutes, with the password, and for any change of it', async () => {
    const { member, browser, secret } = await joinWithFactor('bob');
    const challenge = await challengeOf('bob');
    const [content, signature] = challenge.split('.') as [string, string];
    const other = Buffer.from(content, 'base64url').toString().replace(member.id, '0'.repeat(24));
    for (const forged of [
      '',
      'x',
      content,
      `${content}.${signature.replace(/.$/, (end) => (end === 'A' ? 'B' : 'A'))}x`,
      `${Buffer.from(other).toString('base64url')}.${signature}`,
    ]) {
      const { status, json } = await logIn({ challenge: forged, code: codeNow(secret) });
      assert.deepEqual([status, json['code']], [401, 'login-expired'], forged);
    }
    const body = { current: PASSWORD, password: `${PASSWORD}!` };
    assert.equal((await browse(browser, '/me/password', 'PUT', body)).status, 204);
    assert.equal((await logIn({ challenge, code: codeNow(secret) })).json['code'], 'login-expired');
    const late = (await logIn({ name: 'bob', password: body.password })).json['challenge'] as string;
    server.clock.ahead += 5 * 60_000;
    assert.equal((await logIn({ challenge: late, code: codeNow(secret) })).json['code'], 'login-expired');
  });

  test('its secret is among those that a change of the server’s key encrypts anew', async () => {
    const { member } = await joinWithFactor('kim');
    const { db } = server.app.kernel;
    const { sealed } = (await findSecondFactor(db, member.id))!;
    const found = await Promise.all(
      sealedColumns.map(async (column) => await listSealedRows(db, column, undefined, 1000)),
    );
    assert.ok(found.flat().some(({ value }) => value === sealed));
  });

  test('a challenge whose content is nothing that the server has made is over, and no fault', async () => {
    for (const content of ['null', '7', '{}', '[]', '[["6afe2968b36bbfe88fa2bde1"],null,9e15]', '[{},{},{}]'])
      assert.equal(
        (await logIn({ challenge: `${Buffer.from(content).toString('base64url')}.x`, code: '123456' }))
          .status,
        401,
        content,
      );
  });

  test('a link that others pass on needs the code, and one of the operator does not', async () => {
    const { member } = await joinWithFactor('cyd');
    const { db, clock } = server.app.kernel;
    const reset = await insertLoginLink(db, member, clock.now(), 'reset');
    assert.equal((await logIn({ link: reset })).status, 202);
    const login = await insertLoginLink(db, member, clock.now(), 'login');
    assert.equal((await logIn({ link: login })).status, 201);
  });

  test('turning it on takes the password and a code, ends other sessions, and is in the audit log', async () => {
    await joinWithPassword('dan');
    const [browser, other] = [
      browserOf(await logIn({ name: 'dan', password: PASSWORD })),
      browserOf(await logIn({ name: 'dan', password: PASSWORD })),
    ];
    assert.equal((await browse(browser, FACTOR, 'PUT', { code: '123456' })).status, 409);
    for (const body of [{}, { current: 'wrong' }])
      assert.equal((await browse(browser, FACTOR, 'POST', body)).status, 422);
    const [first, second] = [
      await browse(browser, FACTOR, 'POST', { current: PASSWORD }),
      await browse(browser, FACTOR, 'POST', { current: PASSWORD }),
    ];
    const [old, secret] = [first.json['secret'] as string, second.json['secret'] as string];
    assert.equal((await browse(browser, FACTOR, 'PUT', { code: codeNow(old) })).status, 422);
    assert.equal((await logIn({ name: 'dan', password: PASSWORD })).status, 201, 'it is not confirmed');
    assert.equal((await browse(browser, FACTOR, 'PUT', { code: codeNow(secret) })).status, 200);
    assert.equal((await browse(browser, FACTOR, 'POST', { current: PASSWORD })).status, 409);
    assert.deepEqual(
      [(await browse(browser, '/me', 'GET')).status, (await browse(other, '/me', 'GET')).status],
      [200, 401],
    );
    const entries = await server.call(`${BASE}/activity?action=createSecondFactor&limit=1`);
    assert.equal((entries.json['items'] as Json[])[0]!['verb'], 'turned on the second factor of the member');
    assert.doesNotMatch(entries.text, new RegExp(secret));
  });

  test('it is removed, and its recovery codes replaced, with a code alone', async () => {
    const { browser, secret, codes } = await joinWithFactor('eve');
    for (const path of [`${FACTOR}/removal`, `${FACTOR}/recovery-codes`])
      assert.equal((await browse(browser, path, 'POST', { code: '000000' })).status, 422);
    const fresh = await browse(browser, `${FACTOR}/recovery-codes`, 'POST', { code: codeNow(secret) });
    assert.equal(fresh.status, 201, fresh.text);
    const challenge = await challengeOf('eve');
    assert.equal((await logIn({ challenge, code: codes[1]! })).status, 401);
    const code = (fresh.json['recoveryCodes'] as string[])[0]!;
    assert.equal((await browse(browser, `${FACTOR}/removal`, 'POST', { code })).status, 204);
    assert.equal((await logIn({ name: 'eve', password: PASSWORD })).status, 201);
    assert.equal((await browse(browser, `${FACTOR}/removal`, 'POST', { code })).status, 409);
  });

  test('an administrator removes a lost one, and nobody with less power, nor a token that expires', async () => {
    const { member } = await joinWithFactor('fay');
    const remove = (token: string) =>
      server.call(`${BASE}/members/${member.id}/second-factor`, { method: 'DELETE', token });
    const writer = await join(server, 'wim', { role: 'writer' });
    const { value: weak } = await giveToken(server, writer, { role: 'writer' });
    assert.equal((await remove(weak)).status, 403);
    const admin = await join(server, 'amy', { role: 'admin' });
    const { value: brief } = await giveToken(server, admin, {
      role: 'admin',
      expiresAt: server.clock.now() + 60_000,
    });
    assert.equal((await remove(brief)).status, 403);
    const listed = async () =>
      ((await server.call(`${BASE}/members?q=fay`)).json['items'] as Json[])[0]!['hasSecondFactor'];
    assert.equal(await listed(), true);
    const { value: strong } = await giveToken(server, admin, { role: 'admin' });
    for (const _again of [1, 2]) assert.equal((await remove(strong)).status, 204);
    assert.equal(await listed(), false);
    assert.equal((await logIn({ name: 'fay', password: PASSWORD })).status, 201);
    const entries = await server.call(`${BASE}/activity?action=deleteSecondFactor&limit=5`);
    assert.equal((entries.json['items'] as Json[]).length, 2, 'one of eve, one of fay');
  });

  test('no token sees or changes it, and bodies that are no codes change nothing', async () => {
    const { browser, member } = await joinWithFactor('gil');
    const { value: token } = await giveToken(server, member, { role: 'owner' });
    for (const [method, path, body] of [
      ['GET', FACTOR, undefined],
      ['POST', FACTOR, {}],
      ['PUT', FACTOR, { code: '123456' }],
      ['POST', `${FACTOR}/removal`, { code: '123456' }],
    ] as const)
      assert.equal((await server.call(BASE + path, { method, token, ...(body && { body }) })).status, 403);
    for (const body of [{}, [], { code: 7 }, { code: 'x'.repeat(101) }, { code: '123456', other: 1 }]) {
      const { status, text } = await browse(browser, `${FACTOR}/removal`, 'POST', body);
      assert.ok([400, 422].includes(status), `${JSON.stringify(body)}: ${text}`);
    }
    assert.equal((await browse(browser, FACTOR, 'GET')).json['isActive'], true);
  });

  test('wrong passwords for an account shut out browsers that it does not know, and no others', async (t) => {
    const limit = { anonymous: 3, known: 3, seconds: 3600 };
    const limited = await startServerOn(engine, {
      limit: { 'login-account': limit, 'login-browser': limit },
    });
    t.after(() => limited.stop());
    await joinWithPassword('hal', limited);
    const attempt = (password: string, cookie = '', name = 'hal') =>
      logIn({ name, password }, cookie === '' ? {} : { cookie }, limited);
    const opened = await attempt(PASSWORD);
    const known = opened.headers.getSetCookie().find((cookie) => cookie.startsWith('signalbox_known='))!;
    assert.match(known, /; HttpOnly; SameSite=Lax; Max-Age=\d+$/);
    const cookie = known.split(';')[0]!;
    for (const _try of [1, 2, 3]) assert.equal((await attempt('guessed')).status, 401);
    const refused = await attempt(PASSWORD);
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.equal((await attempt(PASSWORD, cookie)).status, 201, 'the browser of the owner');
    // The minute of the address is over.
    limited.clock.ahead += 61_000;
    for (const _try of [1, 2, 3]) assert.equal((await attempt('guessed', '', 'nobody')).status, 401);
    assert.equal(
      (await attempt('guessed', '', 'nobody')).status,
      429,
      'which accounts there are is not told',
    );
    const forged = cookie.replace(/.$/, (end) => (end === 'A' ? 'B' : 'A'));
    assert.equal((await attempt(PASSWORD, forged)).status, 429);
  });
});
