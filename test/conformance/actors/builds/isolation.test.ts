// Installations under each kind of isolation: as users of their own, and without a network for scripts.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { JobWorker } from '../../../../src/actors/jobs/job-worker.ts';
import { findWorkingTools } from '../../../../src/actors/runner/isolation/machine-tools.ts';
import { openRunner, type RunnerOptions } from '../../../../src/actors/runner/open-runner.ts';
import { onEngine } from '../../../engines.ts';
import type { TestServer } from '../../../server.ts';
import { startServerOn } from '../../../suites.ts';
import { greeter, runBuild, startBuilder, succeedToBuild, versionOf } from './build-calls.ts';

const hasNpm = spawnSync('npm', ['--version']).status === 0;
const tools = await findWorkingTools();
const { setpriv, bwrap } = tools;
const isRoot = process.getuid?.() === 0;

// One engine: the database plays no part in this.
onEngine('sqlite', (engine) => {
  let server: TestServer;
  let builder: JobWorker;
  before(async () => {
    server = await startServerOn(engine, { limits: 'off', role: 'api' });
    builder = await startBuilder(server);
  });
  after(async () => {
    await builder.stop();
    await server.stop();
  });

  async function isolate(network: 'host' | 'none', options: RunnerOptions = {}): Promise<void> {
    const { settings, log, services } = server.app.kernel;
    const execution = Object.assign(settings.execution, { network });
    services.runner = await openRunner(execution, log, options);
  }

  test(
    'a script of a package, as a user of its own, may give a file two names',
    { skip: !(hasNpm && isRoot && setpriv !== undefined) && 'needs npm, root and setpriv' },
    async () => {
      await isolate('host', { isolation: { kind: 'uid', tools: { ...tools, setpriv: setpriv! } } });
      const install = 'ln index.js second.js && id -u > uid.txt';
      const main = {
        'main.js':
          'import greeting from "greeting/second.js"; import { readFileSync } from "node:fs";' +
          'console.log(greeting, Number(readFileSync("node_modules/greeting/uid.txt", "utf8")) > 60_000)',
      };
      const built = await succeedToBuild(
        server,
        versionOf({ ...greeter('own user', { scripts: { install } }), ...main }),
      );
      assert.equal(await runBuild(server, built), 'own user true\n');
    },
  );

  test(
    'a script of a package runs, and has no network where Actors have none',
    { skip: !(hasNpm && bwrap !== undefined) && 'needs npm and bwrap' },
    async (t) => {
      await isolate('none');
      let calls = 0;
      const http = createServer((_request, response) => {
        calls += 1;
        response.end();
      });
      t.after(() => http.close().closeAllConnections());
      http.listen(0, '127.0.0.1');
      await once(http, 'listening');
      const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
      const install = `node -e 'fetch("${url}").catch(() => {})' && cp index.js second.js`;
      const built = await succeedToBuild(
        server,
        versionOf({
          ...greeter('no network', { scripts: { install } }),
          'main.js': 'import greeting from "greeting/second.js"; console.log(greeting)',
        }),
      );
      assert.equal(await runBuild(server, built), 'no network\n');
      assert.equal(calls, 0);
    },
  );
});
