// Writes to repositories: the CPU time of the server with all its processes, and how many processes of git each write takes.
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findGit } from '../src/host/git/process/git-environment.ts';
import { median, type Effort } from './compare.ts';
import { cpuMsOfFamily, untilQuiet } from './cpu.ts';
import { fillRepository, hostHeaders, pathOf } from './host-repository.ts';
import { Connection } from './raw-http.ts';
import type { Row } from './report.ts';
import { startOurs, TOKEN, type BenchServer } from './servers.ts';

const FILES = 2000;
const CALLS = 40;
const COUNTED_CALLS = 10;
const MAX_CPU_MS = 25;
const MAX_PROCESSES = 3;
const MAX_COLLISIONS = 0;
/** As many clients write different files of one branch at once. */
const CLIENTS = 8;
const run = promisify(execFile);

/** Each call writes something else. */
type GitWrite = (nth: number) => Promise<void>;

export async function benchGitWrites({ rounds }: Effort): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-git-'));
  try {
    const cpu = await withServer(join(folder, 'cpu'), {}, (server, data) => measureCpu(server, data, rounds));
    const counted = await countProcesses(join(folder, 'counted'));
    return [
      ...[...cpu.byWrite].map(([what, ms]) => {
        const processes = counted.get(what)!;
        return {
          what,
          value: `${ms.toFixed(1)} ms of CPU, ${processes.toFixed(1)} processes of git`,
          against: 'with what follows the write',
          target: `≤ ${MAX_CPU_MS} ms, ≤ ${MAX_PROCESSES}`,
          isMet: ms <= MAX_CPU_MS && processes <= MAX_PROCESSES,
        };
      }),
      cpu.collisions,
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function withServer<Result>(
  data: string,
  settings: NodeJS.ProcessEnv,
  use: (server: BenchServer, data: string) => Promise<Result>,
): Promise<Result> {
  mkdirSync(data, { recursive: true });
  const server = await startOurs({ SIGNALBOX_DATA: data, ...settings });
  try {
    return await use(server, data);
  } finally {
    await server.stop();
  }
}

async function measureCpu(server: BenchServer, data: string, rounds: number) {
  const writes = await openWrites(server, data);
  const byWrite = new Map<string, number>();
  for (const [what, write] of Object.entries(writes)) {
    const times: number[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      await untilQuiet(server.pid);
      const before = cpuMsOfFamily(server.pid);
      for (let call = 0; call < CALLS; call += 1) await write(round * CALLS + call);
      await untilQuiet(server.pid);
      // The first round warms up.
      if (round > 0) times.push((cpuMsOfFamily(server.pid) - before) / CALLS);
    }
    byWrite.set(what, median(times));
  }
  return { byWrite, collisions: await benchCollisions(server) };
}

async function openWrites(server: BenchServer, data: string): Promise<Record<string, GitWrite>> {
  const repository = await fillRepository(server, data, 'written', FILES);
  const connection = new Connection(server.url, hostHeaders);
  const base = '/repos/admin/written';
  const call = async (method: string, path: string, sent: object) => {
    const { status, body } = await connection.call(method, `${base}/${path}`, JSON.stringify(sent));
    if (status >= 300) throw new Error(`${method} ${path} is answered ${status}: ${body}`);
    return JSON.parse(body) as { sha: string; content: { sha: string } | null };
  };
  const contentOf = (nth: number, name: string) =>
    Buffer.from(`${name} ${nth}\n`.repeat(20)).toString('base64');
  const shas = new Map<string, string>();
  const tree = execFileSync('git', ['--git-dir', repository, 'rev-parse', 'main^{tree}'], {
    encoding: 'utf8',
  });
  return {
    'contents PUT, a new file': async (nth) => {
      const path = `folder-1/new-${nth}.txt`;
      const { content } = await call('PUT', `contents/${path}`, {
        message: `Add ${nth}`,
        content: contentOf(nth, 'new'),
      });
      shas.set(path, content!.sha);
    },
    'contents PUT, a changed file': async (nth) => {
      const path = `folder-1/new-${nth}.txt`;
      const sha = shas.get(path)!;
      const sent = { message: `Change ${nth}`, content: contentOf(nth, 'changed'), sha };
      shas.set(path, (await call('PUT', `contents/${path}`, sent)).content!.sha);
    },
    'contents DELETE': async (nth) => {
      const path = `folder-1/new-${nth}.txt`;
      await call('DELETE', `contents/${path}`, { message: `Delete ${nth}`, sha: shas.get(path)! });
    },
    'blob, tree and commit by three calls': async (nth) => {
      const blob = await call('POST', 'git/blobs', { content: contentOf(nth, 'blob'), encoding: 'base64' });
      const entry = { path: pathOf(nth), mode: '100644', type: 'blob', sha: blob.sha };
      const { sha } = await call('POST', 'git/trees', { base_tree: tree.trim(), tree: [entry] });
      await call('POST', 'git/commits', { message: `Commit ${nth}`, tree: sha, parents: [] });
    },
    'small push': openPushes(server, data),
  };
}

/** One commit that changes one file, by the real git. */
function openPushes(server: BenchServer, data: string): GitWrite {
  const work = join(data, '..', `work-${server.pid}`);
  const url = `http://x:${TOKEN}@${new URL(server.url).host}/admin/written.git`;
  const git = async (...args: string[]) => (await run('git', args, { cwd: work })).stdout.trim();
  let isCloned = false;
  return async (nth) => {
    if (!isCloned) {
      await run('git', ['clone', '--quiet', '--bare', '--depth', '1', url, work]);
      await git('branch', 'pushed', 'main');
      await git('push', '--quiet', url, 'pushed');
      isCloned = true;
    }
    const input = [
      'commit refs/heads/pushed',
      `committer Bench <bench@example.com> ${1_800_000_000 + nth} +0000`,
      'data 4',
      'Push',
      'from refs/heads/pushed^0',
      `M 100644 inline ${pathOf(nth)}`,
      `data ${`Push ${nth}`.length}`,
      `Push ${nth}`,
      '',
    ].join('\n');
    execFileSync('git', ['fast-import', '--quiet'], { cwd: work, input });
    await git('push', '--quiet', url, 'pushed');
  };
}

async function benchCollisions(server: BenchServer): Promise<Row> {
  const perClient = 8;
  const connections = Array.from({ length: CLIENTS }, () => new Connection(server.url, hostHeaders));
  const statuses = await Promise.all(
    connections.map(async (connection, client) => {
      const seen: number[] = [];
      for (let nth = 0; nth < perClient; nth += 1) {
        const sent = { message: 'At once', content: Buffer.from(`${client} ${nth}`).toString('base64') };
        const path = `/repos/admin/written/contents/at-once/${client}-${nth}.txt`;
        seen.push((await connection.call('PUT', path, JSON.stringify(sent))).status);
      }
      connection.close();
      return seen;
    }),
  );
  const refused = statuses.flat().filter((status) => status !== 201).length;
  return {
    what: `${CLIENTS} clients that write different files of one branch`,
    value: `${refused} of ${CLIENTS * perClient} are refused`,
    against: '',
    target: `${MAX_COLLISIONS}`,
    isMet: refused <= MAX_COLLISIONS,
  };
}

/** A program in front of git makes it and what it starts write a line each: that is slower, so that it is another server. */
async function countProcesses(folder: string): Promise<Map<string, number>> {
  const programs = join(folder, 'bin');
  const log = join(folder, 'started');
  mkdirSync(programs, { recursive: true });
  writeFileSync(log, '');
  const { path } = (await findGit())!;
  const program = `#!/bin/sh\nGIT_TRACE2_EVENT='${log}' exec '${path}' "$@"\n`;
  writeFileSync(join(programs, 'git'), program, { mode: 0o755 });
  const started = () => readFileSync(log, 'utf8').split('"event":"start"').length - 1;
  const settings = { PATH: `${programs}:${process.env['PATH']}` };
  return await withServer(join(folder, 'data'), settings, async (server, data) => {
    const counts = new Map<string, number>();
    for (const [what, write] of Object.entries(await openWrites(server, data))) {
      // The first call starts what is kept for the next ones.
      await write(0);
      await untilQuiet(server.pid);
      const before = started();
      for (let call = 1; call <= COUNTED_CALLS; call += 1) await write(call);
      await untilQuiet(server.pid);
      counts.set(what, (started() - before) / COUNTED_CALLS);
    }
    return counts;
  });
}
