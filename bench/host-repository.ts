// Repositories for the bench of the host: created over HTTP, and filled by git itself.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { repositoryFolder } from '../src/host/git/repository-folder.ts';
import type { BenchServer } from './servers.ts';
import { TOKEN } from './servers.ts';

export const hostHeaders = { authorization: `Bearer ${TOKEN}`, 'x-host-api-version': '2026-03-10' };

/** The files of one folder. */
export const FOLDER_SIZE = 1000;

/** `folder-0/file-0.txt` and so on, as many as are asked for, in folders of a thousand; returns the repository's folder. */
export async function fillRepository(
  server: BenchServer,
  data: string,
  name: string,
  files: number,
): Promise<string> {
  const answer = await fetch(`${server.url}/user/repos`, {
    method: 'POST',
    headers: hostHeaders,
    body: JSON.stringify({ name }),
  });
  const { id } = (await answer.json()) as { id: number };
  const folder = repositoryFolder(join(data, 'repositories'), id);
  execFileSync('git', ['--git-dir', folder, 'fast-import', '--quiet'], { input: commitOf(files) });
  return folder;
}

export function pathOf(file: number): string {
  return `folder-${Math.floor(file / FOLDER_SIZE)}/file-${file}.txt`;
}

function commitOf(files: number): string {
  const lines = [
    'commit refs/heads/main',
    'committer Bench <bench@example.com> 1800000000 +0000',
    'data 6',
    'Files',
    '',
  ];
  for (let file = 0; file < files; file += 1) {
    const text = `This is file ${file}.\n`.repeat(20);
    lines.push(`M 100644 inline ${pathOf(file)}`, `data ${text.length}`, text);
  }
  return `${lines.join('\n')}\n`;
}
