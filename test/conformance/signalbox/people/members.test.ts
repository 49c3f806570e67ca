// Members over the Signalbox API: the search, what they may do in sentences, and links that let them in.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findMember, updateLastSeen, type Member } from '../../../../src/kernel/identity/store-members.ts';
import type { NewToken } from '../../../../src/kernel/identity/store-tokens.ts';
import { onEachEngine } from '../../../engines.ts';
import { giveToken, join, openBrowser } from '../../../people.ts';
import type { Answer, Json, TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';

const BASE = '/signalbox/v1';
const DAY = 24 * 60 * 60 * 1000;

onEachEngine((engine) => {
  let server: TestServer;
  const MADE = 12;

  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
    await make('/api/v2/roles', {
      key: 'switcher',
      name: 'Switcher',
      policy: [
        { effect: 'allow', actions: ['updateOn'], resources: ['proj/default:env/production:flag/*'] },
        { effect: 'deny', actions: ['deleteFlag'], resources: ['proj/*:env/*:flag/*'] },
      ],
      basePermissions: 'no_access',
    });
    for (let index = 0; index < MADE; index += 1) await join(server, `person-${10 + index}`);
  });
  after(() => server.stop());

  const make = async (path: string, body: unknown): Promise<Json> => {
    const { status, json, text } = await server.call(path, { method: 'POST', body });
    assert.equal(status, 201, text);
    return json;
  };

  const list = async (query: string, token?: string): Promise<Json[]> => {
    const { status, json, text } = await server.call(
      `${BASE}/members${query}`,
      token === undefined ? {} : { token },
    );
    assert.equal(status, 200, text);
    return json['items'] as Json[];
  };

  const invite = async (name: string, more: object = {}): Promise<{ id: string; url: string }> => {
    const { items } = await make('/api/v2/members', [{ email: `${name}@example.com`, ...more }]);
    return { id: items[0]._id as string, url: items[0]._links.login?.href as string };
  };

  /** A member who was here already. */
  const joinSeen = async (name: string, more: Parameters<typeof join>[2] = {}): Promise<Member> => {
    const member = await join(server, name, more);
    const { db, clock } = server.app.kernel;
    await updateLastSeen(db, member.id, clock.now(), undefined);
    return member;
  };

  const tokenOf = async (member: Member, token: Partial<NewToken>): Promise<string> =>
    (await giveToken(server, member, token)).value;

  const ask = (id: string, token?: string, method = 'POST'): Promise<Answer> =>
    server.call(`${BASE}/members/${id}/login-link`, { method, ...(token !== undefined && { token }) });

  const open = (url: string): Promise<Answer> =>
    server.call(`${BASE}/session`, {
      method: 'POST',
      token: null,
      headers: { origin: server.url },
      body: { link: url.split('/').at(-1) },
    });

  test('pages follow each other by name without repeating or leaving out a member', async () => {
    const all = (await list('?limit=100')).map(({ id }) => id as string);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { json } = await server.call(
        `${BASE}/members?limit=5${cursor === undefined ? '' : `&cursor=${cursor}`}`,
      );
      seen.push(...(json['items'] as Json[]).map(({ id }) => id as string));
      cursor = json['next'] as string | undefined;
    } while (cursor !== undefined);
    assert.deepEqual(seen, all);
    const names = (await list('?q=person-&limit=100')).map(({ username }) => username as string);
    assert.equal(names.length, MADE);
    assert.deepEqual(names, names.toSorted());
  });

  test('a member has roles and teams by name, and how they stand with the account', async () => {
    const { id } = await invite('cleo', {
      firstName: 'Cleo',
      lastName: 'Ash',
      customRoles: ['switcher'],
      role: 'reader',
    });
    await make('/api/v2/teams', { key: 'night', name: 'Night shift', memberIDs: [id] });
    const [cleo] = await list('?q=cleo%20ash');
    const { clock } = server.app.kernel;
    assert.equal(cleo!['id'], id);
    assert.deepEqual(cleo!['customRoles'], [{ key: 'switcher', name: 'Switcher' }]);
    assert.deepEqual(cleo!['teams'], [{ key: 'night', name: 'Night shift' }]);
    assert.equal(cleo!['state'], 'invited');
    assert.equal(cleo!['hasPassword'], false);
    assert.equal(cleo!['invitation'].isExpired, false);
    assert.ok(Math.abs((cleo!['invitation'].expiresAt as number) - clock.now() - 7 * DAY) < DAY);
    assert.ok((await list('?role=switcher')).some((member) => member['id'] === id));
    assert.deepEqual(
      (await list('?role=owner')).map(({ username }) => username as string),
      ['admin'],
    );
    assert.ok((await list('?state=invited&limit=100')).some((member) => member['id'] === id));
    assert.ok((await list('?state=active&limit=100')).every((member) => member['id'] !== id));
    assert.deepEqual(await list('?q=cleo&role=writer'), []);
  });

  test('only those who may see members see them, and roles only where they may see these', async () => {
    const rob = await joinSeen('rob');
    const narrow = [{ effect: 'allow' as const, actions: ['viewMember'], resources: [`member/${rob.id}`] }];
    const own = await list('?limit=100', await tokenOf(rob, { inlinePolicy: narrow }));
    assert.deepEqual(
      own.map(({ username }) => username as string),
      ['rob'],
    );
    const members = [{ effect: 'allow' as const, actions: ['viewMember'], resources: ['member/*'] }];
    const [cleo] = await list('?q=cleo', await tokenOf(rob, { inlinePolicy: members }));
    assert.deepEqual(cleo!['customRoles'], [{ key: 'switcher', name: 'switcher' }]);
    const nothing = [{ effect: 'allow' as const, actions: ['viewProject'], resources: ['proj/*'] }];
    const refused = await server.call(`${BASE}/members`, {
      token: await tokenOf(rob, { inlinePolicy: nothing }),
    });
    assert.equal(refused.status, 403);
    assert.deepEqual(refused.json['access'], { action: 'viewMember', resource: 'member/*' });
    assert.equal((await server.call(`${BASE}/members`, { token: null })).status, 401);
    const token = await tokenOf(rob, { role: 'reader' });
    assert.ok((await list('', token)).length > 1);
  });

  test('wrong queries say so', async () => {
    for (const query of ['?state=x', '?limit=-1', '?cursor=nothing', `?q=${'x'.repeat(201)}`, '?limit=x']) {
      const { status, json } = await server.call(`${BASE}/members${query}`);
      assert.equal(status, 422, query);
      assert.ok(json['errors'].length > 0, query);
    }
  });

  test('what a member may do is said in sentences that name their reason', async () => {
    const [cleo] = await list('?q=cleo');
    const { status, json, text } = await server.call(`${BASE}/members/${cleo!['id']}/abilities`);
    assert.equal(status, 200, text);
    assert.equal(json['isComplete'], true);
    const sentences = json['sentences'] as Json[];
    assert.deepEqual(sentences.at(0)!['because'], { role: 'reader' });
    assert.deepEqual(
      sentences.filter(({ because }) => because.policy === 'switcher'),
      [
        {
          text: 'may turn flags on and off in proj/default:env/production:flag/*',
          because: { policy: 'switcher' },
        },
        {
          text: 'may not delete flags in proj/*:env/*:flag/*, unless another role allows it',
          because: { policy: 'switcher' },
        },
      ],
    );
    const own = await joinSeen('ola', { customRoles: ['switcher'], role: 'no_access' });
    const browser = await openBrowser(server, own);
    const mine = await server.call(`${BASE}/members/me/abilities`, { token: null, headers: browser });
    assert.equal(mine.status, 200, mine.text);
    assert.match(mine.text, /which you may not see/);
    const other = await server.call(`${BASE}/members/${cleo!['id']}/abilities`, {
      token: null,
      headers: browser,
    });
    assert.equal(other.status, 403);
    for (const id of ['x', '000000000000000000000000', 'me%3Atoken%2Fx'])
      assert.equal((await server.call(`${BASE}/members/${id}/abilities`)).status, 404, id);
    const service = await tokenOf(own, { isService: true, role: 'reader' });
    assert.equal((await server.call(`${BASE}/members/me/abilities`, { token: service })).status, 404);
  });

  test('an invited member gets a new invitation, the old one ends, and it asks for a password', async () => {
    const { id, url: old } = await invite('dora');
    const made = await ask(id);
    assert.equal(made.status, 201, made.text);
    assert.equal(made.json['purpose'], 'invitation');
    assert.equal(made.headers.get('cache-control'), 'no-store');
    assert.equal((await open(old)).status, 401);
    const opened = await open(made.json['url'] as string);
    assert.equal(opened.status, 201, opened.text);
    const { purpose, hasPassword, mustSetPassword } = opened.json;
    assert.deepEqual([purpose, hasPassword, mustSetPassword], ['invitation', false, true]);
    assert.equal((await open(made.json['url'] as string)).status, 401);
    const audit = await server.call(`${BASE}/activity?action=createLoginLink&limit=1`);
    assert.equal(audit.json['items'][0].verb, 'created a new invitation for');
    assert.ok(!audit.text.includes((made.json['url'] as string).split('/').at(-1)!));
    // A session is enough, though when they were last seen is saved later.
    assert.equal((await ask(id)).json['purpose'], 'reset');
  });

  test('an active member gets a reset for a day, and ending the links ends it', async () => {
    const member = await joinSeen('egon');
    const { clock } = server.app.kernel;
    const first = await ask(member.id);
    assert.equal(first.json['purpose'], 'reset', first.text);
    assert.ok(Math.abs((first.json['expiresAt'] as number) - clock.now() - DAY) < DAY / 24);
    assert.equal((await ask(member.id, undefined, 'DELETE')).status, 204);
    assert.equal((await ask(member.id, undefined, 'DELETE')).status, 204);
    assert.equal((await open(first.json['url'] as string)).status, 401);
    const ended = await server.call(`${BASE}/activity?action=deleteLoginLink`);
    assert.equal(ended.json['items'].length, 1);
    const second = await ask(member.id);
    const opened = await open(second.json['url'] as string);
    assert.deepEqual([opened.json['purpose'], opened.json['mustSetPassword']], ['reset', true]);
  });

  test('eight links that are asked for at once leave one that works', async () => {
    const member = await joinSeen('fay');
    const answers = await Promise.all(Array.from({ length: 8 }, () => ask(member.id)));
    for (const { status, text } of answers) assert.equal(status, 201, text);
    const opened = await Promise.all(answers.map(({ json }) => open(json['url'] as string)));
    assert.equal(opened.filter(({ status }) => status === 201).length, 1);
  });

  test('nobody gets a link to an account that is stronger than their own', async () => {
    const owner = (await findMember(server.app.kernel.db, { username: 'admin' }))!;
    const policy = [
      {
        effect: 'allow' as const,
        actions: ['createLoginLink', 'deleteLoginLink', 'createMember'],
        resources: ['member/*'],
      },
    ];
    await make('/api/v2/roles', { key: 'inviter', name: 'Inviter', policy, basePermissions: 'no_access' });
    const admin = await joinSeen('ann', { role: 'admin' });
    const writer = await joinSeen('will', { role: 'writer', customRoles: ['inviter'] });
    const reader = await joinSeen('rita');
    const tokens = {
      admin: await tokenOf(admin, { role: 'admin' }),
      writer: await tokenOf(writer, { role: 'owner' }),
      reader: await tokenOf(reader, { role: 'reader' }),
      service: await tokenOf(owner, { isService: true, role: 'admin' }),
      plain: await tokenOf(owner, { role: 'writer' }),
      statements: await tokenOf(owner, { inlinePolicy: policy }),
      ofService: await tokenOf(owner, { isService: true, inlinePolicy: policy }),
    };
    // Neither an administrator nor a service token of one lets themselves in as the owner.
    for (const [name, token] of Object.entries(tokens))
      for (const method of name === 'plain' || name === 'statements' ? ['POST'] : ['POST', 'DELETE']) {
        const { status, text } = await ask(owner.id, token, method);
        assert.equal(status, 403, `${name}: ${text}`);
        assert.doesNotMatch(text, /\/session\//);
      }
    assert.equal((await ask(reader.id, tokens.reader)).status, 403);
    const refused = await ask(writer.id, tokens.reader);
    assert.deepEqual(refused.json['access'], {
      action: 'createLoginLink',
      resource: `member/${writer.id}`,
    });
    // What is in use takes an administrator, even of a lower role.
    assert.equal((await ask(reader.id, tokens.writer)).status, 403);
    assert.equal((await ask(reader.id, tokens.statements)).status, 403);
    assert.equal((await ask(reader.id, tokens.ofService)).status, 403);
    // What was never used takes the power to give it.
    const { id: fresh } = await invite('gil', { role: 'writer' });
    assert.equal((await ask(fresh, tokens.writer)).status, 201);
    const { id: fitted } = await invite('hal', { role: 'reader', customRoles: ['switcher'] });
    assert.equal((await ask(fitted, tokens.writer)).status, 403);
    assert.equal((await ask(fitted, tokens.admin)).status, 201);
    const { id: strong } = await invite('ivy', { role: 'admin' });
    assert.equal((await ask(strong, tokens.writer)).status, 403);
    assert.equal((await ask(reader.id, tokens.admin)).status, 201);
    assert.equal((await ask(admin.id, tokens.service)).status, 201);
  });

  test('nobody creates a link for themselves, and a token that expires none to an account in use', async () => {
    const admin = await joinSeen('max', { role: 'admin' });
    const browser = await openBrowser(server, admin);
    const own = await server.call(`${BASE}/members/${admin.id}/login-link`, {
      method: 'POST',
      token: null,
      headers: { ...browser, origin: server.url },
    });
    assert.equal(own.status, 403);
    assert.match(own.json['detail'] as string, /me\/password/);
    const expiresAt = server.app.kernel.clock.now() + DAY;
    const token = await tokenOf(admin, { role: 'admin', expiresAt });
    const used = await joinSeen('ned');
    assert.equal((await ask(used.id, token)).status, 403);
    const { id } = await invite('ona');
    assert.equal((await ask(id, token)).status, 201);
  });

  test('unknown and removed members have no links', async () => {
    const { id } = await invite('pia');
    const { json } = await ask(id);
    assert.equal((await server.call(`/api/v2/members/${id}`, { method: 'DELETE' })).status, 204);
    assert.equal((await open(json['url'] as string)).status, 401);
    for (const name of [id, 'x', 'me', '000000000000000000000000'])
      for (const method of ['POST', 'DELETE'])
        assert.equal((await ask(name, undefined, method)).status, 404, name);
    assert.ok((await list('?limit=100')).every((member) => member['id'] !== id));
  });

  test('an invitation that has expired is shown as such', async () => {
    const { id, url } = await invite('quin');
    server.clock.ahead += 7 * DAY + 1;
    const [quin] = await list('?q=quin');
    assert.equal(quin!['invitation'].isExpired, true);
    assert.equal((await open(url)).status, 401);
    const again = await ask(id);
    assert.equal(again.json['purpose'], 'invitation');
    assert.equal((await list('?q=quin'))[0]!['invitation'].isExpired, false);
  });
});
