// Changes of the secret key while servers run: on one server that is killed in the middle, and on two nodes.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { runUntil, startChild, SECRET_KEY, TOKEN } from '../../../test/crash/child-server.ts';
import { onEngine } from '../../../test/engines.ts';
import { eventually } from '../../../test/eventually.ts';
import { callOn, startServer, type Json, type TestServer } from '../../../test/server.ts';
import { makeFolder, run } from '../fixture.ts';
import { readSecretKeyFile, writeSecretKeyFile } from '../../kernel/secrets/secret-key-file.ts';
import { KEYS_CHANNEL } from '../../kernel/secrets/secret-box.ts';
import { listSealedRows } from '../../kernel/secrets/store-keyring.ts';
import { withSqliteSnapshot } from '../../kernel/storage/copy/sqlite-copy.ts';
import type { Db } from '../../kernel/storage/tables.ts';
import { sealedColumns } from '../../app/secret-rotation.ts';

const OLD = SECRET_KEY;
const NEW = 'another key, which is newer than that one';

type Call = (
  path: string,
  init: { method: string; body?: unknown },
) => Promise<{ status: number; text: string; json: Json }>;

/** One of everything that has a secret. */
async function storeSecrets(call: Call): Promise<void> {
  const send = async (method: string, path: string, body: unknown) => {
    const answer = await call(path, { method, body });
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.json;
  };
  const sourceFiles = [{ name: 'main.js', format: 'TEXT', content: '' }];
  const envVars = [
    { name: 'PASSWORD', value: 'hunter2', isSecret: true },
    { name: 'PLAIN', value: `v1.${'a'.repeat(60)}`, isSecret: false },
  ];
  const version = { versionNumber: '0.1', sourceType: 'SOURCE_FILES', sourceFiles, envVars };
  const { data } = (await send('POST', '/v2/actors', { name: 'keeper', versions: [version] })) as {
    data: Json;
  };
  await send('POST', '/v2/schedules', {
    name: 'keeper',
    cronExpression: '0 0 1 1 *',
    isEnabled: false,
    actions: [
      {
        type: 'RUN_ACTOR',
        actorId: data['id'],
        runInput: { body: '{"a":1}', contentType: 'application/json' },
      },
    ],
  });
  await send('POST', '/api/v2/integrations/datadog', {
    name: 'keeper',
    config: { apiKey: 'hunter2-of-datadog', hostURL: 'https://api.datadoghq.com' },
    statements: [{ effect: 'allow', resources: ['proj/*'], actions: ['*'] }],
  });
  await send('POST', '/user/repos', { name: 'keeper' });
  await send('POST', '/repos/admin/keeper/hooks', {
    config: { url: 'https://hook.test/', secret: 'hunter2-of-hooks' },
  });
}

async function sealedTexts(db: Db): Promise<string[]> {
  const found: string[] = [];
  for (const column of sealedColumns)
    for (const { value } of await listSealedRows(db, column, undefined, 100))
      found.push(...(value.match(/v[12]\.[\w.-]{38,}/g) ?? []).filter((text) => !text.startsWith('v1.aaa')));
  return found;
}

/** In any column of any table: a module may have forgotten to name one. */
async function unnamedTexts(file: string): Promise<string[]> {
  return await withSqliteSnapshot(file, async ({ tables, rows }) => {
    const found: string[] = [];
    for (const table of tables)
      for await (const batch of rows(table))
        for (const text of JSON.stringify(batch).match(/\bv1\.[\w-]{38,}/g) ?? [])
          if (!text.startsWith('v1.aaa')) found.push(`${table.name}: ${text}`);
    return found;
  });
}

describe('a server that is killed in the middle of a sweep', () => {
  test('goes on with it at its next start, and reads all secrets on the way', async () => {
    const data = join(makeFolder(), 'data');
    const settings = { SIGNALBOX_DATA: data };
    const first = await startChild(settings);
    const call =
      (url: string): Call =>
      (path, init) =>
        callOn(url, path, { ...init, token: TOKEN });
    await storeSecrets(call(first.url));
    const status = async () => JSON.parse((await run(['secrets', 'status', '--data', data])).out) as Json;
    const stored = await status();
    const total = stored['keys'][0].secrets as number;
    assert.ok(total >= 4, JSON.stringify(stored));
    await first.kill();

    const rotated = await run(['secrets', 'rotate', '--data', data]);
    assert.equal(rotated.code, 0, rotated.err);
    assert.equal(readSecretKeyFile(join(data, 'secret.key'))!.length, 2);
    await runUntil('a step of the sweep of secrets', 3, settings);
    const half = await status();
    assert.equal(half['written'], half['keys'][0].id);
    assert.equal(half['keys'][0].secrets + half['keys'][1].secrets, total, JSON.stringify(half));

    const second = await startChild(settings);
    await eventually(async () => (await status())['keys'][1].secrets === 0, 'the end of the sweep');
    const swept = await status();
    assert.deepEqual([swept['keys'][0].secrets, swept['canPrune']], [total, false]);
    const version = await call(second.url)('/v2/actors/admin~keeper/versions/0.1', { method: 'GET' });
    assert.deepEqual(
      version.json['data'].envVars.map(({ name, value }: Json) => [name, value]),
      [
        ['PASSWORD', undefined],
        ['PLAIN', `v1.${'a'.repeat(60)}`],
      ],
    );
    assert.deepEqual(await unnamedTexts(join(data, 'signalbox.db')), []);
    const early = await run(['secrets', 'prune', '--data', data]);
    assert.equal(early.code, 1);
    assert.match(early.err, /The older keys are needed/);
    await second.kill();
  });
});

onEngine('postgres', (engine) => {
  describe('two nodes', () => {
    let nodes: TestServer[];
    let database: string;
    const files: string[] = [];
    before(async () => {
      database = await engine.migratedDatabase();
      nodes = [];
      for (let index = 0; index < 2; index += 1) {
        const file = join(makeFolder(), 'keys');
        writeSecretKeyFile(file, [OLD]);
        files.push(file);
        nodes.push(
          await startServer({ database, secretKeyFile: file, secretKey: undefined as unknown as string }),
        );
      }
    });
    after(async () => {
      for (const node of nodes) await node.stop();
    });

    test('write a new key when both have it, and what was signed before is good on both', async () => {
      const [one, two] = nodes as [TestServer, TestServer];
      await storeSecrets((path, init) => one.call(path, init));
      const { secrets, engine: shared, db } = one.app.kernel;
      const signature = secrets.sign('links', 'a link');
      const idOf = () => secrets.written.id;
      const old = idOf();

      writeSecretKeyFile(files[0]!, [NEW, OLD]);
      await secrets.refresh();
      assert.equal(idOf(), old);
      assert.ok((await sealedTexts(db)).every((text) => text.startsWith('v1.')));

      writeSecretKeyFile(files[1]!, [NEW, OLD]);
      await shared.notify(KEYS_CHANNEL);
      await eventually(() => idOf() !== old, 'the new key');
      await eventually(() => two.app.kernel.secrets.written.id === idOf(), 'the new key on the other node');
      const sealed = await secrets.seal('hunter2');
      assert.equal(two.app.kernel.secrets.open(sealed), 'hunter2');
      assert.equal(two.app.kernel.secrets.verify('links', 'a link', signature), true);
      const isSwept = async () => {
        const texts = await sealedTexts(db);
        return texts.length >= 4 && texts.every((text) => text.startsWith(`v2.${idOf()}.`));
      };
      await eventually(isSwept, 'the sweep');
    });

    test('are not joined by one that has the old key alone', async () => {
      const file = join(makeFolder(), 'keys');
      writeSecretKeyFile(file, [OLD]);
      const alone = startServer({
        database,
        secretKeyFile: file,
        secretKey: undefined as unknown as string,
      });
      await assert.rejects(
        alone,
        /encrypted with another key than the one in .*keys\. Nodes that share a database/,
      );
    });
  });
});
