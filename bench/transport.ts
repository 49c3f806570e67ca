// Clones and pushes by the real git, against git's own CGI program behind bare node:http, in the same run.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Effort } from './compare.ts';
import { fillRepository } from './host-repository.ts';
import type { Row } from './report.ts';
import { startWatched, TOKEN } from './servers.ts';

const FILES = 5000;
const PARALLEL = 8;
const CLONES = 20;
const run = promisify(execFile);

export async function benchTransport({ rounds }: Effort): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-git-'));
  const data = join(folder, 'data');
  const server = await startWatched({ SIGNALBOX_DATA: data });
  let backend: ReturnType<typeof spawn> | undefined;
  try {
    const repository = await fillRepository(server, data, 'large', FILES);
    execFileSync('git', ['--git-dir', repository, 'repack', '-adq']);
    const copies = join(folder, 'copies');
    cpSync(repository, join(copies, 'large.git'), { recursive: true });
    backend = spawn(process.execPath, [new URL('./http-backend.ts', import.meta.url).pathname, copies], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [port] = (await once(backend.stdout!, 'data')) as [Buffer];
    const { host } = new URL(server.url);
    const urls = {
      ours: `http://x:${TOKEN}@${host}/admin/large.git`,
      bare: `http://127.0.0.1:${String(port).trim()}/large.git`,
    };
    const compare = async (
      what: string,
      most: number,
      work: (url: string) => Promise<void>,
    ): Promise<Row> => {
      const times: Record<keyof typeof urls, number[]> = { ours: [], bare: [] };
      for (let round = 0; round <= rounds; round += 1)
        for (const side of ['bare', 'ours'] as const) {
          const begun = performance.now();
          await work(urls[side]);
          // The first round warms up.
          if (round > 0) times[side].push(performance.now() - begun);
        }
      const [ours, bare] = [median(times.ours), median(times.bare)];
      return {
        what,
        value: `${Math.round(ours)} ms`,
        ratio: ours / bare,
        against: `git http-backend, ${Math.round(bare)} ms`,
        target: `≤ ${most}`,
        isMet: ours / bare <= most,
      };
    };
    let number = 0;
    const clone = async (url: string, before: string[] = []) => {
      const target = join(folder, `clone-${(number += 1)}`);
      const [program, ...args] = [...before, 'git', 'clone', '--quiet', '--bare', url, target];
      await run(program, args);
      rmSync(target, { recursive: true });
    };
    const work = join(folder, 'work');
    execFileSync('git', ['clone', '--quiet', urls.bare, work]);
    const push = async (url: string) => {
      const tree = execFileSync('git', ['write-tree'], { cwd: work, encoding: 'utf8' }).trim();
      const person = ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.com'];
      const message = `Push ${(number += 1)}`;
      const args = [...person, 'commit-tree', tree, '-p', 'HEAD', '-m', message];
      const commit = execFileSync('git', args, { cwd: work, encoding: 'utf8' }).trim();
      await run('git', ['push', '--quiet', '--force', url, `${commit}:refs/heads/main`], { cwd: work });
    };
    const rows = [
      await compare(`clone of ${FILES} files`, 1.25, (url) => clone(url)),
      await compare(`${PARALLEL} clones at once`, 1.25, async (url) => {
        await Promise.all(Array.from({ length: PARALLEL }, () => clone(url)));
      }),
      await compare('small push', 1.5, push),
    ];
    await server.loop();
    // The clients of a real server are on other machines: here they step back for it.
    await Promise.all(Array.from({ length: CLONES }, () => clone(urls.ours, ['nice', '-n', '19'])));
    const { p99Ms, longestCpuMs } = await server.loop();
    rows.push({
      what: `event-loop delay while ${CLONES} clones go on, p99`,
      value: `${p99Ms.toFixed(1)} ms; at most ${longestCpuMs.toFixed(1)} ms of CPU between two turns`,
      against: '',
      target: '≤ 50 ms',
      isMet: p99Ms <= 50,
    });
    return rows;
  } finally {
    backend?.kill();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function median(times: readonly number[]): number {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)]!;
}
