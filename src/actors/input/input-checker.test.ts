// Input schemas and inputs, checked in the worker thread.
import assert from 'node:assert/strict';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { decryptInputSecrets } from '@apify/input_secrets';
import { InputChecker } from './input-checker.ts';
import type { CheckedSchema, InputKeys } from './thread-task.ts';

const USER = 'user';
const checker = new InputChecker();
let keys: InputKeys;
before(() => {
  const passphrase = 'a passphrase';
  const pair = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase },
  });
  keys = { ...pair, passphrase };
});
after(() => checker.close());

const field = (more: object) => ({
  title: 'T',
  description: 'D',
  editor: 'textfield',
  type: 'string',
  ...more,
});
const schemaOf = (properties: object, more: object = {}) => ({
  title: 'Input',
  type: 'object',
  schemaVersion: 1,
  properties,
  ...more,
});

const check = (schema: unknown): Promise<CheckedSchema> =>
  checker.run(USER, {
    kind: 'check-schema',
    text: typeof schema === 'string' ? schema : JSON.stringify(schema),
  });

async function prepare(schema: object, body?: unknown, withKeys?: InputKeys): Promise<unknown> {
  const text = JSON.stringify(schema);
  const bytes =
    body instanceof Uint8Array
      ? body
      : body === undefined
        ? undefined
        : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const prepared = await checker.run(USER, {
    kind: 'prepare-input',
    schema: text,
    maxBytes: 1000,
    ...(bytes && { body: bytes }),
    ...(withKeys && { keys: withKeys }),
  });
  return prepared && (JSON.parse(Buffer.from(prepared).toString()) as unknown);
}

const rejects = (promise: Promise<unknown>, code: string, message: RegExp) =>
  assert.rejects(promise, (error: { details: { code: string }; message: string }) => {
    assert.match(error.message, message);
    assert.equal(error.details.code, code);
    return true;
  });

describe('an input schema', () => {
  test('that is valid is returned as compact JSON', async () => {
    const schema = schemaOf({ name: field({ default: 'x' }) });
    assert.deepEqual(await check(`\uFEFF${JSON.stringify(schema, null, 4)}`), {
      text: JSON.stringify(schema),
      hasSecretFields: false,
    });
    const secret = schemaOf({ password: field({ isSecret: true }) });
    assert.equal((await check(secret)).hasSecretFields, true);
  });

  const BAD: [name: string, schema: unknown, message: RegExp][] = [
    ['is no JSON', '{', /no JSON/],
    ['is a list', [], /must be a JSON object/],
    ['has no title', { ...schemaOf({}), title: undefined }, /schema\.title is required/],
    [
      'has a field of an unknown type',
      schemaOf({ name: field({ type: 'text' }) }),
      /schema\.properties\.name/,
    ],
    [
      'has a field without a title',
      schemaOf({ name: field({ title: undefined }) }),
      /schema\.properties\.name\.title is required/,
    ],
    [
      'has a default of another type',
      schemaOf({ name: field({ default: 5 }) }),
      /schema\.properties\.name\.default must be/,
    ],
    [
      'has a pattern that is no regular expression',
      schemaOf({ name: field({ pattern: '(' }) }),
      /name\.pattern/,
    ],
    [
      'requires a field that it does not have',
      schemaOf({}, { required: ['other'] }),
      /schema\.properties\.other does not exist/,
    ],
    ['refers to a file', schemaOf({ name: { $ref: 'file:///etc/passwd' } }), /schema\.properties\.name/],
  ];
  for (const [name, schema, message] of BAD) {
    test(`that ${name} is refused`, () => rejects(check(schema), 'invalid-input-schema', message));
  }
});

describe('an input', () => {
  const schema = schemaOf(
    {
      name: field({ minLength: 2 }),
      colour: field({ editor: 'select', enum: ['red', 'blue'], default: 'red' }),
      count: { title: 'C', description: 'D', type: 'integer', minimum: 1, maximum: 10 },
      hint: field({ prefill: 'a prefill is no default' }),
    },
    { required: ['name'] },
  );

  test('gets the defaults, and no prefills', async () => {
    assert.deepEqual(await prepare(schema, { name: 'Ada', more: 1 }), {
      name: 'Ada',
      more: 1,
      colour: 'red',
    });
  });

  test('to which nothing is added stays byte for byte', async () => {
    const body = Buffer.from('{ "name":"Ada",\n "colour": "blue" }');
    const prepared = await checker.run(USER, {
      kind: 'prepare-input',
      schema: JSON.stringify(schema),
      maxBytes: 1000,
      body,
    });
    assert.equal(Buffer.from(prepared!).toString(), body.toString());
  });

  test('that is absent is an empty object with defaults, or nothing', async () => {
    assert.deepEqual(await prepare(schemaOf({ a: field({ default: 'x' }) })), { a: 'x' });
    assert.equal(await prepare(schemaOf({ a: field({ prefill: 'x' }) })), undefined);
    await rejects(prepare(schema), 'invalid-input', /^Input is not valid: Field input\.name is required$/);
  });

  const BAD: [body: unknown, code: string, message: RegExp][] = [
    [{ name: 5 }, 'invalid-input', /^Input is not valid: Field input\.name must be string$/],
    [{ name: 'A' }, 'invalid-input', /Field input\.name must NOT have fewer than 2 characters/],
    [
      { name: 'Ada', colour: 'green' },
      'invalid-input',
      /Field input\.colour must be equal to one of the allowed values: "red", "blue"/,
    ],
    [{ name: 'Ada', count: 11 }, 'invalid-input', /Field input\.count must be <= 10/],
    [{ count: 0 }, 'invalid-input', /input\.name is required.*input\.count must be >= 1/],
    ['{"name": "Ada"', 'run-input-body-not-valid-json', /not valid JSON/],
    [[1], 'input-json-not-object', /must be a JSON object.*an array/],
    ['null', 'input-json-not-object', /It is null/],
    [Buffer.from([0x7b, 0xff, 0x7d]), 'input-json-invalid-characters', /UTF-8/],
    [{ name: 'x'.repeat(1000) }, 'input-json-too-long', /may have 1000/],
  ];
  for (const [body, code, message] of BAD) {
    test(`is refused as ${code}: ${String(message)}`, () => rejects(prepare(schema, body), code, message));
  }

  test('with a name that objects have of themselves pollutes nothing', async () => {
    const body = '{"name":"Ada","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}';
    await prepare(schema, body);
    const seen = await prepare(schemaOf({ toString: field({}) }), {});
    assert.deepEqual(seen, {});
    const names = { a: { title: 'A', description: 'D', type: 'object', editor: 'json', default: {} } };
    assert.deepEqual(await prepare(schemaOf(names)), { a: {} });
  });
});

describe('a secret field', () => {
  const schema = schemaOf({
    password: field({ isSecret: true }),
    account: { title: 'A', description: 'D', type: 'object', editor: 'json', isSecret: true },
    name: field({}),
  });
  const open = (input: unknown) =>
    decryptInputSecrets({
      input: input as object,
      privateKey: createPrivateKey({ key: keys.privateKey, passphrase: keys.passphrase }),
    });

  test('is encrypted, and the SDK decrypts it', async () => {
    const input = { password: 'hunter2', account: { user: 'ada' }, name: 'Ada' };
    const stored = (await prepare(schema, input, keys)) as Record<string, string>;
    assert.match(stored['password']!, /^ENCRYPTED_VALUE:/);
    assert.match(stored['account']!, /^ENCRYPTED_JSON:/);
    assert.equal(stored['name'], 'Ada');
    assert.ok(!JSON.stringify(stored).includes('hunter2'));
    assert.deepEqual(open(stored), input);
  });

  test('that is encrypted already stays as it is', async () => {
    const stored = await prepare(schema, { password: 'hunter2', account: { user: 'ada' } }, keys);
    assert.deepEqual(await prepare(schema, stored, keys), stored);
  });

  test('that was encrypted for somebody else is refused', async () => {
    const { publicKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    const stored = await prepare(schema, { password: 'hunter2' }, { ...keys, publicKey });
    await rejects(
      prepare(schema, stored, keys),
      'invalid-input',
      /Field input\.password is encrypted, but not for/,
    );
    const forged = { password: 'ENCRYPTED_VALUE:AAAA:BBBB' };
    await rejects(prepare(schema, forged, keys), 'invalid-input', /input\.password/);
    await rejects(
      prepare(schema, { password: 'ENCRYPTED_VALUE:' }, keys),
      'invalid-input',
      /input\.password/,
    );
  });

  test('of a wrong type is refused, in clear and encrypted', async () => {
    await rejects(
      prepare(schema, { account: 'text' }, keys),
      'invalid-input',
      /input\.account must be object/,
    );
    const stored = (await prepare(schema, { password: 'hunter2' }, keys)) as { password: string };
    await rejects(
      prepare(schema, { account: stored.password }, keys),
      'invalid-input',
      /input\.account must be object/,
    );
  });
});

describe('a hostile schema', () => {
  const slow = schemaOf({ name: field({ pattern: '^(a+)+$' }) });
  const evil = { name: `${'a'.repeat(40)}!` };

  test('is stopped, refused to the account that used it, and harms nobody else', async () => {
    const limited = new InputChecker({ maxCpuMs: 300, maxWaitingEach: 3 });
    const task = (input: unknown) =>
      ({
        kind: 'prepare-input',
        schema: JSON.stringify(slow),
        maxBytes: 1000,
        body: Buffer.from(JSON.stringify(input)),
      }) as const;
    try {
      const attacks = Array.from({ length: 4 }, () => limited.run('mallory', task(evil)));
      const honest = limited.run('ada', task({ name: 'aaa' }));
      const [first, ...rest] = await Promise.allSettled(attacks);
      assert.match(String((first as PromiseRejectedResult).reason), /takes too long/);
      assert.ok(rest.every(({ status }) => status === 'rejected'));
      // The account with the honest input had its turn after one of the others, and the thread was replaced for it.
      assert.equal(Buffer.from((await honest)!).toString(), '{"name":"aaa"}');
      await assert.rejects(limited.run('mallory', task({ name: 'aaa' })), /takes too long/);
      assert.ok(await limited.run('ada', task({ name: 'aaaa' })));
    } finally {
      await limited.close();
    }
  });

  test('that uses up the stack is refused', async () => {
    const limited = new InputChecker();
    const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    try {
      await assert.rejects(
        limited.run(USER, {
          kind: 'prepare-input',
          schema: JSON.stringify(schemaOf({ a: field({}) })),
          maxBytes: 1e6,
          body: Buffer.from(deep),
        }),
        (error: { kind: string }) => error.kind === 'invalid',
      );
    } finally {
      await limited.close();
    }
  });

  test('more than an account may have waiting are put off', async () => {
    const limited = new InputChecker({ maxWaitingEach: 2 });
    const task = { kind: 'check-schema', text: JSON.stringify(schemaOf({})) } as const;
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => limited.run(USER, task)));
    await limited.close();
    const reasons = results.flatMap((result) =>
      result.status === 'rejected' ? [String(result.reason)] : [],
    );
    assert.ok(reasons.length > 0 && reasons.every((reason) => /try again/.test(reason)), String(reasons));
  });

  test('checks that wait when the server stops fail', async () => {
    const limited = new InputChecker();
    const task = { kind: 'check-schema', text: JSON.stringify(schemaOf({})) } as const;
    const waiting = Array.from({ length: 3 }, () => limited.run(USER, task));
    const results = Promise.allSettled(waiting);
    await limited.close();
    for (const result of await results)
      assert.ok(
        result.status === 'fulfilled' || /stopping/.test(String(result.reason)),
        JSON.stringify(result),
      );
    await assert.rejects(limited.run(USER, task), /stopping/);
  });
});
