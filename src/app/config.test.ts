// The settings: where they come from, who wins, and what is refused in which words.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, test } from 'node:test';
import { optionName, SETTING_NAMES, SETTINGS } from './config.ts';
import { readSettings, readSettingsFile, type SettingTexts } from './read-settings.ts';
import { secretKeySource } from './secret-keys.ts';
import { Failure } from '../kernel/failure.ts';

const read = (given: { flags?: SettingTexts; env?: NodeJS.ProcessEnv; file?: SettingTexts }) =>
  readSettings({ flags: {}, env: {}, file: {}, ...given });

const refuses = (given: Parameters<typeof read>[0], sentence: string | RegExp) =>
  assert.throws(
    () => read(given),
    (error) => {
      assert.ok(error instanceof Failure);
      assert.equal(error.kind, 'invalid');
      if (typeof sentence === 'string') assert.equal(error.message, sentence);
      else assert.match(error.message, sentence);
      return true;
    },
  );

describe('where settings come from', () => {
  test('a flag wins over the environment, that over the file, that over the default', () => {
    const flags = { port: '1' };
    const env = { PORT: '2' };
    const file = { port: '3' };
    const expected: [Parameters<typeof read>[0], number, string][] = [
      [{ flags, env, file }, 1, 'flag'],
      [{ env, file }, 2, 'environment'],
      [{ file }, 3, 'file'],
      [{}, 8080, 'default'],
    ];
    for (const [given, port, source] of expected) {
      const { config, sources } = read(given);
      assert.deepEqual([config.port, sources.port], [port, source]);
    }
  });

  test('an empty variable counts as none', () => {
    assert.equal(read({ env: { PORT: '' } }).config.port, 8080);
  });

  test('the defaults are a complete configuration', () => {
    const { config } = read({});
    assert.equal(config.host, '127.0.0.1');
    assert.equal(config.data, resolve('data'));
    assert.equal(config.database, undefined);
    assert.equal(config.allowPrivateWebhooks, false);
    assert.deepEqual(config.trustProxy, []);
    assert.deepEqual(config.limit, {});
  });

  test('every setting has a flag and a variable of its own', () => {
    assert.equal(new Set(SETTING_NAMES.map(optionName)).size, SETTING_NAMES.length);
    assert.equal(new Set(SETTING_NAMES.map((name) => SETTINGS[name].env)).size, SETTING_NAMES.length);
    assert.equal(optionName('allowPrivateWebhooks'), '--allow-private-webhooks');
  });

  test('a secret is read from the environment only', () => {
    const adminToken = 'a-long-enough-secret';
    assert.equal(read({ flags: { adminToken }, file: { adminToken } }).config.adminToken, undefined);
    assert.equal(read({ env: { SIGNALBOX_ADMIN_TOKEN: adminToken } }).config.adminToken, adminToken);
  });
});

describe('what settings mean', () => {
  test('quotas are read with and without a part for callers without a token', () => {
    const { limit } = read({ flags: { limit: 'host.core=50:6/3600, flags.global=10/1' } }).config;
    assert.deepEqual(limit, {
      'host.core': { known: 50, anonymous: 6, seconds: 3600 },
      'flags.global': { known: 10, anonymous: 10, seconds: 1 },
    });
  });

  test('lists are joined by commas', () => {
    assert.deepEqual(read({ env: { SIGNALBOX_TRUST_PROXY: '10.0.0.0/8, ::1,' } }).config.trustProxy, [
      '10.0.0.0/8',
      '::1',
    ]);
  });

  test('large objects are in a folder, or in a bucket with keys from the environment', () => {
    assert.equal(read({ flags: { blobs: 'here' } }).config.blobs, resolve('here'));
    const blobs = 's3://box/prefix?endpoint=http://minio:9000&region=eu-1';
    const env = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' };
    const { config } = read({ flags: { blobs }, env });
    assert.deepEqual([config.blobs, config.s3AccessKey, config.s3SecretKey], [blobs, 'key', 'secret']);
    refuses({ flags: { blobs } }, /need AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment/);
    refuses({ flags: { blobs, s3AccessKey: 'key', s3SecretKey: 'secret' } }, /in the environment/);
    refuses({ flags: { blobs: 's3://BOX_' }, env }, /^--blobs must be a folder or s3:\/\/bucket/);
  });

  test('a public URL is kept without a slash at the end', () => {
    assert.equal(read({ flags: { publicUrl: 'https://box.test/' } }).config.publicUrl, 'https://box.test');
    assert.equal(read({ flags: { publicUrl: 'https://Box.test:443' } }).config.publicUrl, 'https://box.test');
  });
});

describe('what is refused', () => {
  test('a wrong value is refused with its source and the accepted values', () => {
    refuses({ flags: { port: '70000' } }, '--port must be a whole number from 0 to 65535, not "70000".');
    refuses({ env: { PORT: 'x' } }, 'PORT must be a whole number from 0 to 65535, not "x".');
    refuses(
      { file: { limits: 'maybe' } },
      'limits in the settings file must be one of on, off, not "maybe".',
    );
    refuses({ flags: { database: 'mysql://x' } }, /^--database must be a URL that begins with postgres:/);
    refuses({ flags: { limit: 'core=1' } }, /^--limit must be like host\.core=5000\/3600/);
    refuses({ flags: { allowPrivateWebhooks: 'perhaps' } }, /must be 1 or 0/);
  });

  test('a wrong secret is refused without being repeated', () => {
    refuses(
      { env: { SIGNALBOX_ADMIN_TOKEN: 'short' } },
      'SIGNALBOX_ADMIN_TOKEN must be at least 16 characters, without spaces, not the value given.',
    );
  });

  test('an unknown name is refused with the nearest known one', () => {
    refuses({ env: { SIGNALBOX_LIMTS: 'off' } }, /no setting SIGNALBOX_LIMTS\. Did you mean SIGNALBOX_LIMIT/);
    refuses({ env: { SIGNALBOX_PROT: '1' } }, /no setting SIGNALBOX_PROT\. Did you mean PORT\?/);
    refuses({ env: { SIGNALBOX_DATABASE_URL: 'x' } }, /Did you mean DATABASE_URL\?/);
    refuses({ file: { hots: 'x' } }, /no setting "hots" \(in the settings file\)\. Did you mean "host"\?/);
  });

  test('other programs may have variables of any name', () => {
    assert.equal(read({ env: { PROT: '1' } }).config.port, 8080);
  });

  test('the public URL may have a path, which is kept without a slash at its end', () => {
    for (const [given, kept] of [
      ['https://tools.test/box/', 'https://tools.test/box'],
      ['https://tools.test/a/b-c', 'https://tools.test/a/b-c'],
      ['https://tools.test/', 'https://tools.test'],
    ] as const)
      assert.equal(read({ flags: { publicUrl: given } }).config.publicUrl, kept);
  });

  test('a query, a fragment, and words that are to be escaped are refused in the public URL', () => {
    for (const rest of ['/?a=b', '/#a']) {
      refuses({ flags: { publicUrl: `https://tools.test${rest}` } }, /without a query and a fragment/);
    }
    for (const rest of ['/a b', '/a;b', '//evil.test', '/a//b', '/"x"'])
      refuses(
        { flags: { publicUrl: `https://tools.test${rest}` } },
        /a URL whose path, if it has one, is of letters/,
      );
  });

  test('the URL of a node with a path is refused', () => {
    refuses(
      { flags: { nodeUrl: 'https://tools.test/box' } },
      /must be a URL that ends with the host or port/,
    );
  });

  test('HTTPS needs a certificate and its key', () => {
    refuses({ flags: { tlsCert: 'a.pem' } }, 'HTTPS needs both --tls-cert and --tls-key.');
  });
});

describe('the settings file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-config-'));
  after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'box.json');

  test('its values may be of their own types', () => {
    writeFileSync(file, '{"port": 9, "allowPrivateWebhooks": true, "host": "::1"}');
    const { config } = read({ file: readSettingsFile(file) });
    assert.deepEqual([config.port, config.allowPrivateWebhooks, config.host], [9, true, '::1']);
  });

  test('a named one must exist and be JSON', () => {
    assert.throws(() => readSettingsFile(join(folder, 'absent.json')), /absent\.json cannot be read/);
    writeFileSync(file, '{"port":');
    assert.throws(() => readSettingsFile(file), /box\.json is not valid JSON\./);
  });
});

describe('the keys of stored secrets', () => {
  const [one, two] = ['1'.repeat(32), '2'.repeat(32)];
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-keys-'));
  after(() => rmSync(folder, { recursive: true }));

  test('come from the environment, a file, a command or the data folder, the newest first', async () => {
    const file = join(folder, 'keys');
    writeFileSync(file, `${two}\n\n${one}\n`);
    const keysOf = (config: object) => secretKeySource({ data: folder, ...config }).read();
    assert.deepEqual(await keysOf({ secretKey: two, secretKeyOld: one }), [two, one]);
    assert.deepEqual(await keysOf({ secretKeyFile: file }), [two, one]);
    assert.deepEqual(await keysOf({ secretKeyCommand: `cat '${file}'` }), [two, one]);
    const [made] = await keysOf({});
    assert.equal(readFileSync(join(folder, 'secret.key'), 'utf8'), `${made}\n`);
  });

  test('come from one place, and errors name it without the key', async () => {
    const source = (config: object) => secretKeySource({ data: folder, ...config });
    assert.throws(() => source({ secretKey: one, secretKeyFile: 'x' }), /Set one of SIGNALBOX_SECRET_KEY, /);
    assert.throws(() => source({ secretKeyOld: one }), /set both/);
    await assert.rejects(
      source({ secretKeyFile: join(folder, 'absent') }).read(),
      /There is no file .*absent/,
    );
    await assert.rejects(source({ secretKeyCommand: 'exit 3' }).read(), /fails with exit code 3/);
    await assert.rejects(source({ secretKeyCommand: 'echo short' }).read(), /damaged/);
  });
});
