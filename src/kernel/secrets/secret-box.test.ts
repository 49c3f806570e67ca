// Secrets at rest: sealed texts, the file of the key, and servers whose keys differ.
import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pino } from 'pino';
import { eventually } from '../../../test/eventually.ts';
import { onEachEngine } from '../../../test/engines.ts';
import { openSecretBox, type SecretKeeper } from './secret-box.ts';
import { ensureSecretKeyFile, readSecretKeyFile, writeSecretKeyFile } from './secret-key-file.ts';
import {
  findKeyFingerprint,
  findWrittenKey,
  keyringMigrations,
  secretKeyMigrations,
} from './store-keyring.ts';
import type { Engine } from '../storage/engine.ts';

const KEY = 'k'.repeat(32);
const MIGRATIONS = [...secretKeyMigrations, ...keyringMigrations];
const NEW_KEY = 'n'.repeat(32);
const log = pino({ enabled: false });

onEachEngine((testEngine) => {
  let engine: Engine;
  let box: SecretKeeper;
  let nodes = 0;
  /** The keys may be changed while the box is open. */
  const openWith = (keys: { given: readonly string[] }, on = engine) =>
    openSecretBox({
      engine: on,
      log,
      now: Date.now,
      readKeys: async () => keys.given,
      source: 'the test',
      node: `test:${(nodes += 1)}`,
    });
  const open = (key: string, on = engine) => openWith({ given: [key] }, on);

  before(async () => {
    engine = await testEngine.open(MIGRATIONS);
    box = await open(KEY);
  });

  test('a sealed text can be opened, contains nothing of it, and differs each time', async () => {
    for (const text of ['', 'hunter2', 'ě š č 🗝', 'x'.repeat(100_000)]) {
      const [one, other] = [await box.seal(text), await box.seal(text)];
      assert.equal(box.open(one), text);
      assert.notEqual(one, other);
      assert.ok(text.length < 5 || !one.includes(text));
    }
  });

  test('a changed, cut or foreign text is refused, and the error does not contain it', async () => {
    const sealed = await box.seal('hunter2');
    const changed = Array.from({ length: sealed.length - 3 }, (_, at) => {
      const letter = sealed[at + 3] === 'A' ? 'B' : 'A';
      return sealed.slice(0, at + 3) + letter + sealed.slice(at + 4);
    });
    // The last letter of base64 may hold bits that mean nothing.
    const meaningful = changed.filter((text) => toBytes(text) !== toBytes(sealed));
    assert.ok(meaningful.length >= changed.length - 1);
    for (const text of [...meaningful, sealed.slice(0, 20), sealed.slice(3), '', 'hunter2', 'v1.']) {
      assert.throws(
        () => box.open(text),
        (error: Error) => /cannot be decrypted/.test(error.message) && !error.message.includes('hunter2'),
      );
    }
  });

  test('a server with another key does not start once there is a secret, and says what to set', async () => {
    const fresh = await testEngine.open(MIGRATIONS);
    const first = await open(KEY, fresh);
    assert.equal(await findKeyFingerprint(fresh.db), undefined);
    // Before the first secret the nodes that run tell each other which keys they have.
    if (fresh.isShared)
      await assert.rejects(open('o'.repeat(32), fresh), /has no key in common with the test.*the same value/);
    const sealed = await first.seal('hunter2');
    await eventually(async () => (await findKeyFingerprint(fresh.db)) !== undefined);
    await assert.rejects(open('o'.repeat(32), fresh), /SIGNALBOX_SECRET_KEY/);
    assert.equal((await open(KEY, fresh)).open(sealed), 'hunter2');
    assert.doesNotMatch((await findKeyFingerprint(fresh.db))!, new RegExp(KEY));
  });

  test('a new key is written once every node reads it; what the old one sealed and signed is still good', async () => {
    const fresh = await testEngine.open(MIGRATIONS);
    const keys = { given: [KEY] };
    const one = await openWith(keys, fresh);
    const two = fresh.isShared ? await openWith(keys, fresh) : undefined;
    const sealed = await one.seal('hunter2');
    assert.match(sealed, /^v1\./);
    const signature = one.sign('links', 'a link');
    await eventually(async () => (await findWrittenKey(fresh.db)) !== undefined);
    keys.given = [NEW_KEY, KEY];
    await one.refresh();
    if (two !== undefined) {
      // The other node has not read its keys anew.
      assert.match(await one.seal('more'), /^v1\./);
      await two.refresh();
      await one.refresh();
    }
    const written = await one.seal('more');
    assert.ok(written.startsWith(`v2.${one.written.id}.`), written);
    assert.notEqual((await findWrittenKey(fresh.db))?.changedAt, null);
    for (const node of [one, ...(two === undefined ? [] : [two])]) {
      assert.deepEqual([node.open(sealed), node.open(written)], ['hunter2', 'more']);
      assert.equal(node.verify('links', 'a link', signature), true);
      assert.equal(node.verify('links', 'another link', signature), false);
      assert.equal(node.verify('other links', 'a link', signature), false);
    }
    const resealed = one.reseal(JSON.stringify({ sealed, text: `v1.${'a'.repeat(50)}` }));
    keys.given = [NEW_KEY];
    await one.refresh();
    const anew = JSON.parse(resealed) as { sealed: string; text: string };
    assert.equal(one.open(anew.sealed), 'hunter2');
    assert.equal(anew.text, `v1.${'a'.repeat(50)}`);
    assert.throws(() => one.open(sealed), /cannot be decrypted/);
    assert.equal(one.verify('links', 'a link', signature), false);
    // A node that has the old key alone could not read what is written.
    await two?.close();
    await assert.rejects(open(KEY, fresh), /encrypted with another key than the test/);
  });

  test('a key that is written is not given up while the server runs', async () => {
    const fresh = await testEngine.open(MIGRATIONS);
    const keys = { given: [KEY] };
    const one = await openWith(keys, fresh);
    const sealed = await one.seal('hunter2');
    await eventually(async () => (await findWrittenKey(fresh.db)) !== undefined);
    keys.given = [NEW_KEY];
    await assert.rejects(one.refresh(), /encrypted with another key/);
    assert.equal(one.open(sealed), 'hunter2');
  });

  test('a secret can be sealed in a transaction', async () => {
    const fresh = await testEngine.open(MIGRATIONS);
    const other = await open(KEY, fresh);
    const sealed = await fresh.db.transaction().execute(() => other.seal('hunter2'));
    assert.equal(other.open(sealed), 'hunter2');
    await eventually(async () => (await findKeyFingerprint(fresh.db)) !== undefined);
  });
});

describe('the file of the key', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-key-'));
  after(() => rmSync(folder, { recursive: true }));

  test('is created once, for its owner only, and leaves no draft', () => {
    const data = join(folder, 'new', 'data');
    const keys = ensureSecretKeyFile(data);
    assert.ok(keys.length === 1 && keys[0]!.length >= 32);
    assert.deepEqual(ensureSecretKeyFile(data), keys);
    assert.equal(statSync(join(data, 'secret.key')).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(data), ['secret.key']);
  });

  test('is made private again where a copy has made it readable', () => {
    const data = join(folder, 'copied');
    ensureSecretKeyFile(data);
    chmodSync(join(data, 'secret.key'), 0o644);
    ensureSecretKeyFile(data);
    assert.equal(statSync(join(data, 'secret.key')).mode & 0o777, 0o600);
  });

  test('has several keys, the newest on the first line', () => {
    const data = join(folder, 'several');
    const [first] = ensureSecretKeyFile(data);
    writeSecretKeyFile(join(data, 'secret.key'), [NEW_KEY, first!]);
    assert.deepEqual(ensureSecretKeyFile(data), [NEW_KEY, first]);
    assert.equal(statSync(join(data, 'secret.key')).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(data), ['secret.key']);
    assert.equal(readSecretKeyFile(join(data, 'absent.key')), undefined);
  });

  test('is not replaced where it is damaged', () => {
    const data = join(folder, 'damaged');
    ensureSecretKeyFile(data);
    writeFileSync(join(data, 'secret.key'), '');
    assert.throws(() => ensureSecretKeyFile(data), /damaged/);
    assert.equal(readFileSync(join(data, 'secret.key'), 'utf8'), '');
    assert.ok(existsSync(data));
  });
});

function toBytes(sealed: string): string {
  return Buffer.from(sealed.slice(3), 'base64url').toString('hex');
}
