// Pull requests that change lines of a file, for tests of comments on lines.
import { expectAnswer } from './host-crew.ts';
import type { HostPerson } from './host-people.ts';

/** `code.txt` on `main`: the lines `line 1` to `line 40`. */
export const CODE = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`);

/** Line 2 is another one, line 10 is gone, and one is new after line 30. */
export const CHANGED_CODE = CODE.with(1, 'second').toSpliced(30, 0, 'new').toSpliced(9, 1);

/** Replaces or adds a file of a branch. Returns the commit. */
export async function writeLines(
  who: HostPerson,
  at: string,
  { branch, path = 'code.txt', lines }: { branch: string; path?: string; lines: readonly string[] },
): Promise<string> {
  const present = await who.get(`${at}/contents/${path}?ref=${branch}`);
  const sha = present.status === 200 ? { sha: present.json['sha'] as string } : {};
  const content = Buffer.from(lines.map((line) => `${line}\n`).join('')).toString('base64');
  const sent = { message: `Write ${path}`, content, branch, ...sha };
  const status = present.status === 200 ? 200 : 201;
  return (await expectAnswer(status, who.put(`${at}/contents/${path}`, sent)))['commit'].sha as string;
}

export interface CodePull {
  /** The path of the pull request, and its number. */
  pull: string;
  number: number;
  branch: string;
  /** Its head when it was opened. */
  sha: string;
}

let made = 0;

/** Into `main`, which has `code.txt`. */
export async function newCodePull(
  who: HostPerson,
  at: string,
  { draft = false, lines = CHANGED_CODE }: { draft?: boolean; lines?: readonly string[] } = {},
): Promise<CodePull> {
  made += 1;
  const branch = `code-${made}`;
  const { object } = await expectAnswer(200, who.get(`${at}/git/ref/heads/main`));
  await expectAnswer(201, who.post(`${at}/git/refs`, { ref: `refs/heads/${branch}`, sha: object.sha }));
  const sha = await writeLines(who, at, { branch, lines });
  const opening = { title: `Code ${made}`, head: branch, base: 'main', draft };
  const { number } = await expectAnswer(201, who.post(`${at}/pulls`, opening));
  return { pull: `${at}/pulls/${number}`, number: number as number, branch, sha };
}
