// What the pages of one Actor read and change.
import type { RunStatus } from '../../lib/run-status.tsx';
import { path, type Call } from '../../api/call.ts';
import { useChange, useRead } from '../../api/read.ts';
import { offsetPage, useListPages } from '../../lib/list-pages.ts';
import type { ActorShort, ListBody } from '../queries.ts';
import type { ActorFigures, BuildComparison, BuildSteps, BuiltFiles } from '../../api/types/signalbox.ts';

export interface SourceFile {
  name: string;
  format?: 'TEXT' | 'BASE64';
  content?: string;
  folder?: boolean;
}

export interface ActorVersion {
  versionNumber: string;
  sourceType: 'SOURCE_FILES' | 'GIT_REPO' | 'TARBALL' | 'GITHUB_GIST';
  buildTag?: string | null;
  sourceFiles?: SourceFile[] | null;
  gitRepoUrl?: string | null;
  tarballUrl?: string | null;
  gitHubGistUrl?: string | null;
}

export interface ActorRunOptions {
  build: string;
  timeoutSecs: number;
  memoryMbytes: number;
  restartOnError: boolean;
}

export interface ActorDetail extends ActorShort {
  userId: string;
  description?: string | null;
  isPublic: boolean;
  /** Null where it is not in standby mode. */
  standbyUrl?: string | null;
  defaultRunOptions: ActorRunOptions;
  taggedBuilds: Readonly<Record<string, { buildId: string; buildNumber: string }>>;
  versions: ActorVersion[];
}

export interface Build {
  id: string;
  actId: string;
  status: RunStatus;
  startedAt: string;
  finishedAt?: string | null;
  buildNumber: string;
  meta: { origin: string };
}

export interface BuildDetail extends Build {
  actVersion: { versionNumber: string };
  statusMessage?: string | null;
  exitCode?: number | null;
}

/** `ref` is `user~name`, or an id. */
export function useActorDetail(ref: string) {
  const { data, ...rest } = useRead<{ data: ActorDetail }>({
    call: { api: 'actors', path: path`/actors/${ref}` },
    topics: ['actor', 'build'],
  });
  return { actor: data?.data, ...rest };
}

const PAGE = 30;
const idOf = ({ id }: Build) => id;

export function useBuilds(actorId: string) {
  return useListPages<ListBody<Build>, Build>({
    call: { api: 'actors', path: path`/actors/${actorId}/builds`, query: { desc: true } },
    topics: ['build'],
    first: 0,
    pageQuery: (offset) => ({ limit: PAGE, offset }),
    toPage: ({ data: { items, total } }, offset) => offsetPage(items, total, offset),
    idOf,
  });
}

export function useBuild(id: string) {
  const { data, ...rest } = useRead<{ data: BuildDetail }>({
    call: { api: 'actors', path: path`/actor-builds/${id}` },
    topics: ['build'],
  });
  return { build: data?.data, ...rest };
}

const FIGURES_MS = 30_000;

export function useActorFigures(actorId: string) {
  const { data } = useRead<ActorFigures>(
    { call: { api: 'signalbox', path: path`/actors/${actorId}/figures` } },
    { everyMs: FIGURES_MS },
  );
  return data;
}

/** While it is made, steps come without an event. */
const STEPS_MS = 3000;

export function useBuildSteps(id: string, isRunning: boolean) {
  const { data } = useRead<BuildSteps>(
    { call: { api: 'signalbox', path: path`/builds/${id}/steps` }, topics: ['build'] },
    { keepsPrevious: true, everyMs: isRunning ? STEPS_MS : undefined },
  );
  return data;
}

/** With the last good one of its version. */
export function useBuildComparison(id: string) {
  return useRead<BuildComparison>({
    call: { api: 'signalbox', path: path`/builds/${id}/compare` },
    topics: ['build'],
  });
}

/** Those that the last good build was made from. */
export function useBuiltFiles(actorId: string, version: string, isEnabled = true) {
  return useRead<BuiltFiles>(
    {
      call: { api: 'signalbox', path: path`/actors/${actorId}/versions/${version}/built-files` },
      topics: ['build'],
    },
    { isEnabled },
  );
}

function buildCall(actorId: string, version: string): Call {
  return { api: 'actors', method: 'POST', path: path`/actors/${actorId}/builds`, query: { version } };
}

export function useStartBuild(actorId: string) {
  return useChange<string, { data: BuildDetail }>((version) => buildCall(actorId, version), ['build']);
}

/** Of an Actor that is only being made. */
export function useStartBuildOf() {
  return useChange<{ actorId: string; version: string }, { data: BuildDetail }>(
    ({ actorId, version }) => buildCall(actorId, version),
    ['build'],
  );
}

export function useAbortBuild(id: string) {
  return useChange<void>(
    () => ({ api: 'actors', method: 'POST', path: path`/actor-builds/${id}/abort` }),
    ['build'],
  );
}
