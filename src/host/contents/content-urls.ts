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
  starts: UrlStarts;
}

/** What the addresses of all entries begin with, made once for a reply. */
interface UrlStarts {
  api: string;
  page: string;
  raw: string;
}

export type ContentUrls = Pick<ContentEntryRep, 'url' | 'html_url' | 'git_url' | 'download_url' | '_links'>;

export function contentPlace(place: Omit<ContentPlace, 'starts'>): ContentPlace {
  const { base, owner, repository } = place;
  const { origin } = new URL(base);
  const name = `${owner.login}/${repository.name}`;
  const starts = { api: `${base}/repos/${name}`, page: `${origin}/${name}`, raw: `${origin}/raw/${name}` };
  return { ...place, starts };
}

export function fileUrls(place: ContentPlace, path: string, oid: string): ContentUrls {
  const { api, page } = place.starts;
  const encoded = encodePath(path);
  return urlsOf(place, encoded, {
    html: `${page}/blob/${encodePath(place.ref)}/${encoded}`,
    git: `${api}/git/blobs/${oid}`,
    download: downloadUrl(place, path, encoded),
  });
}

export function folderUrls(place: ContentPlace, path: string, oid: string): ContentUrls {
  const { api, page } = place.starts;
  const encoded = encodePath(path);
  return urlsOf(place, encoded, {
    html: `${page}/tree/${encodePath(place.ref)}/${encoded}`,
    git: `${api}/git/trees/${oid}`,
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
  const { base, starts } = place;
  const { origin } = new URL(base);
  const hosted = module && hostedRepository(module.url, starts.page, origin);
  return urlsOf(place, encodePath(path), {
    html: hosted === undefined ? null : `${origin}/${hosted}/tree/${oid}`,
    git: hosted === undefined ? null : `${base}/repos/${hosted}/git/trees/${oid}`,
    download: null,
  });
}

function urlsOf(
  { starts, ref }: ContentPlace,
  encoded: string,
  { html, git, download }: { html: string | null; git: string | null; download: string | null },
): ContentUrls {
  const url = `${starts.api}/contents/${encoded}?ref=${encodePart(ref)}`;
  return { url, html_url: html, git_url: git, download_url: download, _links: { self: url, git, html } };
}

/** The token is good for one commit only, so the address names it instead of the branch. */
function downloadUrl(place: ContentPlace, path: string, encoded: string): string {
  const { repository, commit, ref, secrets, now, starts } = place;
  if (!repository.isPrivate) return `${starts.raw}/${encodePart(ref)}/${encoded}`;
  const download = { kind: 'file', repository: repository.number, commit, item: path } as const;
  return `${starts.raw}/${commit}/${encoded}?token=${signDownload(secrets, download, now)}`;
}

/** Most names have nothing to encode, and to see that is cheaper. */
const NEEDS_NO_CODE = /^[\w.-]*$/;

function encodePart(part: string): string {
  return NEEDS_NO_CODE.test(part) ? part : encodeURIComponent(part);
}

function encodePath(path: string): string {
  return path.includes('/') ? path.split('/').map(encodePart).join('/') : encodePart(path);
}
