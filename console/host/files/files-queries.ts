// What the pages of files read.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { useLocation } from 'wouter';
import { path, type Call } from '../../api/call.ts';
import { readBytes, send } from '../../api/client.ts';
import type { ApiError } from '../../api/error.ts';
import { keyOf, useRead, type Read } from '../../api/read.ts';
import type { LastChanges } from '../../api/types/signalbox.ts';
import { encodePath, longestRef, type CodePlace, type RepositoryPlace } from '../place.ts';
import { lastCommitRead, repositoryCall, TOPICS, useMatchingRefs } from '../queries.ts';
import type { Branch, Commit } from '../repository.ts';
import { entriesOf, type Content, type Entry, type Folder, type Tree } from './content.ts';

/** Of a folder the API gives no more; the git data API does. */
const MAX_LISTED = 1000;

function contentsCall(place: RepositoryPlace, ref: string, file: string, format: string): Call {
  const call = repositoryCall(place, `/contents/${encodePath(file)}`, { ref });
  // The first version calls submodules files.
  const headers = { accept: `application/vnd.github.${format}`, 'x-github-api-version': '2026-03-10' };
  return { ...call, headers };
}

export function contentRead(place: RepositoryPlace, ref: string, file: string): Read {
  return { call: contentsCall(place, ref, file, 'object+json'), topics: TOPICS };
}

export function useContent(place: RepositoryPlace, ref: string, file: string) {
  return useRead<Content>(contentRead(place, ref, file));
}

/** All entries of a folder, where the first thousand are not all. Until the others are there, those are shown. */
export function useEntries(place: RepositoryPlace, folder: Folder, file: string) {
  const isLong = folder.entries.length >= MAX_LISTED;
  const { data, error, refetch } = useRead<Tree>(
    { call: repositoryCall(place, path`/git/trees/${folder.sha}`) },
    { isEnabled: isLong },
  );
  const entries = useMemo<readonly Entry[]>(
    () => (data === undefined ? folder.entries : entriesOf(data, file)),
    [data, folder, file],
  );
  const isWhole = !isLong || data !== undefined;
  return { entries, isWhole, isTruncated: data?.truncated === true, error, refetch };
}

/** Every file of the repository, for the finder. */
export function useAllFiles(place: RepositoryPlace, ref: string) {
  return useRead<Tree>({
    call: repositoryCall(place, path`/git/trees/${ref}`, { recursive: '1' }),
    topics: TOPICS,
  });
}

export function useRendered(place: RepositoryPlace, ref: string, file: string) {
  return useRead<string>({ call: contentsCall(place, ref, file, 'html'), topics: TOPICS });
}

/** Markdown as a document, rendered by the server. */
export function useRenderedText(text: string, isEnabled: boolean) {
  return useRead<string>(
    { call: { api: 'host', method: 'POST', path: '/markdown', body: { text, mode: 'markdown' } } },
    { isEnabled },
  );
}

/** The bytes of a large file; kept only while it is shown. */
export function useBytes(place: RepositoryPlace, ref: string, file: string, isEnabled: boolean) {
  const call = contentsCall(place, ref, file, 'raw');
  return useQuery<Uint8Array, ApiError>({
    queryKey: [...keyOf(call), 'bytes'],
    queryFn: async ({ signal }) => (await readBytes(call, signal)).bytes,
    enabled: isEnabled,
    staleTime: Infinity,
    gcTime: 0,
    structuralSharing: false,
    meta: { topics: TOPICS },
  });
}

/** As the browser itself reads it, by a signed link. */
export function rawCall({ owner, repo }: RepositoryPlace, ref: string, file: string): Call {
  return { api: 'host', path: path`/raw/${owner}/${repo}/${ref}/` + encodePath(file) };
}

export function useLastCommit(place: RepositoryPlace, ref: string, file: string) {
  const { data } = useRead<Commit[]>(lastCommitRead(place, ref, file));
  return data?.[0];
}

/** By the name of the entry. */
export function useLastChanges(place: RepositoryPlace, ref: string, folder: string) {
  const { owner, repo } = place;
  const { data } = useRead<LastChanges>({
    call: {
      api: 'signalbox',
      path: path`/repositories/${owner}/${repo}/last-changes`,
      query: { ref, path: folder },
    },
    topics: TOPICS,
  });
  return useMemo(() => {
    const commits = new Map(data?.commits.map((commit) => [commit.sha, commit]));
    return new Map(data?.entries.map(({ name, sha }) => [name, commits.get(sha)]));
  }, [data]);
}

export function useLanguages(place: RepositoryPlace) {
  return useRead<Record<string, number>>({ call: repositoryCall(place, '/languages'), topics: TOPICS });
}

/** The stream says nothing of pushes, and who looks at an empty repository waits for the first. */
const FILLED_MS = 3000;

export function useIsFilled(place: RepositoryPlace): boolean {
  const call: Call = { ...repositoryCall(place, '/branches', { per_page: 1 }), isPolled: true };
  const { data = [] } = useRead<Branch[]>({ call }, { everyMs: FILLED_MS });
  return data.length > 0;
}

/** The commit that a branch or a tag is at now. */
export async function readTip(place: RepositoryPlace, ref: string): Promise<string | undefined> {
  const { body } = await send<Commit[]>(lastCommitRead(place, ref).call);
  return body[0]?.sha;
}

/**
 * In addresses from elsewhere the slashes of a branch are not encoded, so that its name seems to end at the first. Where nothing is
 * found, the names of references that begin so are asked for, and the address is put right.
 */
export function useLongRef(place: CodePlace, isMissing: boolean): { isLooking: boolean } {
  const { ref = '', path: file, kind } = place;
  const isAsked = isMissing && file !== '';
  const heads = useMatchingRefs(place, 'heads', `${ref}/`, isAsked);
  const tags = useMatchingRefs(place, 'tags', `${ref}/`, isAsked);
  const names = [...(heads.refs ?? []), ...(tags.refs ?? [])].map(({ name }) => name);
  const whole = `${ref}/${file}`;
  const found = isAsked ? longestRef(names, whole) : undefined;
  const [, navigate] = useLocation();
  const rest = found === undefined ? '' : whole.slice(found.length + 1);
  const target =
    found === undefined
      ? undefined
      : path`/code/${place.owner}/${place.repo}/${kind}/${found}` +
        (rest === '' ? '' : `/${encodePath(rest)}`);
  useEffect(() => {
    if (target !== undefined) navigate(target + location.hash, { replace: true });
  }, [target, navigate]);
  const isLooking = isAsked && (found !== undefined || heads.isPending || tags.isPending);
  return { isLooking };
}
