// The command `import actors`: killed, used wrongly, and into the server of a data folder.
import assert from 'node:assert/strict';
import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ADMIN_TOKEN, startServer, type TestServer } from '../../../../test/server.ts';
import { makeFolder, run, start, startServer as startProcess } from '../../fixture.ts';
import { giveActor, giveItems, giveRecords, importActors, listItems, must, openFront } from './fixture.ts';

describe('a killed import', () => {
  test('goes on where it was, and has everything once', async () => {
    const [from, to, data] = [
      await startServer({ limits: 'off' }),
      await startServer({ limits: 'off' }),
      makeFolder(),
    ];
    await giveItems(from, 'shops', 2500);
    await giveRecords(from, 'files', 20);
    let victim: ReturnType<typeof start> | undefined;
    let left = 0;
    const target = await openFront(to, ({ method }) => {
      if (method !== 'GET') left -= 1;
      if (left === 0) victim?.kill('SIGKILL');
      return undefined;
    });
    let kills = 0;
    for (const allowed of [2, 10, 20, Infinity]) {
      left = allowed;
      const flags = ['--from-url', from.url, '--to-url', target.url, '--data', data];
      victim = start(['import', 'actors', ...flags], {
        APIFY_TOKEN: ADMIN_TOKEN,
        SIGNALBOX_TOKEN: ADMIN_TOKEN,
      });
      const { code, err } = await victim.ended;
      if (code !== 0) kills += 1;
      else assert.match(err, /dataset shops: /);
    }
    assert.equal(kills, 3);
    const numbers = (await listItems(to, 'shops')).map(({ n }) => n);
    assert.deepEqual(
      numbers,
      Array.from({ length: 2500 }, (_, n) => n),
    );
    assert.equal((await must(to, '/key-value-stores/~files/keys')).json.data.count, 22);
    target.close();
    await from.stop();
    await to.stop();
  });
});

test('a build that fails is reported with its log, and with the exit code', async () => {
  const [from, to] = [await startServer({ limits: 'off' }), await startServer({ limits: 'off' })];
  const versions = [
    { versionNumber: '0.1', sourceType: 'SOURCE_FILES', sourceFiles: [{ name: 'README.md' }] },
  ];
  await must(from, '/actors', { method: 'POST', body: { name: 'lifeless', versions } });
  const { code, summary, err } = await importActors(from, to, makeFolder(), '--build');
  assert.deepEqual([code, summary.complete], [1, false]);
  assert.match(err, /^build of the Actor lifeless, version 0\.1: failed$/m);
  assert.match(
    summary.toDo.join(),
    /^Look at the log of the build of the Actor lifeless, .*\/v2\/logs\/\w+$/,
  );
  await from.stop();
  await to.stop();
});

describe('wrong use', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop());
  const data = makeFolder();
  const fail = async (flags: string[], env: NodeJS.ProcessEnv = {}) => {
    const { code, out, err } = await run(['import', 'actors', '--data', data, ...flags], { env });
    assert.equal(out, '');
    return { code, err };
  };
  const there = () => ['--to-url', server.url, '--to-token', ADMIN_TOKEN];

  test('a wrong token is named by its flag, and not shown', async () => {
    const from = ['--from-url', server.url, '--token', 'api-some-wrong-token'];
    assert.deepEqual(await fail([...from, ...there()]), {
      code: 1,
      err: `${server.url} rejects the token: give another with --token.`,
    });
    const to = ['--to-url', server.url, '--to-token', 'api-some-wrong-token'];
    const right = ['--from-url', server.url, '--token', ADMIN_TOKEN];
    assert.deepEqual(await fail([...right, ...to]), {
      code: 1,
      err: `${server.url} rejects the token: give another with --to-token.`,
    });
  });

  test('a server that cannot be reached fails at once', async () => {
    const { code, err } = await fail(['--from-url', 'http://127.0.0.1:1', '--token', 'x', ...there()]);
    assert.equal(code, 1);
    assert.match(err, /^127\.0\.0\.1:1 cannot be reached: .*ECONNREFUSED.*\. Check --from-url\.$/);
  });

  test('a URL without the Actors API is refused, with the flag to check', async () => {
    const other = await openFront(server, () => ({ status: 404 }));
    const { code, err } = await fail(['--from-url', other.url, '--token', 'x', ...there()]);
    other.close();
    assert.deepEqual([code, err], [2, `${other.url} is not a server with the Actors API. Check --from-url.`]);
  });

  test('the account itself is refused', async () => {
    const from = ['--from-url', `${server.url}/v2/`, '--token', ADMIN_TOKEN];
    assert.deepEqual(await fail([...from, ...there()]), {
      code: 2,
      err: 'Both sides are the account admin of the same server.',
    });
  });

  for (const [what, flags, words] of [
    ['no source', [], /--from-url/],
    [
      'no token',
      ['--from-url', 'http://a.example'],
      /^A token for http:\/\/a\.example is missing: give it with --token/,
    ],
    ['no URL', ['--from-url', 'a.example', '--token', 'x'], /^--from-url must be a URL like/],
    [
      'a token in the URL',
      ['--from-url', 'http://a.example?token=secret', '--token', 'x'],
      /^--from-url must have no/,
    ],
    [
      'an unknown kind',
      ['--from-url', 'http://a.example', '--token', 'x', '--only', 'actor'],
      /^--only has "actor", which/,
    ],
    [
      'no target token',
      ['--from-url', 'http://a.example', '--token', 'x', '--to-url', 'http://b.example'],
      /^A token for http:\/\/b\.example is missing: give it with --to-token/,
    ],
  ] as const) {
    test(`${what} is wrong use`, async () => {
      const { code, err } = await fail([...flags]);
      assert.equal(code, 2);
      assert.match(err, words);
      assert.doesNotMatch(err, /secret/);
    });
  }

  test('without a running server it says how to start or name one', async () => {
    const { code, err } = await fail(['--from-url', server.url, '--token', ADMIN_TOKEN]);
    assert.equal(code, 1);
    assert.match(
      err,
      /^No server is ready on .*: start one with signalbox serve, name its folder with --data/,
    );
  });
});

describe('into the server of a data folder', () => {
  test('it needs no token, leaves none behind, and tells people what to do', async () => {
    const from = await startServer({ limits: 'off' });
    await giveActor(from, 'hello');
    await giveItems(from, 'shops', 2);
    const data = join(makeFolder(), 'data');
    const server = await startProcess(data);
    const flags = ['import', 'actors', '--from-url', from.url, '--token', ADMIN_TOKEN, '--data', data];
    const { code, out, err } = await run([...flags, '--build'], { isTerminal: true, env: { NO_COLOR: '1' } });
    assert.equal(code, 0, out + err);
    assert.match(err, /^build of the Actor hello, version 0\.1: succeeded$/m);
    assert.match(out, new RegExp(`^From ${from.url} \\(admin\\) to ${server.url} \\(admin\\)$`, 'm'));
    assert.match(out, /^ +created\nActors +1\ndatasets +1$/m);
    assert.match(out, /^Copied: 2 items, 0 records, 0 requests\.$/m);
    assert.match(
      out,
      /^For you to do:\n {2}Set the secret environment variable HIDDEN of the Actor hello, version 0\.1/m,
    );

    const tokens = JSON.parse((await run(['token', 'ls', '--data', data])).out) as unknown[];
    assert.equal(tokens.length, 1);
    // No token is in any file of the import.
    for (const file of globSync('imports/**', { cwd: data, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    )) {
      const path = join(file.parentPath, file.name);
      assert.doesNotMatch(readFileSync(path, 'utf8'), /api-/);
      assert.equal(statSync(path).mode & 0o077, 0);
    }
    const again = await run([...flags, '--build'], { isTerminal: true, env: { NO_COLOR: '1' } });
    assert.match(again.out, /^ +unchanged\nActors +1\ndatasets +1$/m);
    assert.doesNotMatch(again.err, /build of/);
    await from.stop();
    server.kill('SIGTERM');
    await server.ended;
  });
});
