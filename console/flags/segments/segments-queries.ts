// What the pages of segments read and change.
import { path, type Call } from '../../api/call.ts';
import { useChange, useRead } from '../../api/read.ts';
import { offsetPage, useListPages } from '../../lib/list-pages.ts';
import type { Flag } from '../flag.ts';
import type { Segment } from './segment.ts';

/** A page of the list carries the keys of each segment, so that it is short. */
const PAGE = 25;

interface Items<Item> {
  items: Item[];
  totalCount: number;
}

const keyOf = ({ key }: Segment) => key;

export interface SegmentQuery {
  project: string;
  /** Undefined while it is not known. */
  environment: string | undefined;
  words: string | undefined;
  sort: string;
}

export function useSegments({ project, environment, words, sort }: SegmentQuery) {
  return useListPages<Items<Segment>, Segment>({
    call: {
      api: 'flags',
      path: path`/segments/${project}/${environment ?? ''}`,
      query: { sort, filter: words && `query equals ${JSON.stringify(words)}` },
    },
    topics: ['segment'],
    isEnabled: environment !== undefined,
    first: 0,
    pageQuery: (offset) => ({ limit: PAGE, offset }),
    toPage: ({ items, totalCount }, offset) => offsetPage(items, totalCount, offset),
    idOf: keyOf,
  });
}

/** Where a segment is. */
export interface SegmentPlace {
  project: string;
  environment: string;
  key: string;
}

export function segmentPath({ project, environment, key }: SegmentPlace): string {
  return path`/segments/${project}/${environment}/${key}`;
}

export function segmentRead(place: SegmentPlace) {
  return { call: { api: 'flags', path: segmentPath(place) } satisfies Call, topics: ['segment', 'flag'] };
}

export function useSegment(place: SegmentPlace, isEnabled: boolean) {
  return useRead<Segment>(segmentRead(place), { isEnabled });
}

/** The flags with their state in the environment. */
export function useUsingFlag(project: string, environment: string, flag: string) {
  return useRead<Flag>({
    call: { api: 'flags', path: path`/flags/${project}/${flag}`, query: { env: environment } },
    topics: ['flag'],
  });
}

export interface SegmentPost {
  key: string;
  name: string;
  description?: string;
  tags: string[];
  unbounded: boolean;
  unboundedContextKind?: string;
}

export function postCall(project: string, environment: string, body: SegmentPost): Call {
  return { api: 'flags', method: 'POST', path: path`/segments/${project}/${environment}`, body };
}

const CHANGED = ['segment', 'activity'];

export function useCreateSegment(project: string, environment: string) {
  return useChange<SegmentPost, Segment>((body) => postCall(project, environment, body), CHANGED);
}

export function useDeleteSegment(place: SegmentPlace) {
  return useChange<void>(() => ({ api: 'flags', method: 'DELETE', path: segmentPath(place) }), CHANGED);
}
