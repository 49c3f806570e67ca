// Users of the host on a running server, on each engine: profiles, e-mail addresses and public keys.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { withChangeBeforeReply } from '../../change-before-reply.ts';
import { onEachEngine } from '../../engines.ts';
import { joinHost, type HostPerson } from '../../host-people.ts';
import { giveToken } from '../../people.ts';
import { assertPlans, recordStatements, wholeTableExcept } from '../../query-plans.ts';
import { type Answer, type CallInit, type TestServer } from '../../server.ts';
import { ed25519Key, rsaKey } from '../../ssh-keys.ts';
import { startServerOn } from '../../suites.ts';

onEachEngine((engine) => {
  let server: TestServer;
  let count = 0;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off' });
  });
  after(() => server.stop());

  /** A new member with a token. */
  const person = (fields: Parameters<typeof joinHost>[2] = {}): Promise<HostPerson> =>
    joinHost(server, `User-${(count += 1)}`, fields);

  const patch = (body: unknown): CallInit => ({ method: 'PATCH', body });
  const post = (body: unknown): CallInit => ({ method: 'POST', body });
  const del = (body?: unknown): CallInit => ({ method: 'DELETE', ...(body !== undefined && { body }) });

  async function lastEntry() {
    const { json } = await server.call('/api/v2/auditlog?limit=1', { headers: { 'ld-api-version': 'beta' } });
    return json['items'][0] as Record<string, unknown>;
  }

  test('a user is found by name in any case, and by number', async () => {
    const ada = await person({ firstName: 'Ada', lastName: 'Lovelace' });
    const byName = await server.call(`/users/${ada.login.toUpperCase()}`, { token: null });
    assert.equal(byName.status, 200);
    assert.deepEqual(
      [byName.json['login'], byName.json['type'], byName.json['name'], byName.json['email']],
      [ada.login, 'User', 'Ada Lovelace', null],
    );
    const byNumber = await server.call(`/user/${ada.member.number}`, { token: null });
    assert.deepEqual(byNumber.json, byName.json);
    for (const path of [
      '/users/nobody',
      '/user/999999',
      '/user/0',
      '/user/nothing',
      '/user/99999999999',
      '/user/1.5',
    ])
      assert.equal((await server.call(path)).status, 404, path);
  });

  test('an organization is found like a user', async () => {
    const { kernel } = server.app;
    const { number } = await kernel.db
      .insertInto('organizations')
      .values({
        id: 'a'.repeat(24),
        login: 'Acme',
        profile: JSON.stringify({
          name: 'Acme Ltd',
          company: null,
          blog: null,
          location: 'Rome',
          email: null,
        }),
        settings: '{}',
        default_permission: 'read',
        created_at: 0,
        updated_at: 0,
      })
      .returning('number')
      .executeTakeFirstOrThrow();
    const { json } = await server.call('/users/acme', { token: null });
    assert.deepEqual(
      [json['login'], json['type'], json['name'], json['location']],
      ['Acme', 'Organization', 'Acme Ltd', 'Rome'],
    );
    assert.equal(json['id'], 1_500_000_000 + number);
    assert.deepEqual((await server.call(`/user/${json['id']}`)).json['login'], 'Acme');
    assert.match((await server.call(`/avatars/${json['id']}`)).text, />A<\/text>/);
    assert.deepEqual((await server.call('/users/acme/keys')).json, []);
  });

  test('a profile is changed field by field, and audited', async () => {
    const ada = await person({ firstName: 'Ada' });
    const first = await ada.call('/user');
    const { status, json } = await ada.call(
      '/user',
      patch({
        name: 'Countess',
        blog: 'https://ada.example',
        twitter_username: 'ada_l',
        company: 'Engines',
        location: 'London',
        hireable: true,
        bio: 'Notes',
      }),
    );
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(json).sort(), Object.keys(first.json).sort());
    assert.deepEqual(
      [
        json['name'],
        json['blog'],
        json['twitter_username'],
        json['company'],
        json['location'],
        json['hireable'],
        json['bio'],
      ],
      ['Countess', 'https://ada.example', 'ada_l', 'Engines', 'London', true, 'Notes'],
    );
    const entry = await lastEntry();
    assert.deepEqual([entry['titleVerb'], entry['name']], ['changed the profile of', ada.login]);
    const cleared = await ada.call('/user', patch({ name: '', blog: null, hireable: null }));
    assert.deepEqual(
      [cleared.json['name'], cleared.json['blog'], cleared.json['hireable'], cleared.json['bio']],
      ['Ada', null, null, 'Notes'],
    );
    assert.equal((await ada.call('/user', { method: 'PATCH' })).json['bio'], 'Notes');
    const shown = await server.call(`/users/${ada.login}`, { token: null });
    assert.deepEqual([shown.json['bio'], shown.json['company']], ['Notes', 'Engines']);
    const query = '{ viewer { name } }';
    await ada.call('/user', patch({ name: 'Ada L.' }));
    assert.equal((await ada.call('/graphql', post({ query }))).json['data'].viewer.name, 'Ada L.');
    const other = `{ user(login: "${ada.login}") { name } }`;
    assert.equal((await server.call('/graphql', post({ query: other }))).json['data'].user.name, 'Ada L.');
  });

  test('a change of a profile is answered as it was written, whatever is changed before the reply', async () => {
    const ada = await person();
    const { json } = await withChangeBeforeReply(
      server,
      () => ada.call('/user', patch({ bio: 'later' })),
      () => ada.call('/user', patch({ bio: 'first' })),
    );
    assert.equal(json['bio'], 'first');
    assert.equal((await ada.call('/user')).json['bio'], 'later');
  });

  test('a wrong profile changes nothing', async () => {
    const ada = await person();
    const profile = (await ada.call('/user')).json;
    for (const body of [
      { name: 5 },
      { bio: 'a\0b' },
      { name: 'x'.repeat(256) },
      { twitter_username: 'not a name' },
      { hireable: 'yes' },
      { bio: 'good', email: 'somebody@else.example' },
    ])
      assert.equal((await ada.call('/user', patch(body))).status, 422, JSON.stringify(body));
    assert.equal((await ada.call('/user', patch([]))).status, 400);
    assert.deepEqual((await ada.call('/user')).json, profile);
  });

  test('the token of a service has a profile, addresses and keys, which end with it', async () => {
    const { member } = await person();
    const { value: token, id } = await giveToken(server, member, {
      isService: true,
      name: 'Builder',
      role: 'writer',
    });
    const as = (path: string, init: CallInit = {}) => server.call(path, { token, ...init });
    const me = (await as('/user')).json;
    assert.deepEqual([me['type'], me['name']], ['Bot', 'Builder']);
    assert.equal((await server.call(`/users/${me['login']}`)).json['name'], null);
    await as('/user', patch({ name: 'The builder' }));
    assert.equal((await server.call(`/users/${me['login']}`)).json['name'], 'The builder');
    assert.equal((await as('/user/emails', post(['builder@example.com']))).status, 201);
    assert.equal((await as('/user/keys', post({ key: ed25519Key('builder') }))).status, 201);
    assert.equal((await server.call(`/api/v2/tokens/${id}`, del())).status, 204);
    assert.equal((await server.call('/user/emails', post(['builder@example.com']))).status, 201);
    assert.equal((await server.call('/user/keys', post({ key: ed25519Key('builder') }))).status, 201);
    await server.call('/user/emails', del(['builder@example.com']));
  });

  test('the keys and addresses of a member who is removed are free again', async () => {
    const [ada, bob] = [await person(), await person()];
    const [key, email] = [ed25519Key(`${ada.login}-gone`), `${ada.login}-gone@other.example`];
    await ada.call('/user', patch({ bio: 'Gone soon' }));
    await ada.call('/user/keys', post({ key }));
    await ada.call('/user/emails', post([email]));
    const removed = await server.call(`/api/v2/members/${ada.member.id}`, del());
    assert.equal(removed.status, 204);
    assert.equal((await bob.call('/user/keys', post({ key }))).status, 201);
    assert.equal((await bob.call('/user/emails', post([email]))).status, 201);
    const rest = await server.app.kernel.db
      .selectFrom('user_profiles')
      .select('profile')
      .where('account_id', '=', ada.member.id)
      .execute();
    assert.deepEqual(rest, []);
  });

  test('users are listed by number, a page at a time', async () => {
    const { member } = await person();
    await person();
    const { value: token } = await giveToken(server, member, { isService: true, role: 'writer' });
    const bot = (await server.call('/user', { token })).json['id'] as number;
    const all = (await server.call('/users?per_page=100', { token: null })).json as unknown as {
      id: number;
    }[];
    const numbers = all.map(({ id }) => id);
    assert.deepEqual(
      numbers,
      numbers.toSorted((one, other) => one - other),
    );
    assert.ok(numbers.includes(member.number) && numbers.includes(bot) && numbers.at(-1)! > 1_500_000_000);
    const collected: number[] = [];
    let path: string | undefined = '/users?per_page=2';
    while (path !== undefined) {
      const page: Answer = await server.call(path, { token: null });
      collected.push(...(page.json as unknown as { id: number }[]).map(({ id }) => id));
      const next: string | undefined = /<([^>]+)>; rel="next"/.exec(page.headers.get('link')!)?.[1];
      path = next && new URL(next).pathname + new URL(next).search;
    }
    assert.deepEqual(collected, numbers);
    assert.deepEqual((await server.call('/users?since=99999999999')).json, []);
    assert.equal((await server.call('/users?since=-1')).status, 422);
  });

  test('the address of the member is the primary one, and others are added and deleted', async () => {
    const ada = await person();
    const primary = {
      email: `${ada.login}@example.com`,
      primary: true,
      verified: true,
      visibility: 'private',
    };
    assert.deepEqual((await ada.call('/user/emails')).json, [primary]);
    const mail = (name: string) => `${ada.login}-${name}@other.example`;
    const added = await ada.call('/user/emails', post({ emails: [mail('one'), mail('two')] }));
    assert.equal(added.status, 201);
    const plain = (email: string) => ({ email, primary: false, verified: false, visibility: null });
    assert.deepEqual(added.json, [plain(mail('one')), plain(mail('two'))]);
    assert.equal((await ada.call('/user/emails', post([mail('three')]))).status, 201);
    assert.deepEqual((await ada.call('/user/emails')).json, [
      primary,
      plain(mail('one')),
      plain(mail('two')),
      plain(mail('three')),
    ]);
    const page = await ada.call('/user/emails?per_page=2&page=2');
    assert.deepEqual(page.json, [plain(mail('two')), plain(mail('three'))]);
    assert.match(page.headers.get('link')!, /rel="prev"/);
    assert.equal((await ada.call('/user/emails', del({ emails: [mail('ONE')] }))).status, 204);
    assert.equal((await ada.call('/user/emails', del([mail('two'), mail('three')]))).status, 204);
    assert.deepEqual((await ada.call('/user/emails')).json, [primary]);
    const entry = await lastEntry();
    assert.equal(entry['titleVerb'], 'deleted the addresses of');
  });

  test('addresses that are wrong, double, taken or the primary one are refused, and none is changed', async () => {
    const [ada, bob] = [await person(), await person()];
    const taken = `${bob.login}-taken@other.example`;
    await bob.call('/user/emails', post([taken]));
    const known = (await ada.call('/user/emails')).json;
    const good = `${ada.login}-good@other.example`;
    const many = Array.from({ length: 51 }, (_, index) => `${index}@many.example`);
    const wrong: unknown[] = [
      { emails: [] },
      [],
      {},
      5,
      [5],
      '"not an address"',
      [good, 'nothing'],
      [good, good.toUpperCase()],
      [good, taken],
      [good, taken.toUpperCase()],
      [good, `${bob.login.toUpperCase()}@example.com`],
      [good, `${ada.login}@example.com`],
      [`${'x'.repeat(255)}@a.example`],
      ['a\0b@a.example'],
      many,
    ];
    for (const body of wrong) {
      const { status, json } = await ada.call('/user/emails', post(body));
      assert.equal(status, 422, JSON.stringify(body));
      assert.equal(json['message'], 'Validation Failed');
    }
    assert.equal((await ada.call('/user/emails', { method: 'POST' })).status, 422);
    for (const body of [[`${ada.login}@example.com`], [taken], ['unknown@other.example'], {}])
      assert.equal((await ada.call('/user/emails', del(body))).status, 422, JSON.stringify(body));
    assert.deepEqual((await ada.call('/user/emails')).json, known);
    await ada.call('/user/emails', post(many.slice(0, 50)));
    assert.equal((await ada.call('/user/emails', post([good]))).status, 422);
  });

  test('one address is public: the primary one or another', async () => {
    const ada = await person();
    const primary = `${ada.login}@example.com`;
    const other = `${ada.login}@other.example`;
    const seen = async () => (await server.call(`/users/${ada.login}`)).json['email'] as unknown;
    const listed = async () =>
      ((await ada.call('/user/public_emails')).json as unknown as { email: string }[]).map(
        ({ email }) => email,
      );
    assert.deepEqual([await seen(), await listed()], [null, []]);
    const shown = await ada.call('/user/email/visibility', patch({ visibility: 'public' }));
    assert.equal(shown.status, 200);
    assert.deepEqual(shown.json, [{ email: primary, primary: true, verified: true, visibility: 'public' }]);
    assert.deepEqual([await seen(), await listed()], [primary, [primary]]);
    assert.equal((await server.call(`/users/${ada.login}`, { token: null })).json['email'], null);
    await ada.call('/user/emails', post([other]));
    assert.equal((await ada.call('/user', patch({ email: other }))).json['email'], other);
    assert.deepEqual([await seen(), await listed()], [other, [other]]);
    await ada.call('/user/email/visibility', patch({ visibility: 'private' }));
    assert.deepEqual(await listed(), [other]);
    await ada.call('/user/emails', del([other]));
    assert.deepEqual([await seen(), await listed()], [null, []]);
    await ada.call('/user', patch({ email: primary.toUpperCase() }));
    assert.deepEqual(await listed(), [primary]);
    await ada.call('/user', patch({ email: '' }));
    assert.deepEqual(await listed(), []);
    for (const body of [{}, { visibility: 'secret' }])
      assert.equal((await ada.call('/user/email/visibility', patch(body))).status, 422);
  });

  test('keys are added, listed, read and deleted', async () => {
    const ada = await person();
    const key = ed25519Key(ada.login);
    const made = await ada.call('/user/keys', post({ title: 'Laptop', key: `${key} ada@laptop` }));
    assert.equal(made.status, 201);
    const { id } = made.json as { id: number };
    assert.deepEqual(Object.keys(made.json).sort(), [
      'created_at',
      'id',
      'key',
      'read_only',
      'title',
      'url',
      'verified',
    ]);
    assert.deepEqual([made.json['key'], made.json['title']], [key, 'Laptop']);
    assert.equal(made.json['url'], `${server.url}/user/keys/${id}`);
    const commented = await ada.call('/user/keys', post({ key: `${ed25519Key(`${ada.login}-2`)} ada@desk` }));
    assert.equal(commented.json['title'], 'ada@desk');
    assert.deepEqual((await ada.call(`/user/keys/${id}`)).json, made.json);
    const page = await ada.call('/user/keys?per_page=1');
    assert.deepEqual(page.json, [made.json]);
    assert.match(page.headers.get('link')!, /page=2.*rel="next"/);
    assert.deepEqual((await server.call(`/users/${ada.login}/keys`, { token: null })).json, [
      { id, key },
      { id: commented.json['id'], key: commented.json['key'] },
    ]);
    const [last] = [await lastEntry()];
    assert.equal(last['titleVerb'], 'added the key');
    const bob = await person();
    for (const init of [{}, del()]) assert.equal((await bob.call(`/user/keys/${id}`, init)).status, 404);
    assert.equal((await ada.call(`/user/keys/${id}`, del())).status, 204);
    assert.equal((await ada.call(`/user/keys/${id}`, del())).status, 404);
    assert.equal((await server.call('/users/nobody/keys')).status, 404);
  });

  test('a key that is wrong, or belongs to somebody, is refused', async () => {
    const [ada, bob] = [await person(), await person()];
    const key = ed25519Key(`${ada.login}-own`);
    await ada.call('/user/keys', post({ title: 'a', key }));
    for (const { call } of [ada, bob]) {
      const { status, json } = await call('/user/keys', post({ title: 'b', key: `${key} other` }));
      assert.equal(status, 422);
      assert.equal(json['errors'][0].message, 'key is already in use');
    }
    for (const body of [
      {},
      { title: 'a' },
      { key: 5 },
      { key: '' },
      { key: 'ssh-ed25519 AAAA' },
      { key: rsaKey(1024) },
      { key: 'x'.repeat(20_001) },
      { key: ed25519Key('long'), title: 'x'.repeat(256) },
    ])
      assert.equal((await bob.call('/user/keys', post(body))).status, 422, JSON.stringify(body).slice(0, 80));
    assert.deepEqual((await bob.call('/user/keys')).json, []);
    assert.equal((await bob.call('/user/keys', post({ key: rsaKey(2048) }))).status, 201);
    for (const path of ['/user/keys/0', '/user/keys/x', '/user/keys/3000000000'])
      assert.equal((await bob.call(path)).status, 404, path);
  });

  /** How many were successful and how many refused. */
  const countOf = (statuses: number[]) =>
    [201, 422].map((status) => statuses.filter((one) => one === status).length);

  test('eight clients add one key: one of them gets it', async () => {
    const people = [await person(), await person()];
    const key = ed25519Key(`${people[0]!.login}-raced`);
    const statuses = await Promise.all(
      Array.from(
        { length: 8 },
        async (_, index) => (await people[index % 2]!.call('/user/keys', post({ key }))).status,
      ),
    );
    assert.deepEqual(countOf(statuses), [1, 7]);
    const email = `${people[0]!.login}-raced@other.example`;
    const added = await Promise.all(
      Array.from(
        { length: 8 },
        async (_, index) => (await people[index % 2]!.call('/user/emails', post([email]))).status,
      ),
    );
    assert.deepEqual(countOf(added), [1, 7]);
  });

  test('without a token nothing of one’s own is shown, and a reader changes nothing', async () => {
    const ada = await person();
    const { id } = (await ada.call('/user/keys', post({ key: ed25519Key(`${ada.login}-kept`) }))).json as {
      id: number;
    };
    const reads = ['/user', '/user/emails', '/user/public_emails', '/user/keys', `/user/keys/${id}`];
    const writes: [string, CallInit][] = [
      ['/user', patch({ bio: 'x' })],
      ['/user/emails', post(['x@reader.example'])],
      ['/user/emails', del(['x@reader.example'])],
      ['/user/email/visibility', patch({ visibility: 'public' })],
      ['/user/keys', post({ key: ed25519Key('reader') })],
      [`/user/keys/${id}`, del()],
    ];
    const { value: reader } = await giveToken(server, ada.member, { role: 'reader' });
    const { value: nothing } = await giveToken(server, ada.member, { role: 'no_access' });
    for (const path of reads) {
      assert.equal((await server.call(path, { token: null })).status, 401, path);
      assert.equal((await server.call(path, { token: reader })).status, 200, path);
      assert.equal((await server.call(path, { token: nothing })).status, path === '/user' ? 200 : 403, path);
    }
    for (const [path, init] of writes) {
      assert.equal((await server.call(path, { ...init, token: null })).status, 401, path);
      assert.equal((await server.call(path, { ...init, token: reader })).status, 403, path);
    }
    assert.equal((await ada.call(`/user/keys/${id}`)).status, 200);
  });

  test('every statement about users goes by an index', async () => {
    const { kernel } = server.app;
    const people = Array.from({ length: 3000 }, (_, index) => index);
    await kernel.db.transaction().execute(async (tx) => {
      for (let start = 0; start < people.length; start += 500) {
        const some = people.slice(start, start + 500);
        await tx
          .insertInto('user_profiles')
          .values(some.map((at) => ({ account_id: `x-${at}`, profile: '{}', updated_at: 0 })))
          .execute();
        await tx
          .insertInto('user_emails')
          .values(
            some.map((at) => ({
              folded_email: `x-${at}`,
              email: `x-${at}`,
              account_id: `x-${at}`,
              created_at: 0,
            })),
          )
          .execute();
        await tx
          .insertInto('user_keys')
          .values(
            some.map((at) => ({
              account_id: `x-${at}`,
              title: '',
              public_key: '',
              fingerprint: `x-${at}`,
              created_at: 0,
            })),
          )
          .execute();
      }
    });
    await sql.raw('analyze').execute(kernel.db);
    const seen = recordStatements(kernel.engine);
    for (const path of [
      '/user',
      '/users',
      '/user/emails',
      '/user/keys',
      '/user/keys/1',
      '/users/admin',
      '/users/admin/keys',
    ])
      await server.call(path);
    await server.call('/user/emails', post(['plan@other.example']));
    await server.call('/user', patch({ email: 'plan@other.example' }));
    await server.call('/user/emails', del(['plan@other.example']));
    const made = await server.call('/user/keys', post({ key: ed25519Key('plan') }));
    await server.call(`/user/keys/${made.json['id']}`, del());
    const statements = [...seen.values()].filter(
      ({ sql: text }) =>
        /"(user_(profiles|emails|keys)|repositories|collaborators)"/.test(text) &&
        !text.startsWith('explain'),
    );
    await assertPlans(kernel.engine, statements, {
      atLeast: 12,
      scan: wholeTableExcept('repositories', 'collaborators'),
    });
  });
});
