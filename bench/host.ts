// The host: reads of contents, versions and lists. The CPU time of git counts with that of the server.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compare, compareWithBare, type Effort } from './compare.ts';
import { cpuMsOfFamily } from './cpu.ts';
import { benchRepositoryLists } from './host-lists.ts';
import { fillRepository, FOLDER_SIZE, hostHeaders, pathOf } from './host-repository.ts';
import type { Work } from './load.ts';
import { Connection } from './raw-http.ts';
import { cpuRow, type Row } from './report.ts';
import { startOurs, type BenchServer } from './servers.ts';

const FEW = 50;

export async function benchHost(effort: Effort): Promise<Row[]> {
  const many = effort.isQuick ? 30_000 : 50_000;
  const data = mkdtempSync(join(tmpdir(), 'signalbox-bench-'));
  const server = await startOurs({ SIGNALBOX_DATA: data });
  try {
    await fillRepository(server, data, 'few', FEW);
    const folder = await fillRepository(server, data, 'many', many);
    return [
      ...(await benchFolders(server, folder, many, effort)),
      ...(await benchFiles(server, many, effort)),
      await benchVersions(server, effort),
      ...(await benchRepositoryLists(effort)),
    ];
  } finally {
    await server.stop();
    for (const path of [data, `${data}-work`]) rmSync(path, { recursive: true, force: true });
  }
}

function contentsOf(repository: string, path: () => string): Work {
  return {
    method: 'GET',
    path: () => `/repos/admin/${repository}/contents/${path()}`,
    headers: hostHeaders,
    withChildren: true,
  };
}

/** Each folder is read once, so that none is cached. The first half lets the program compile what is called often. */
async function benchFolders(
  server: BenchServer,
  folder: string,
  many: number,
  effort: Effort,
): Promise<Row[]> {
  const folders = Math.floor(many / FOLDER_SIZE) - 1;
  const connection = new Connection(server.url, hostHeaders);
  const half = Math.floor(folders / 2);
  let before = 0;
  for (let index = 1; index <= folders; index += 1) {
    if (index === half) before = cpuMsOfFamily(server.pid);
    await connection.call('GET', `/repos/admin/many/contents/folder-${index}`);
  }
  const cold = (cpuMsOfFamily(server.pid) - before) / (folders - half + 1);
  connection.close();
  const plain = lsTreeMs(folder, folders);
  const cached = await compareWithBare(
    server,
    contentsOf('many', () => 'folder-0'),
    effort,
  );
  return [
    {
      what: `a folder of ${FOLDER_SIZE} files, cold`,
      value: `${cold.toFixed(1)} ms of CPU`,
      ratio: cold / plain,
      against: `git ls-tree -l, ${plain.toFixed(1)} ms`,
      target: '≤ 2',
      isMet: cold <= 2 * plain,
    },
    cpuRow(`a folder of ${FOLDER_SIZE} files, cached`, cached, { most: 2 }),
  ];
}

function lsTreeMs(folder: string, folders: number): number {
  const before = process.resourceUsage();
  const begun = cpuMsOfFamily(process.pid);
  for (let index = 1; index <= folders; index += 1)
    execFileSync('git', ['--git-dir', folder, 'ls-tree', '-l', `main:folder-${index}`], {
      maxBuffer: 2 ** 24,
    });
  const own = process.resourceUsage();
  const mine = (own.userCPUTime + own.systemCPUTime - before.userCPUTime - before.systemCPUTime) / 1000;
  return (cpuMsOfFamily(process.pid) - begun - mine) / folders;
}

async function benchFiles(server: BenchServer, many: number, effort: Effort): Promise<Row[]> {
  const cached = await compareWithBare(
    server,
    contentsOf('few', () => pathOf(0)),
    effort,
  );
  let next = 0;
  const cold = await compareWithBare(
    server,
    contentsOf('many', () => pathOf((next += 7) % many)),
    effort,
  );
  const [few, large] = await compare(
    [
      { server, work: contentsOf('few', () => pathOf(1)) },
      { server, work: contentsOf('many', () => pathOf(1)) },
    ],
    effort,
  );
  return [
    cpuRow('a file, cached', cached, { most: 4 }),
    cpuRow('a file, another each time', cold, { most: 8 }),
    {
      what: `a file of a repository of ${many} files`,
      value: `${Math.round(large!.cpu)} µs of CPU`,
      ratio: large!.times,
      against: `of ${FEW} files, ${Math.round(few!.cpu)} µs`,
      target: '≤ 2',
      isMet: large!.times <= 2,
    },
  ];
}

async function benchVersions(server: BenchServer, effort: Effort): Promise<Row> {
  const workIn = (version: string): Work => ({
    method: 'GET',
    path: '/repos/admin/few',
    headers: { ...hostHeaders, 'x-host-api-version': version },
  });
  const [newest, oldest] = await compare(
    [
      { server, work: workIn('2026-03-10') },
      { server, work: workIn('2022-11-28') },
    ],
    effort,
  );
  return {
    what: 'a repository in version 2022-11-28',
    value: `${Math.round(oldest!.cpu)} µs of CPU`,
    ratio: oldest!.times,
    against: `in version 2026-03-10, ${Math.round(newest!.cpu)} µs`,
    target: '≤ 1.05',
    isMet: oldest!.times <= 1.05,
  };
}
