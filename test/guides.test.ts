// The guides are true: their commands are run as they stand there, against servers of their own.
import { spawnSync } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import { makeFolder, startServer as startProcess, type ServerProcess } from '../src/cli/fixture.ts';
import { needsGit } from '../src/host/git/fixture-repository.ts';
import { createActor } from './actors.ts';
import { script } from './actor-sources.ts';
import { APIFY_FOLDER } from './clients/apify-program.ts';
import { isRegistryReachable } from './clients/registry.ts';
import { PATIENCE_MS } from './eventually.ts';
import { environmentIn, makeClone, startReader, whatIsShown } from './guide-reader.ts';
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

const curl = spawnSync('curl', ['--version']).error !== undefined && 'needs curl';

/** They run programs, or commands that take long to start. */
const GUIDES = {
  'docs/guide/actor-tasks.md': curl,
  'docs/guide/standby.md': curl,
  'docs/guide/openfeature.md': curl,
  'docs/guide/configure.md': false,
  'docs/guide/operate.md': false,
  'docs/guide/backup.md': false,
  'docs/guide/repositories.md': needsGit.skip,
};

for (const [guide, reason] of Object.entries(GUIDES)) {
  test(guide, { skip: skip || reason, timeout: 5 * PATIENCE_MS }, async (t) => {
    const reader = await startReader();
    t.after(() => reader.server.stop());
    await reader.follow(guide);
  });
}

describe('the guides to the command line of the platform', { skip }, () => {
  let cwd: string;
  let server: ServerProcess;
  beforeEach(async () => {
    cwd = makeClone();
    server = await startProcess(join(cwd, 'data'), ['--limits', 'off'], machine);
  });

  /** Of a reader who has installed that command line, and lets it ask nothing. */
  function environment(): Record<string, string | undefined> {
    const usual = environmentIn(cwd);
    return {
      ...machine,
      ...usual,
      PATH: [APIFY_FOLDER, join(ROOT, 'node_modules/.bin'), usual['PATH']].join(delimiter),
      APIFY_CLI_DISABLE_TELEMETRY: '1',
      APIFY_CLI_SKIP_UPDATE_CHECK: '1',
      APIFY_CLI_SKIP_RENTAL_SUNSET_NOTICE: '1',
      APIFY_DISABLE_KEYRING: '1',
      NO_COLOR: '1',
    };
  }

  test('run-your-own-actor.md', { skip: needsRegistry }, async () => {
    await followGuide('docs/guide/run-your-own-actor.md', {
      // The Actor is pushed from a folder of its own.
      cwd: makeFolder(),
      env: environment(),
      replace: whatIsShown(server.url, server.token!),
    });
  });

  test('move-from-the-cloud.md, with a second server as the cloud', async () => {
    const cloud = await startServer({ limits: 'off' });
    try {
      await fillCloud(cloud);
      await followGuide('docs/guide/move-from-the-cloud.md', {
        cwd,
        env: environment(),
        replace: {
          ...whatIsShown(server.url, server.token!),
          'https://api.apify.com': cloud.url,
          apify_api_your_token: ADMIN_TOKEN,
          // As it is for a reader with a terminal.
          'import actors --from-url': 'import actors --no-json --from-url',
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
