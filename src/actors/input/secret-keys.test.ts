// Inputs with secret fields from the call to the process: keys in the database, on each engine.
import assert from 'node:assert/strict';
import { createPrivateKey } from 'node:crypto';
import { after, before, test } from 'node:test';
import { decryptInputSecrets } from '@apify/input_secrets';
import { giveActor } from '../../../test/conformance/actors/runs/run-rows.ts';
import { onEachEngine } from '../../../test/engines.ts';
import { join } from '../../../test/people.ts';
import { startNodes, type Nodes } from '../../../test/suites.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { systemActor } from '../../kernel/identity/actor.ts';
import { prepareInput } from './prepare-input.ts';
import { memoryOfRun } from './memory.ts';
import { ensureInputKeys, inputSecretEnv } from './secret-keys.ts';
import { findInputKey, transferInputKeys, type InputKeyOwner } from './store.ts';

const schema = JSON.stringify({
  title: 'Input',
  type: 'object',
  schemaVersion: 1,
  properties: {
    password: { title: 'P', description: 'D', type: 'string', editor: 'textfield', isSecret: true },
    pages: { title: 'N', description: 'D', type: 'integer', default: 7 },
  },
});

onEachEngine((engine) => {
  let nodes: Nodes;
  let kernel: Kernel;
  before(async () => {
    nodes = await startNodes(engine);
    ({ kernel } = nodes.server.app);
  });
  after(() => nodes.stop());

  const begin = async (): Promise<InputKeyOwner> => {
    const { id: actorId, userId } = await giveActor(nodes.server);
    return { actorId, userId };
  };

  /** As the SDK does it. */
  const open = (env: Record<string, string>, input: object) =>
    decryptInputSecrets({
      input,
      privateKey: createPrivateKey({
        key: Buffer.from(env['APIFY_INPUT_SECRETS_PRIVATE_KEY_FILE']!, 'base64'),
        passphrase: env['APIFY_INPUT_SECRETS_PRIVATE_KEY_PASSPHRASE']!,
      }),
    });

  test('what is stored is encrypted, and the environment of the run decrypts it', async () => {
    const owner = await begin();
    assert.deepEqual(await inputSecretEnv(kernel, owner), {});
    const body = Buffer.from('{"password":"hunter2"}');
    const contentType = 'application/json; charset=utf-8';
    const stored = await prepareInput(kernel, { schema, body, contentType, owner });
    assert.equal(stored!.contentType, contentType);
    const text = Buffer.from(stored!.body).toString();
    assert.ok(!text.includes('hunter2'));
    const env = await inputSecretEnv(kernel, owner);
    assert.deepEqual(open(env, JSON.parse(text) as object), { password: 'hunter2', pages: 7 });
    const other = await begin();
    await assert.rejects(
      prepareInput(kernel, { schema, body: stored!.body, contentType, owner: other }),
      /input\.password is encrypted, but not for this Actor and account/,
    );
  });

  test('the private key is not in the database in clear', async () => {
    const owner = await begin();
    const { privateKey, passphrase } = await ensureInputKeys(kernel, owner);
    const row = await findInputKey(kernel.db, owner);
    for (const secret of [passphrase, privateKey.split('\n')[1]!, 'PRIVATE']) {
      assert.ok(!JSON.stringify(row).includes(secret));
    }
  });

  test('nodes that create the key at once use the same', async () => {
    const owner = await begin();
    const kernels = [kernel, (nodes.other ?? nodes.server).app.kernel];
    const keys = await Promise.all([...kernels, ...kernels].map((one) => ensureInputKeys(one, owner)));
    for (const key of keys) assert.deepEqual(key, keys[0]);
  });

  test('the keys go with an Actor that is deleted', async () => {
    const owner = await begin();
    await ensureInputKeys(kernel, owner);
    await kernel.db.deleteFrom('actors').where('id', '=', owner.actorId).execute();
    assert.equal(await findInputKey(kernel.db, owner), undefined);
    await assert.rejects(ensureInputKeys(kernel, owner));
  });

  test('the keys of an account that ends go to its heir, who keeps its own', async () => {
    const heir = await join(nodes.server, `heir-${engine.kind}`);
    const [both, one] = [await begin(), await begin()];
    const { userId } = both;
    const own = await ensureInputKeys(kernel, { ...both, userId: heir.id });
    await ensureInputKeys(kernel, both);
    const given = await ensureInputKeys(kernel, one);
    const from = { ...heir, id: userId };
    await kernel.changes.run(systemActor({ now: 0 }), (tx) => transferInputKeys(tx, from, heir));
    assert.deepEqual(await ensureInputKeys(kernel, { ...both, userId: heir.id }), own);
    assert.deepEqual(await ensureInputKeys(kernel, { ...one, userId: heir.id }), given);
    assert.equal(await findInputKey(kernel.db, both), undefined);
  });

  test('without a schema, and of other types, any bytes stay as they are', async () => {
    const owner = await begin();
    const body = Buffer.from('{broken');
    for (const [given, contentType] of [
      [null, 'application/json'],
      [schema, 'text/plain'],
      [schema, undefined],
    ] as const) {
      const stored = await prepareInput(kernel, { schema: given, body, contentType, owner });
      assert.deepEqual(stored, { body, contentType: contentType ?? 'application/octet-stream' });
    }
    assert.equal(
      await prepareInput(kernel, { schema: null, body: Buffer.alloc(0), contentType: 'x/y', owner }),
      undefined,
    );
    const defaults = await prepareInput(kernel, { schema, body: undefined, contentType: undefined, owner });
    assert.equal(Buffer.from(defaults!.body).toString(), '{"pages":7}');
    assert.equal(defaults!.contentType, 'application/json; charset=utf-8');
  });

  test('the memory of a run comes from the call, the definition or the Actor', async () => {
    const input = { body: Buffer.from('{"pages": 3}'), contentType: 'application/json' };
    const usual = {
      requested: undefined,
      definition: {},
      actorDefault: 1024,
      input,
      runOptions: {},
      userId: 'u',
    };
    const memory = (more: object) => memoryOfRun(kernel, { ...usual, ...more });
    const definition = { defaultMemoryMbytes: 'input.pages * 512', maxMemoryMbytes: 4096 };
    assert.equal(await memory({}), 1024);
    assert.equal(await memory({ definition }), 2048);
    assert.equal(await memory({ definition, requested: 300 }), 256);
    assert.equal(await memory({ definition, requested: 8192 }), 4096);
    assert.equal(await memory({ definition: { defaultMemoryMbytes: 512 } }), 512);
    const large = { ...input, body: Buffer.from(JSON.stringify({ pages: 1, more: 'x'.repeat(200_000) })) };
    assert.equal(await memory({ definition, input: large }), 512);
    const wrong = { definition: { defaultMemoryMbytes: 'input.pages *' } };
    await assert.rejects(memory(wrong), /defaultMemoryMbytes/);
    await assert.rejects(memory({ ...wrong, input: large }), /defaultMemoryMbytes/);
    await assert.rejects(memory({ requested: -1 }), /memory must be/);
    await assert.rejects(memory({ definition: { defaultMemoryMbytes: [] } }), /defaultMemoryMbytes must be/);
  });
});
