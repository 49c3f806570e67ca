// The guides are true: their commands are run as they stand there, against servers of their own.
import { spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import { makeFolder, startServer as startProcess, type ServerProcess } from '../src/cli/fixture.ts';
import { createActor } from './actors.ts';
import { script } from './actor-sources.ts';
import { APIFY_FOLDER } from './clients/apify-program.ts';
import { isRegistryReachable } from './clients/registry.ts';
import { followGuide } from './guides.ts';
import { ADMIN_TOKEN, startServer, type Json, type TestServer } from './server.ts';

const ROOT = dirname(import.meta.dirname);

/** Without settings of the test run: registries, certificates and proxies are those of the machine. */
const machine = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(SIGNALBOX_|APIFY_|DATABASE_URL$)/.test(name)),
);

const skip =
  (spawnSync('bash', ['--version']).error !== undefined && 'needs bash') ||
  (spawnSync('npm', ['--version']).error !== undefined && 'needs npm');

const needsRegistry = !(await isRegistryReachable()) && 'needs the npm registry, which cannot be reached';

describe('the guides', { skip }, () => {
  let folder: string;
  let server: ServerProcess;
  beforeEach(async () => {
    folder = makeFolder();
    server = await startProcess(join(folder, 'data'), ['--limits', 'off'], machine);
  });

  /** The environment of a reader who has installed everything that the guides need. */
  function environment(): Record<string, string | undefined> {
    return {
      ...machine,
      PATH: `${APIFY_FOLDER}:${join(ROOT, 'node_modules/.bin')}:${process.env['PATH']}`,
      HOME: folder,
      SIGNALBOX_DATA: join(folder, 'data'),
      SIGNALBOX_TOKEN: server.token,
      APIFY_CLI_DISABLE_TELEMETRY: '1',
      APIFY_CLI_SKIP_UPDATE_CHECK: '1',
      APIFY_CLI_SKIP_RENTAL_SUNSET_NOTICE: '1',
      APIFY_DISABLE_KEYRING: '1',
      NO_COLOR: '1',
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(folder, 'compiled'),
    };
  }

  test('run-your-own-actor.md', { skip: needsRegistry }, async () => {
    await followGuide('docs/guide/run-your-own-actor.md', {
      cwd: makeFolder(),
      env: { ...environment(), SIGNALBOX_URL: server.url },
    });
  });

  test('openfeature.md', async () => {
    const cwd = makeFolder();
    symlinkSync(join(ROOT, 'node_modules'), join(cwd, 'node_modules'));
    await followGuide('docs/guide/openfeature.md', {
      cwd,
      env: { ...environment(), SIGNALBOX_URL: server.url },
    });
  });

  test('move-from-the-cloud.md, with a second server as the cloud', async () => {
    const cloud = await startServer({ limits: 'off' });
    try {
      await fillCloud(cloud);
      await followGuide('docs/guide/move-from-the-cloud.md', {
        cwd: ROOT,
        env: environment(),
        replace: {
          'https://api.apify.com': cloud.url,
          apify_api_your_token: ADMIN_TOKEN,
          // As it is for a reader with a terminal.
          'import actors --from-url': 'import actors --no-json --from-url',
          // The import finds its server by the data folder; only the other commands need its address.
          $SIGNALBOX_URL: server.url,
        },
      });
    } finally {
      await cloud.stop();
    }
  });
});

async function fillCloud(cloud: TestServer): Promise<void> {
  const post = async (path: string, body: unknown) =>
    (await cloud.call(`/v2${path}`, { method: 'POST', body })).json.data as Json;
  const { id: actId } = await createActor(cloud, script('await pushData([await getInput()]);'), {
    name: 'shop-crawler',
    envVars: [{ name: 'API_KEY', value: 'secret', isSecret: true }],
  });
  await post('/actor-tasks', { actId, name: 'shops-of-prague', input: { city: 'Prague' } });
  await post('/schedules', {
    name: 'every-morning',
    cronExpression: '0 6 * * *',
    isEnabled: true,
    actions: [{ type: 'RUN_ACTOR', actorId: actId }],
  });
  await post('/webhooks', {
    eventTypes: ['ACTOR.RUN.FAILED'],
    condition: { actorId: actId },
    requestUrl: 'https://example.com/alarm',
  });
  await cloud.call('/v2/datasets?name=shops', { method: 'POST' });
  await cloud.call('/v2/datasets/~shops/items', { method: 'POST', body: [{ n: 1 }, { n: 2 }, { n: 3 }] });
}
