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
import { openSecretBox, type SecretBox } from './secret-box.ts';
import { findKeyFingerprint, secretKeyMigrations, ensureSecretKeyFile } from './secret-key-store.ts';
import type { Engine } from '../storage/engine.ts';

const KEY = 'k'.repeat(32);
const log = pino({ enabled: false });

onEachEngine((testEngine) => {
  let engine: Engine;
  let box: SecretBox;
  const open = (key: string, on = engine) => openSecretBox({ engine: on, log, key, source: 'the test' });

  before(async () => {
    engine = await testEngine.open(secretKeyMigrations);
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
    const fresh = await testEngine.open(secretKeyMigrations);
    const [first, second] = [await open(KEY, fresh), await open('o'.repeat(32), fresh)];
    assert.equal(await findKeyFingerprint(fresh.db), undefined);
    const sealed = await first.seal('hunter2');
    await eventually(async () => (await findKeyFingerprint(fresh.db)) !== undefined);
    assert.throws(() => second.open(sealed), /another key/);
    await assert.rejects(open('o'.repeat(32), fresh), /SIGNALBOX_SECRET_KEY/);
    // A node that was already running stores nothing that the others could not read.
    if (fresh.isShared)
      await assert.rejects(second.seal('more'), /set SIGNALBOX_SECRET_KEY to the same value/);
    assert.equal((await open(KEY, fresh)).open(sealed), 'hunter2');
    assert.doesNotMatch((await findKeyFingerprint(fresh.db))!, new RegExp(KEY));
  });

  test('a secret can be sealed in a transaction', async () => {
    const fresh = await testEngine.open(secretKeyMigrations);
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
    const key = ensureSecretKeyFile(data);
    assert.ok(key.length >= 32);
    assert.equal(ensureSecretKeyFile(data), key);
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
