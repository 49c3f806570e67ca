// The tokens that apps sign: what is refused, and how; and many clients of one installation at once.
import assert from 'node:assert/strict';
import { createHmac, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { removeApp } from '../../../../src/host/apps/remove-app.ts';
import { systemActor } from '../../../../src/kernel/identity/actor.ts';
import { makeApp, signedJwt, type TestApp } from '../../../app-people.ts';
import { onEachEngine } from '../../../engines.ts';
import { joinHost } from '../../../host-people.ts';
import { startServerOn } from '../../../suites.ts';
import type { Json, TestServer } from '../../../server.ts';

const UNDECODABLE = 'A JSON web token could not be decoded';
const EXPIRED =
  "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires";
const FAR = "'Expiration time' claim ('exp') is too far in the future";
const ISSUED =
  "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued";

const text = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');

onEachEngine((engine) => {
  let server: TestServer;
  let app: TestApp;
  let other: TestApp;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    await joinHost(server, 'ada');
    app = await makeApp(server, 'ada', { name: 'First', permissions: { contents: 'read' } });
    other = await makeApp(server, 'ada', { name: 'Other' });
  });
  after(() => server.stop());

  const seconds = () => Math.floor(server.clock.now() / 1000);
  const claims = (more: Json = {}) => ({
    iat: seconds() - 30,
    exp: seconds() + 500,
    iss: app.app.number,
    ...more,
  });
  const ask = async (token: string) => {
    const { status, json } = await server.call('/app', { token });
    return [status, status === 200 ? json['slug'] : json['message']];
  };

  describe('a token that an app signs', () => {
    test('names the app by its number, as a number or text, or by its client id', async () => {
      for (const iss of [app.app.number, String(app.app.number), app.app.clientId])
        assert.deepEqual(await ask(app.jwt({ iss })), [200, 'first'], String(iss));
    });

    test('is good with a clock that is wrong by less than a minute, for ten minutes at most', async () => {
      for (const [more, expected] of [
        [{ iat: seconds() + 50 }, undefined],
        [{ iat: seconds() - 60, exp: seconds() + 600 }, undefined],
        [{ iat: seconds() + 90 }, ISSUED],
        [{ iat: 'now' }, ISSUED],
        [{ iat: undefined }, ISSUED],
        [{ exp: seconds() - 1 }, EXPIRED],
        [{ exp: undefined }, EXPIRED],
        [{ exp: 'soon' }, EXPIRED],
        [{ exp: seconds() + 3600 }, FAR],
        [{ iat: seconds() - 3600 }, FAR],
        [{ nbf: seconds() + 300 }, UNDECODABLE],
      ] as const)
        assert.deepEqual(
          await ask(app.jwt(more)),
          expected === undefined ? [200, 'first'] : [401, expected],
          JSON.stringify(more),
        );
    });

    test('is refused when it is forged', async () => {
      const publicPem = createPublicKey(createPrivateKey(app.pem)).export({
        type: 'spki',
        format: 'pem',
      }) as string;
      const hmac = (secret: string) => {
        const signed = `${text({ alg: 'HS256', typ: 'JWT' })}.${text(claims())}`;
        return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
      };
      const ps = () => {
        const signed = `${text({ alg: 'RS512', typ: 'JWT' })}.${text(claims())}`;
        return `${signed}.${sign('sha512', Buffer.from(signed), createPrivateKey(app.pem)).toString('base64url')}`;
      };
      const good = app.jwt();
      const [head = '', body = '', signature = ''] = good.split('.');
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const foreign = privateKey.export({ type: 'pkcs1', format: 'pem' }) as string;
      const forged: Record<string, string> = {
        'alg none': `${text({ alg: 'none', typ: 'JWT' })}.${text(claims())}.`,
        'alg none with a signature': `${text({ alg: 'none' })}.${text(claims())}.${signature}`,
        'alg in other case': `${text({ alg: 'rs256' })}.${text(claims())}.${signature}`,
        'HS256 with the public key': hmac(publicPem),
        'HS256 with its trimmed text': hmac(publicPem.trim()),
        RS512: ps(),
        "another app's key": signedJwt(other.pem, claims()),
        'a key of nobody': signedJwt(foreign, claims()),
        'a key in the header': signedJwt(foreign, claims(), {
          alg: 'RS256',
          jwk: privateKey.export({ format: 'jwk' }),
        }),
        'a critical extension': signedJwt(app.pem, claims(), { alg: 'RS256', crit: ['b64'], b64: false }),
        'other claims': `${head}.${text(claims({ iss: other.app.number }))}.${signature}`,
        'no signature': `${head}.${body}.`,
        'garbage claims': `${head}.AAAA.${signature}`,
        'garbage head': `eyAA.${body}.${signature}`,
        'claims that are a list': signedJwt(app.pem, []),
        'no issuer': app.jwt({ iss: undefined }),
        'an issuer of nobody': app.jwt({ iss: 987_654 }),
        'an issuer that is no number': app.jwt({ iss: 'Iv1.ffffffffffffffff' }),
        'an issuer that is an object': app.jwt({ iss: { number: app.app.number } }),
        'an issuer that is huge': app.jwt({ iss: 1e300 }),
        'an issuer with NUL': app.jwt({ iss: 'Iv1.\u0000' }),
        'far too long': app.jwt({ more: 'x'.repeat(6000) }),
      };
      for (const [what, token] of Object.entries(forged))
        assert.deepEqual(await ask(token), [401, UNDECODABLE], what);
      assert.deepEqual(await ask(good), [200, 'first']);
    });

    test('ends with its app', async () => {
      const brief = await makeApp(server, 'ada', { name: 'Brief' });
      const jwt = brief.jwt();
      const { number } = await brief.install('ada');
      const token = await brief.token({ number });
      assert.equal((await server.call('/app', { token: jwt })).status, 200);
      const { changes, clock } = server.app.kernel;
      await changes.run(systemActor({ now: clock.now() }), (tx) => removeApp(tx, brief.app));
      assert.deepEqual(await ask(jwt), [401, UNDECODABLE]);
      assert.equal((await server.call('/installation/repositories', { token })).status, 401);
      assert.equal((await server.call('/apps/brief')).status, 404);
      assert.equal((await server.call('/users/brief%5Bbot%5D')).status, 404);
      await makeApp(server, 'ada', { name: 'Brief' });
    });

    test('is nothing on other APIs', async () => {
      assert.equal((await server.call('/api/v2/projects', { token: app.jwt() })).status, 401);
      assert.equal((await server.call('/v2/users/me', { token: app.jwt() })).status, 401);
    });
  });

  test('eight clients at once get tokens while the installation is suspended and unsuspended', async () => {
    const { number } = await app.install('ada');
    const path = `/app/installations/${number}`;
    const results = await Promise.all(
      Array.from({ length: 8 }, async (_, client) => {
        const seen: number[] = [];
        for (let turn = 0; turn < 4; turn += 1) {
          if (client < 2) {
            const method = (turn + client) % 2 === 0 ? 'PUT' : 'DELETE';
            seen.push((await app.call(`${path}/suspended`, { method })).status);
            continue;
          }
          const { status } = await app.call(`${path}/access_tokens`, { method: 'POST' });
          seen.push(status);
        }
        return seen;
      }),
    );
    for (const status of results.flat()) assert.ok([201, 204, 403].includes(status), String(status));
    await app.call(`${path}/suspended`, { method: 'DELETE' });
    const token = await app.token({ number });
    assert.equal((await server.call('/installation/repositories', { token })).status, 200);
    assert.equal((await app.call(`${path}/suspended`, { method: 'PUT' })).status, 204);
    assert.equal((await server.call('/installation/repositories', { token })).status, 401);
  });

  test('what happens to accounts and repositories happens to installations', async () => {
    const eve = await joinHost(server, 'eve');
    const fay = await joinHost(server, 'fay');
    const kept = await eve.repository('kept', { private: true });
    const gone = await eve.repository('gone', { private: true });
    const { number } = await app.install('eve', [kept['id'] as number, gone['id'] as number]);
    const token = await app.token({ number });
    const names = async () => {
      const { json } = await server.call('/installation/repositories', { token });
      return (json['repositories'] as Json[]).map(({ name }) => name as string);
    };
    assert.deepEqual(await names(), ['kept', 'gone']);
    assert.equal((await eve.delete('/repos/eve/gone')).status, 204);
    assert.deepEqual(await names(), ['kept']);
    const moved = await server.call('/repos/eve/kept/transfer', {
      method: 'POST',
      body: { new_owner: fay.login },
    });
    assert.equal(moved.status, 202, moved.text);
    assert.deepEqual(await names(), []);
    assert.equal((await server.call('/repos/fay/kept', { token })).status, 404);
    const removed = await server.call(`/api/v2/members/${eve.member.id}`, { method: 'DELETE' });
    assert.equal(removed.status, 204, removed.text);
    assert.equal((await server.call('/installation/repositories', { token })).status, 401);
    assert.equal((await app.call(`/app/installations/${number}`)).status, 404);
  });
});
