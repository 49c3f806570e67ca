// The addresses of what a repository contains.
import type { SecretBox } from '../../kernel/secret-box.ts';
import { signDownload } from '../download-token.ts';
import type { FoundRepository } from '../repositories/access.ts';
import type { ContentEntryRep } from './model.ts';
import { hostedRepository, type Submodule } from './submodules.ts';

/** A commit of a repository, as the addresses in a reply name it. */
export interface ContentPlace extends FoundRepository {
  commit: string;
  /** As the caller named it, or the default branch. */
  ref: string;
  base: string;
  secrets: SecretBox;
  now: number;
}

export type ContentUrls = Pick<ContentEntryRep, 'url' | 'html_url' | 'git_url' | 'download_url' | '_links'>;

export function fileUrls(place: ContentPlace, path: string, oid: string): ContentUrls {
  return urlsOf(place, path, {
    html: `${pageOf(place)}/blob/${encodePath(place.ref)}/${encodePath(path)}`,
    git: `${apiOf(place)}/git/blobs/${oid}`,
    download: downloadUrl(place, path),
  });
}

export function folderUrls(place: ContentPlace, path: string, oid: string): ContentUrls {
  return urlsOf(place, path, {
    html: `${pageOf(place)}/tree/${encodePath(place.ref)}/${encodePath(path)}`,
    git: `${apiOf(place)}/git/trees/${oid}`,
    download: null,
  });
}

/** Those of the other repository, where it is on this server; whether it exists is not looked up. */
export function submoduleUrls(
  place: ContentPlace,
  path: string,
  oid: string,
  module: Submodule | undefined,
): ContentUrls {
  const { base } = place;
  const { origin } = new URL(base);
  const hosted = module && hostedRepository(module.url, pageOf(place), origin);
  return urlsOf(place, path, {
    html: hosted === undefined ? null : `${origin}/${hosted}/tree/${oid}`,
    git: hosted === undefined ? null : `${base}/repos/${hosted}/git/trees/${oid}`,
    download: null,
  });
}

function urlsOf(
  place: ContentPlace,
  path: string,
  { html, git, download }: { html: string | null; git: string | null; download: string | null },
): ContentUrls {
  const url = `${apiOf(place)}/contents/${encodePath(path)}?ref=${encodeURIComponent(place.ref)}`;
  return { url, html_url: html, git_url: git, download_url: download, _links: { self: url, git, html } };
}

/** The token is good for one commit only, so the address names it instead of the branch. */
function downloadUrl(place: ContentPlace, path: string): string {
  const { repository, owner, commit, ref, base, secrets, now } = place;
  const start = `${new URL(base).origin}/raw/${owner.login}/${repository.name}`;
  if (!repository.isPrivate) return `${start}/${encodeURIComponent(ref)}/${encodePath(path)}`;
  const download = { kind: 'file', repository: repository.number, commit, item: path } as const;
  return `${start}/${commit}/${encodePath(path)}?token=${signDownload(secrets, download, now)}`;
}

function apiOf({ base, owner, repository }: ContentPlace): string {
  return `${base}/repos/${owner.login}/${repository.name}`;
}

function pageOf({ base, owner, repository }: ContentPlace): string {
  return `${new URL(base).origin}/${owner.login}/${repository.name}`;
}

function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
