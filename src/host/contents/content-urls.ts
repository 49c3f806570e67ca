// The addresses of what a repository contains, and where its submodules come from.
import type { SecretBox } from '../../kernel/secrets/secret-box.ts';
import { signDownload } from '../download-token.ts';
import type { FoundRepository } from '../repositories/access.ts';
import type { ContentEntryRep } from './model.ts';
import { siteOf } from '../site.ts';

/** A commit of a repository, as the addresses in a reply name it. */
export interface ContentPlace extends FoundRepository {
  commit: string;
  /** As the caller named it, or the default branch. */
  ref: string;
  base: string;
  secrets: SecretBox;
  /** Of the addresses of downloads. */
  holder: string;
  now: number;
  /** Made with the first address: a reply that is ready needs none. */
  starts?: UrlStarts;
}

/** What the addresses of all entries have in common. */
interface UrlStarts {
  api: string;
  page: string;
  /** Of the pages of files and folders. */
  blob: string;
  tree: string;
  /** Of downloads: at the branch, or of a private repository at the commit. */
  raw: string;
  /** The query that names the branch. */
  atRef: string;
}

export type ContentUrls = Pick<ContentEntryRep, 'url' | 'html_url' | 'git_url' | 'download_url' | '_links'>;

function startsOf(place: ContentPlace): UrlStarts {
  return (place.starts ??= createStarts(place));
}

function createStarts({ base, owner, repository, ref, commit }: ContentPlace): UrlStarts {
  const site = siteOf(base);
  const name = `${owner.login}/${repository.name}`;
  const page = `${site}/${name}`;
  return {
    api: `${base}/repos/${name}`,
    page,
    blob: `${page}/blob/${encodePath(ref)}`,
    tree: `${page}/tree/${encodePath(ref)}`,
    // The token of a private repository is good for one commit only.
    raw: `${site}/raw/${name}/${repository.isPrivate ? commit : encodeURIComponent(ref)}`,
    atRef: `?ref=${encodeURIComponent(ref)}`,
  };
}

export function fileUrls(place: ContentPlace, path: string, oid: string): ContentUrls {
  const { api, blob } = startsOf(place);
  const encoded = encodePath(path);
  return urlsOf(place, encoded, {
    html: `${blob}/${encoded}`,
    git: `${api}/git/blobs/${oid}`,
    download: downloadUrl(place, path, encoded),
  });
}

export function folderUrls(place: ContentPlace, path: string, oid: string): ContentUrls {
  const { api, tree } = startsOf(place);
  const encoded = encodePath(path);
  return urlsOf(place, encoded, {
    html: `${tree}/${encoded}`,
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
  const { base } = place;
  const site = siteOf(base);
  const hosted = module && hostedRepository(module.url, startsOf(place).page, site);
  return urlsOf(place, encodePath(path), {
    html: hosted === undefined ? null : `${site}/${hosted}/tree/${oid}`,
    git: hosted === undefined ? null : `${base}/repos/${hosted}/git/trees/${oid}`,
    download: null,
  });
}

function urlsOf(
  place: ContentPlace,
  encoded: string,
  { html, git, download }: { html: string | null; git: string | null; download: string | null },
): ContentUrls {
  const { api, atRef } = startsOf(place);
  const url = `${api}/contents/${encoded}${atRef}`;
  return { url, html_url: html, git_url: git, download_url: download, _links: { self: url, git, html } };
}

function downloadUrl(place: ContentPlace, path: string, encoded: string): string {
  const { repository, commit, secrets, holder, now } = place;
  const { raw } = startsOf(place);
  if (!repository.isPrivate) return `${raw}/${encoded}`;
  const download = { holder, kind: 'file', repository: repository.number, commit, item: path } as const;
  return `${raw}/${encoded}?token=${signDownload(secrets, download, now)}`;
}

/** Most paths have nothing to encode, and to see that is cheaper. */
const NEEDS_NO_CODE = /^[\w./-]*$/;

function encodePath(path: string): string {
  return NEEDS_NO_CODE.test(path) ? path : path.split('/').map(encodeURIComponent).join('/');
}

export interface Submodule {
  path: string;
  url: string;
}

/** By path. A later section of the same path takes precedence. Lines that are not understood are skipped. */
export function parseGitmodules(text: string): Map<string, Submodule> {
  const modules = new Map<string, Submodule>();
  let section: Partial<Submodule> | undefined;
  for (const line of text.split('\n')) {
    const trimmed = line.trim();
    if (trimmed.startsWith('[')) {
      section = /^\[submodule\s/i.test(trimmed) ? {} : undefined;
      continue;
    }
    const [, key = '', value = ''] = /^(path|url)\s*=\s*(.*)$/i.exec(trimmed) ?? [];
    if (section === undefined || key === '') continue;
    section[key.toLowerCase() as keyof Submodule] = unquoted(value);
    const { path, url } = section;
    if (path !== undefined && url !== undefined) modules.set(path.replace(/\/$/, ''), { path, url });
  }
  return modules;
}

function unquoted(value: string): string {
  const [, inner] = /^"(.*)"$/.exec(value) ?? [];
  return inner === undefined ? value : inner.replaceAll(/\\(["\\])/g, '$1');
}

/** The `owner/name` of a repository of this server; `page` is the address that relative ones begin at. */
function hostedRepository(url: string, page: string, site: string): string | undefined {
  const isRelative = /^\.{1,2}\//.test(url);
  const absolute = isRelative ? URL.parse(url, `${page}/`) : URL.parse(url);
  if (absolute?.href.startsWith(`${site}/`) !== true) return undefined;
  const path = absolute.pathname.slice(new URL(site).pathname.replace(/\/$/, '').length);
  return /^\/([\w-]+\/[\w.-]+?)(?:\.git)?\/?$/.exec(path)?.[1];
}
