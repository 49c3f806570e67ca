// The addresses of a repository's git objects and references.
import type { FoundRepository } from '../repositories/access.ts';

export interface GitUrls {
  /** The repository in this API. */
  api: string;
  /** The repository as a page for people. */
  page: string;
}

export function gitUrlsOf({ repository, owner }: FoundRepository, base: string): GitUrls {
  const fullName = `${owner.login}/${repository.name}`;
  return { api: `${base}/repos/${fullName}`, page: `${new URL(base).origin}/${fullName}` };
}

export function objectUrl({ api }: GitUrls, type: string, oid: string): string {
  return `${api}/git/${type}s/${oid}`;
}

/** The slashes of the name stay. */
export function refUrl({ api }: GitUrls, name: string): string {
  return `${api}/git/${name.split('/').map(encodeURIComponent).join('/')}`;
}
