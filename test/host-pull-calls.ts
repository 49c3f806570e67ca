// Pull requests of branches that tests make over HTTP.
import { expectAnswer } from './host-crew.ts';
import type { HostPerson } from './host-people.ts';

export interface CalledPull {
  /** The paths of the pull request, and its number. */
  pull: string;
  number: number;
  /** The branch that it comes from, and the commit that it had when it was opened. */
  branch: string;
  sha: string;
  /** Adds a file to the branch. Returns the commit. */
  push(file: string): Promise<string>;
}

let made = 0;

/** From a new branch of the repository at the path, into `main`, with a file of its own. */
export async function newPull(
  who: HostPerson,
  at: string,
  fields: { draft?: boolean; file?: string } = {},
): Promise<CalledPull> {
  made += 1;
  const branch = `topic-${made}`;
  const { object } = await expectAnswer(200, who.get(`${at}/git/ref/heads/main`));
  await expectAnswer(201, who.post(`${at}/git/refs`, { ref: `refs/heads/${branch}`, sha: object.sha }));
  const push = async (file: string): Promise<string> => {
    const content = Buffer.from(`${branch}\n`).toString('base64');
    const body = { message: `Add ${file}`, content, branch };
    return (await expectAnswer(201, who.put(`${at}/contents/${file}`, body)))['commit'].sha as string;
  };
  const { file = `${branch}.txt`, ...more } = fields;
  const sha = await push(file);
  const opening = { title: `Topic ${made}`, head: branch, base: 'main', ...more };
  const { number } = await expectAnswer(201, who.post(`${at}/pulls`, opening));
  return { pull: `${at}/pulls/${number}`, number: number as number, branch, sha, push };
}
