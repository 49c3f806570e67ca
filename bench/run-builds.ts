// A second build with the same lockfile, against the first one, which installs the packages.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { median, type Effort } from './compare.ts';
import type { Row } from './report.ts';
import { buildActor, createActor, startRunServer } from './run-calls.ts';

const MOST = 0.2;
/** What a usual Actor has, with about a hundred packages below it. */
const DEPENDENCIES = { apify: '3.5.1' };

/** Needs the registry. npm's download cache is filled before, so that the network is not measured. */
export async function benchBuilds({ rounds }: Effort): Promise<Row> {
  const server = await startRunServer(registrySettings());
  const lockfile = await createLockfile();
  const times: { first: number; second: number }[] = [];
  for (let round = -1; round < rounds; round += 1) {
    // The name is a part of the lockfile, so every round has dependencies of its own.
    const name = `bench-round-${round + 1}`;
    const actorId = await createActor(server.url, {
      'package.json': JSON.stringify({ ...manifest(name), scripts: { start: 'node main.js' } }),
      'package-lock.json': lockfile.replaceAll('"bench"', JSON.stringify(name)),
      'main.js': `console.log('done');\n`,
    });
    const first = await buildActor(server.url, actorId);
    const second = await buildActor(server.url, actorId);
    if (round >= 0) times.push({ first, second });
  }
  await server.stop();
  const ratio = median(times.map(({ first, second }) => second / first));
  return {
    what: 'a second build with the same lockfile',
    value: `${median(times.map(({ second }) => second)).toFixed(0)} ms`,
    ratio,
    against: `the first one, whose packages npm has downloaded before, ${median(times.map(({ first }) => first)).toFixed(0)} ms`,
    target: `≤ ${MOST}`,
    isMet: ratio <= MOST,
  };
}

/** Where npm finds the registry on this machine, and what it trusts. */
function registrySettings(): NodeJS.ProcessEnv {
  const names = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'npm_config_registry'];
  return Object.fromEntries(names.map((name) => [name, process.env[name]]));
}

function manifest(name: string) {
  return { name, version: '1.0.0', private: true, dependencies: DEPENDENCIES };
}

async function createLockfile(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest('bench')));
  await promisify(execFile)('npm', ['install', '--package-lock-only', '--no-audit', '--no-fund'], {
    cwd: folder,
  });
  const lockfile = readFileSync(join(folder, 'package-lock.json'), 'utf8');
  rmSync(folder, { recursive: true, force: true });
  return lockfile;
}
