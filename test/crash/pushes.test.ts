// SIGKILL of a server during pushes of the real git: no reference is half moved, and each push is delivered, once.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { needsGit } from '../../src/host/git/fixture-repository.ts';
import { GitClient, gitUrl } from '../clients/git-client.ts';
import { onEachEngine, openEngine, type Location } from '../engines.ts';
import { eventually } from '../eventually.ts';
import { rounds } from '../long.ts';
import { callerOf, settingsOn, startChild, TOKEN, type ChildServer } from './child-server.ts';

const PUSHES = 20;
const AT_ONCE = 4;
const KILLS = rounds(1, 10);

onEachEngine((engine) => {
  test(`a server that is killed during ${PUSHES} pushes`, needsGit, async (t) => {
    const { location, settings } = await settingsOn(engine);
    const repositories = join(settings.SIGNALBOX_DATA, 'repositories');
    const shared = { ...settings, SIGNALBOX_REPOSITORIES: repositories };
    let server = await startChild(shared);
    // Another node on the same folder goes on, where the database can be shared.
    const other =
      engine.kind === 'postgres'
        ? await startChild({ ...shared, SIGNALBOX_DATA: join(settings.SIGNALBOX_DATA, 'other') })
        : undefined;
    t.after(async () => {
      await server.kill();
      await other?.kill();
    });
    const client = new GitClient();
    await client.begin('work');
    const { call } = callerOf(() => server.url);
    for (let round = 0; round < KILLS; round += 1) {
      const name = `project${round}`;
      const { json } = await call('/user/repos', { method: 'POST', body: { name } });
      const commits = await branchCommits(client);
      const nodes = () => (other === undefined ? [server] : [server, other]);
      const acknowledged = new Set<string>();
      const enough = 2 + Math.floor(Math.random() * (PUSHES / 2));
      const pushing = pushAll(client, nodes, name, commits, acknowledged);
      await eventually(() => acknowledged.size >= enough, 'the first pushes');
      await server.kill();
      await pushing;
      server = await startChild(shared);
      await checkPushes(location, join(repositories, folderOf(json.id)), json.id, { commits, acknowledged });
      const objects = join(repositories, folderOf(json.id), 'objects');
      const left = () => readdirSync(objects).filter((entry) => entry.includes('incoming'));
      // No push takes an hour: what is as old was left by the crash, and the next push removes it.
      for (const entry of left()) utimesSync(join(objects, entry), 0, 0);
      await pushAll(client, nodes, name, commits, acknowledged);
      assert.equal(acknowledged.size, PUSHES);
      assert.deepEqual(left(), []);
      await checkPushes(location, join(repositories, folderOf(json.id)), json.id, { commits, acknowledged });
    }
  });
});

function folderOf(number: number): string {
  return join((number % 256).toString(16).padStart(2, '0'), `${number}.git`);
}

/** A commit for each branch. */
async function branchCommits(client: GitClient): Promise<Map<string, string>> {
  const commits = new Map<string, string>();
  for (let index = 0; index < PUSHES; index += 1) {
    const args = ['commit-tree', 'HEAD^{tree}', '-p', 'HEAD', '-m', `Number ${index}`];
    commits.set(`refs/heads/b${index}`, await client.run('work', ...args));
  }
  return commits;
}

/** Pushes each branch that has not been acknowledged, several at a time; what fails stays out. */
async function pushAll(
  client: GitClient,
  nodes: () => ChildServer[],
  name: string,
  commits: ReadonlyMap<string, string>,
  acknowledged: Set<string>,
): Promise<void> {
  const waiting = [...commits].filter(([ref]) => !acknowledged.has(ref));
  const work = async (index: number) => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [ref, oid] = next;
      const all = nodes();
      const url = gitUrl(all[index % all.length]!, TOKEN, `admin/${name}`);
      const { code } = await client.try('work', ['push', '--quiet', url, `${oid}:${ref}`]);
      if (code === 0) acknowledged.add(ref);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => work(index)));
}

interface Pushed {
  commits: ReadonlyMap<string, string>;
  acknowledged: ReadonlySet<string>;
}

async function checkPushes(
  location: Location,
  folder: string,
  number: number,
  pushed: Pushed,
): Promise<void> {
  const { commits, acknowledged } = pushed;
  const git = (...args: string[]) =>
    execFileSync('git', [`--git-dir=${folder}`, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
  git('fsck', '--connectivity-only', '--no-dangling');
  const readRefs = () =>
    new Map(
      git('for-each-ref', '--format=%(refname) %(objectname)')
        .split('\n')
        .map((line) => line.split(' ') as [string, string]),
    );
  for (const ref of acknowledged) assert.ok(readRefs().has(ref), `${ref} was acknowledged`);
  const engine = await openEngine(location);
  const deliveredOf = async () => {
    const rows = await engine.db
      .selectFrom('host_events')
      .select(['name', 'details'])
      .where('repository_number', '=', number)
      .where('name', 'in', ['push', 'create'])
      .execute();
    return rows.map(({ name, details }) => {
      const { ref, after } = JSON.parse(details) as { ref: string; after?: string };
      return name === 'push' ? `${ref} ${after}` : `created ${ref}`;
    });
  };
  try {
    let refs = readRefs();
    let received: string[] = [];
    // A process of git may outlive its server for a moment, and finish its push.
    await eventually(async () => {
      refs = readRefs();
      received = await deliveredOf();
      return received.length >= 2 * refs.size && readRefs().size === refs.size;
    }, 'the events of all pushes');
    for (const [ref, oid] of refs) assert.equal(oid, commits.get(ref), ref);
    const expected = [...refs].flatMap(([ref, oid]) => [
      `${ref} ${oid}`,
      `created ${ref.replace('refs/heads/', '')}`,
    ]);
    assert.deepEqual(received.toSorted(), expected.toSorted());
  } finally {
    await engine.close();
  }
}
