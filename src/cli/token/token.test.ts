// The token commands: they work on the database, beside a running server and without one.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, describe, test } from 'node:test';
import { eventually } from '../../../test/eventually.ts';
import { makeFolder, run, startServer, statusOf, type ServerProcess } from '../fixture.ts';
import type { reportToken } from './token.ts';

type Report = ReturnType<typeof reportToken>;

const data = join(makeFolder(), 'data');
const token = (...argv: string[]) => run(['token', ...argv, '--data', data]);
const create = async (...argv: string[]) => (await token('create', ...argv)).out;
const list = async () => JSON.parse((await token('ls')).out) as Report[];
const query = (sql: string) => {
  const db = new DatabaseSync(join(data, 'signalbox.db'), { readOnly: true });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
};

test('without a database the commands say what to do, and make none', async () => {
  const { code, err } = await token('create');
  assert.equal(code, 1);
  assert.match(
    err,
    /^There is no database in .* yet: start the server there once, or name its folder with --data\.$/,
  );
  assert.equal((await token('ls')).code, 1);
});

describe('while the server is down', () => {
  before(async () => {
    const server = await startServer(data);
    server.kill('SIGTERM');
    await server.ended;
  });

  test('a created token is the only text on standard output', async () => {
    const { code, out, err } = await token('create', '--name', 'ci', '--role', 'writer', '--expires', '30d');
    assert.equal(code, 0);
    assert.match(out, /^api-[\w-]{43}$/);
    assert.match(
      err,
      /^Token "ci" of admin with the role writer until .*Z\. It is shown this once: keep it\.$/,
    );
    const made = (await list()).find(({ name }) => name === 'ci')!;
    assert.deepEqual(
      [made.member, made.kind, made.role, made.ending],
      ['admin', 'personal', 'writer', out.slice(-4)],
    );
    const days = (Date.parse(made.expiresAt!) - Date.parse(made.createdAt!)) / 86_400_000;
    assert.equal(days, 30);
  });

  test('with --json the token is printed with its fields', async () => {
    const made = JSON.parse(await create('--json', '--service')) as Report & { token: string };
    assert.deepEqual([made.kind, made.role, made.expiresAt], ['service', 'owner', null]);
    assert.match(made.account!, /^[a-z0-9-]+\.bot$/);
    assert.equal((await list()).find(({ id }) => id === made.id)?.account, made.account);
    assert.match(made.token, /^api-/);
  });

  test('a token may have a policy of its own', async () => {
    const file = join(makeFolder(), 'policy.json');
    writeFileSync(file, '[{"effect":"allow","actions":["view*"],"resources":["*"]}]');
    const made = JSON.parse(await create('--json', '--policy', file)) as Report;
    assert.equal(made.role, 'policy');
    writeFileSync(file, '[{"effect":"perhaps"}]');
    const { code, err } = await token('create', '--policy', file);
    assert.equal(code, 2);
    assert.match(err, /^The policy is not valid: \/0\/effect must be/);
    assert.equal((await token('create', '--policy', 'absent.json')).code, 2);
  });

  test('its member must exist', async () => {
    const { code, err } = await token('create', '--member', 'nobody');
    assert.deepEqual([code, err], [1, 'There is no member "nobody".']);
  });

  test('every change is recorded, and no secret with it', async () => {
    const secret = await create('--name', 'short-lived');
    assert.equal((await token('revoke', secret.slice(-4), '--yes')).code, 0);
    const events = query(
      `select action, "before", "after" from events where name = 'short-lived' order by seq`,
    );
    assert.deepEqual(
      events.map(({ action }) => action),
      ['createAccessToken', 'deleteAccessToken'],
    );
    assert.doesNotMatch(JSON.stringify(events), new RegExp(secret));
  });

  test('a list for people is a table', async () => {
    const { out } = await run(['token', 'ls', '--data', data], { isTerminal: true });
    assert.match(
      out,
      /^Id +Name +Member +Kind +Role +Ending +Created +Last used +Expires\n[0-9a-f]{24} +admin /,
    );
  });

  test('an ending that several tokens share is refused with their ids', async () => {
    const made = [1, 2].map(
      async (number) => JSON.parse(await create('--json', '--name', `twin-${number}`)) as Report,
    );
    const ids = (await Promise.all(made)).map(({ id }) => id);
    const db = new DatabaseSync(join(data, 'signalbox.db'));
    for (const id of ids) db.prepare(`update tokens set ending = 'twin' where id = ?`).run(id);
    db.close();
    const { code, err } = await token('revoke', 'twin', '--yes');
    assert.equal(code, 1);
    assert.match(
      err,
      /^Several tokens end in twin\. Name one by its id: .*\("twin-\d"\), .*\("twin-\d"\)\.$/,
    );
    for (const id of ids) assert.equal((await token('revoke', id, '--yes')).code, 0);
    assert.equal(
      (await list()).some(({ ending }) => ending === 'twin'),
      false,
    );
  });

  test('an unknown token is reported as unknown', async () => {
    const { code, err } = await token('revoke', 'none');
    assert.deepEqual([code, err], [1, 'There is no token "none": signalbox token ls shows ids and endings.']);
  });

  test('revoking a token asks for confirmation, unless --yes is given', async () => {
    const { id } = JSON.parse(await create('--json', '--name', 'asked')) as Report;
    const asked: string[] = [];
    const answer = (yes: boolean) => ({
      confirm: async (question: string) => {
        asked.push(question);
        return yes;
      },
    });
    const revoke = ['token', 'revoke', id, '--data', data];
    assert.equal((await run(revoke, answer(false))).code, 1);
    assert.match(asked[0]!, /^Revoke token "asked" \(/);
    assert.equal(
      (await list()).some((one) => one.id === id),
      true,
    );
    const unattended = await run(revoke);
    assert.equal(unattended.code, 2);
    assert.match(
      unattended.err,
      /^There is nobody to ask whether to revoke token "asked" .*: say so with --yes\.$/,
    );
    assert.equal((await run([...revoke, '--yes'], answer(false))).code, 0);
    assert.equal(asked.length, 1);
  });
});

describe('while the server is running', () => {
  let server: ServerProcess;
  before(async () => {
    server = await startServer(data);
  });

  test('a token created on the command line is in the audit log, and is sent to webhooks', async () => {
    const admin = await create('--role', 'owner');
    const call = async (path: string, method = 'GET', body?: unknown) => {
      const reply = await fetch(`${server.url}/api/v2/${path}`, {
        method,
        headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return (await reply.json()) as { _id: string; totalCount: number; items: { title: string }[] };
    };
    const { _id: id } = await call('webhooks', 'POST', { url: 'https://hook.test/', sign: false, on: true });
    await create('--name', 'heard-of');
    const { items } = await call('auditlog?q=heard-of');
    assert.match(items[0]!.title, /^Signalbox created the token \[heard-of\]/);
    // The webhook also got the event of its own creation.
    assert.equal((await call(`webhooks/${id}/deliveries`)).totalCount, 2);
  });

  test('a created token works at once', async () => {
    assert.equal(await statusOf(server.url, await create()), 200);
  });

  test('a revoked service token leaves its resources to its creator or, if that member was removed, to an owner', async () => {
    const admin = await create('--role', 'owner');
    const call = (secret: string, path: string, method = 'GET', body?: unknown) =>
      fetch(`${server.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    const invited = await call(admin, '/api/v2/members', 'POST', [{ email: 'mia@example.com' }]);
    const { items } = (await invited.json()) as { items: { _id: string }[] };
    const mia = await create('--member', 'mia', '--role', 'reader');
    const makeRobot = async (name: string) => {
      const robot = await create('--service', '--member', 'mia', '--role', 'writer', '--name', name);
      const made = await call(robot, `/v2/datasets?name=${name}`, 'POST');
      const { data: dataset } = (await made.json()) as { data: { id: string } };
      return { robot, path: `/v2/datasets/${dataset.id}` };
    };
    const [early, late] = [await makeRobot('early'), await makeRobot('late')];
    const statusesOf = (path: string) =>
      Promise.all([mia, admin].map(async (secret) => (await call(secret, path)).status));
    assert.deepEqual(await statusesOf(early.path), [404, 404]);
    assert.equal((await token('revoke', early.robot.slice(-4), '--yes')).code, 0);
    await eventually(async () => (await statusesOf(early.path)).join() === '200,404');
    assert.equal((await call(admin, `/api/v2/members/${items[0]!._id}`, 'DELETE')).status, 204);
    assert.equal((await token('revoke', late.robot.slice(-4), '--yes')).code, 0);
    await eventually(async () => (await call(admin, late.path)).status === 200);
  });

  test('a revoked token that the server has in memory stops working', async () => {
    const secret = await create();
    assert.equal(await statusOf(server.url, secret), 200);
    assert.equal((await token('revoke', secret.slice(-4), '--yes')).code, 0);
    await eventually(async () => (await statusOf(server.url, secret)) === 401);
  });
});
