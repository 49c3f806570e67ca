// Decides whether issues come along with a repository, and from where.
import { Failure } from '../../../kernel/failure.ts';
import { guard, type Guard } from '../../../kernel/network/guard.ts';
import { messageOf } from '../../command-errors.ts';
import type { Progress } from '../../progress.ts';
import { parseServerUrl, type RepoSource } from '../addresses.ts';
import type { ImportTarget } from '../import-target.ts';
import { beginIssues, copyIssues, endIssues, type CopiedIssues, type IssueCopy } from './copy-issues.ts';
import { RestClient } from './rest-client.ts';

/** The API of the server that a repository comes from. */
export interface SourceApi {
  url: string;
  /** Of the repository, such as `/repos/ann/shop`. */
  path: string;
}

/** Hosts whose API has a host of its own. */
const APIS: Readonly<Record<string, string>> = { 'github.com': 'https://api.github.com' };

/** Undefined where the address is not one of a repository with an owner. */
export function sourceApiOf({ url }: RepoSource, given: string | undefined): SourceApi | undefined {
  const [, owner, name] = /^\/([\w.-]+)\/([\w.-]+?)(?:\.git)?\/*$/.exec(url.pathname) ?? [];
  const isRepository = owner !== undefined && name !== undefined && name !== '.git';
  if (given !== undefined && !isRepository)
    throw new Failure('invalid', 'The URL of the repository must end with its owner and name.');
  if (!isRepository) return undefined;
  const api =
    given === undefined ? (APIS[url.host] ?? `${url.origin}/api/v3`) : parseServerUrl(given, '--api-url');
  return { url: api, path: `/repos/${owner}/${name}` };
}

/** Is thrown where the repository stays, and the same command goes on. */
export class PausedImport extends Failure {
  constructor(fullName: string, cause: unknown) {
    const goesOn = `${fullName} stays with what it has so far: the same command goes on.`;
    super('unavailable', `${messageOf(cause)} ${goesOn}`, { cause });
  }
}

interface IssueWork {
  source: RepoSource;
  api: SourceApi | undefined;
  target: ImportTarget;
  guard: Guard;
  transfer: { progress: Progress; signal: AbortSignal };
}

interface OpenedIssueImport {
  /** Undefined where issues stay behind. */
  copy: Omit<IssueCopy, 'imported'> | undefined;
  /** Undefined also where the target does not let the caller import. */
  begin(): Promise<IssueCopy['imported'] | undefined>;
  run(imported: IssueCopy['imported'] | undefined): Promise<{ copied?: CopiedIssues; leftOut: string[] }>;
}

/** Asks the source whether it speaks the API. */
export async function openIssueImport(
  { source, api, target, guard: guarded, transfer }: IssueWork,
  fullName: string,
): Promise<OpenedIssueImport> {
  const { progress, signal } = transfer;
  const leaveOut = (reason: string): OpenedIssueImport => ({
    copy: undefined,
    begin: () => Promise.resolve(undefined),
    run: () => Promise.resolve({ leftOut: reason === '' ? [] : [reason] }),
  });
  if (api === undefined) return leaveOut('');
  const onWait = (words: string) => progress.line(words);
  const { authorization } = source;
  const there = new RestClient({ url: api.url, authorization, guard: guarded, signal, onWait });
  const known = await there.call('GET', api.path);
  if (known.status !== 200 || typeof (known.body as { id?: unknown }).id !== 'number')
    return leaveOut(
      `Issues and pull requests were left out: ${api.url}${api.path} answers ${known.status}, and no repository.`,
    );
  const here = new RestClient({
    url: `${target.url}/api/v3`,
    authorization: `Bearer ${target.token}`,
    // The server of the operator's own.
    guard: guard({ allowPrivate: true }),
    signal,
    onWait,
  });
  const at = `/admin/repos/${fullName}/import`;
  const copy = { source: there, path: api.path, target: here, at, progress };
  return {
    copy,
    begin: () => beginIssues(here, at, source.url.href),
    async run(imported) {
      if (imported === undefined)
        return {
          leftOut: ['Issues and pull requests were left out: only administrators of the server import them.'],
        };
      progress.line('Copying issues and pull requests');
      const result = await copyIssues({ ...copy, imported });
      await endIssues(here, at);
      return result;
    },
  };
}
