// The members of a big segment: one of them, imports from a file and exports to one.
import { useQuery } from '@tanstack/react-query';
import { path, type Call } from '../../api/call.ts';
import { send } from '../../api/client.ts';
import type { ApiError } from '../../api/error.ts';
import { invalidateTopics, keyOf, useChange, useRead } from '../../api/read.ts';
import type { Export as SegmentExport, Import as SegmentImport } from '../../api/types/flags.ts';
import { segmentPath, type SegmentPlace } from './segments-queries.ts';

export type { SegmentExport, SegmentImport };

export interface Membership {
  included: boolean;
  excluded: boolean;
}

export function useMembership(place: SegmentPlace, key: string) {
  return useRead<Membership>(
    { call: { api: 'flags', path: segmentPath(place) + path`/contexts/${key}` }, topics: ['segment'] },
    { isEnabled: key !== '' },
  );
}

const POLL_MS = 1000;

/** Asked again every second until it has ended. */
function usePolled<Body extends { status: string }>(call: Call, isEnabled: boolean, ends: readonly string[]) {
  return useQuery<Body, ApiError>({
    queryKey: [...keyOf(call), 'polled'],
    queryFn: async ({ signal }) => {
      const { body } = await send<Body>(call, signal);
      if (ends.includes(body.status)) invalidateTopics(['segment']);
      return body;
    },
    enabled: isEnabled,
    refetchInterval: ({ state }) =>
      state.data !== undefined && ends.includes(state.data.status) ? false : POLL_MS,
    meta: { topics: [] },
  });
}

export function importsCall(place: SegmentPlace): Call {
  return { api: 'flags', method: 'POST', path: `${segmentPath(place)}/imports` };
}

export function useImport(place: SegmentPlace, id: string | undefined) {
  const call: Call = { api: 'flags', path: `${segmentPath(place)}/imports` + path`/${id ?? ''}` };
  return usePolled<SegmentImport>(call, id !== undefined, ['complete', 'stopped', 'pending_approval']);
}

export function useStartExport(place: SegmentPlace) {
  return useChange<void, SegmentExport>(() => ({
    api: 'flags',
    method: 'POST',
    path: `${segmentPath(place)}/exports`,
  }));
}

export function useExport(place: SegmentPlace, id: string | undefined) {
  const call: Call = { api: 'flags', path: `${segmentPath(place)}/exports` + path`/${id ?? ''}` };
  return usePolled<SegmentExport>(call, id !== undefined, ['complete']);
}

export function exportFileCall(place: SegmentPlace, id: string): Call {
  return { api: 'flags', path: `${segmentPath(place)}/exports` + path`/${id}/file` };
}
