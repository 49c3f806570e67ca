// The commands on PostgreSQL: they find the same server, and it sees their changes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEngine } from '../../test/engines.ts';
import { eventually } from '../../test/eventually.ts';
import { makeFolder, run, startServer, statusOf } from './fixture.ts';

onEngine('postgres', (engine) => {
  test('commands work before the first start, beside the server and after it', async () => {
    const data = makeFolder();
    const env = { DATABASE_URL: await engine.database() };
    const command = (...argv: string[]) => run([...argv, '--data', data], { env });

    const early = await command('token', 'create');
    assert.equal(early.code, 1);
    assert.equal(early.err, 'The database is empty: start the server once, or use migrate up.');
    const empty = await command('migrate', 'status');
    assert.deepEqual((JSON.parse(empty.out) as { applied: unknown[] }).applied, []);

    const server = await startServer(data, [], env);
    const { out: secret } = await command('token', 'create');
    assert.equal(await statusOf(server.url, secret), 200);
    assert.equal((await command('token', 'revoke', secret.slice(-4), '--yes')).code, 0);
    await eventually(async () => (await statusOf(server.url, secret)) === 401);

    const doctor = await command('doctor', '--no-json');
    assert.equal(doctor.code, 0, doctor.out);
    assert.match(doctor.out, /^ok {4}postgresql +\d\d/m);
    assert.match(doctor.out, /^ok {4}clock of database +0\.\d s apart/m);
    const { database } = JSON.parse((await command('status')).out) as {
      database: { kind: string; state: string };
    };
    assert.deepEqual([database.kind, database.state], ['postgres', 'current']);

    server.kill('SIGTERM');
    assert.equal((await server.ended).code, 0);
  });
});
