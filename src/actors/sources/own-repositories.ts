// The port to the repositories of the same server, which the composition root connects to the host.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { FetchContext } from './fetched-sources.ts';
import type { GitSource } from './fetch-git.ts';
import { unpackTar } from './unpack.ts';

declare module '../../kernel/kernel.ts' {
  interface Services {
    ownRepositories: OwnRepositories;
  }
}

/** A repository by its name, as an account sees it. */
export interface OwnRepository {
  /** `owner/name` */
  name: string;
  accountId: string;
  /** What the token that wants it read allows at most. */
  boundary?: string | undefined;
  /** The credentials of the URL, which count instead of the account's permissions. */
  authorization?: string;
}

export interface OwnRepositories {
  /** The name of the repository, where the URL is one of this server. */
  nameIn(url: URL): string | undefined;
  mayRead(repository: OwnRepository): Promise<boolean>;
  /** The files of one commit as a tar. Throws a sentence for the log of the build where there is no such thing. */
  open(
    repository: OwnRepository & Pick<GitSource, 'reference' | 'directory'>,
    options: { temporary: string; signal: AbortSignal },
  ): Promise<{ commit: string; tar: AsyncIterable<Uint8Array> }>;
}

/** False for a repository elsewhere. Neither HTTP nor the guard is involved, and the owner of the Actor needs no token. */
export async function copyOwnRepository(
  { url, ...source }: GitSource,
  { kernel, userId, boundary, folder, temporary, signal, log }: FetchContext,
): Promise<boolean> {
  const { ownRepositories } = kernel.services;
  const name = ownRepositories.nameIn(url);
  if (name === undefined) return false;
  log(`ACTOR: Reading the repository ${name} of this server.`);
  const place = join(temporary, 'repository');
  await mkdir(place);
  const asked = { ...source, name, accountId: userId, boundary };
  const { commit, tar } = await ownRepositories.open(asked, { temporary: place, signal });
  log(`ACTOR: Commit ${commit}`);
  await unpackTar(tar, folder, {
    signal,
    onLink: (link) => log(`ACTOR: Left out the link ${JSON.stringify(link)}`),
  });
  return true;
}
