// What the pages of code scanning read and change.
import { useMutation } from '@tanstack/react-query';
import type { Call } from '../../api/call.ts';
import { send } from '../../api/client.ts';
import type { ApiError } from '../../api/error.ts';
import { invalidateTopics, useChange, useRead, type CursorPage } from '../../api/read.ts';
import type { Activity } from '../../api/types/signalbox.ts';
import { useListPages } from '../../lib/list-pages.ts';
import { useGrowingList } from '../issues/growing-list.ts';
import type { RepositoryPlace } from '../place.ts';
import { nextPage, repositoryCall, TOPICS } from '../queries.ts';
import type { Alert, AlertInstance, Analysis, DismissalReason } from './alert.ts';

const PAGE = 50;

export interface AlertFilters {
  state?: string | undefined;
  severity?: string | undefined;
  tool?: string | undefined;
  ref?: string | undefined;
}

const alertId = ({ number }: Alert) => String(number);

export function useAlerts(place: RepositoryPlace, { state, severity, tool, ref }: AlertFilters) {
  return useListPages<Alert[], Alert>({
    call: repositoryCall(place, '/code-scanning/alerts', { state, severity, tool_name: tool, ref }),
    topics: TOPICS,
    first: 1,
    pageQuery: (page) => ({ per_page: PAGE, page }),
    toPage: (rows, page, headers) => ({ rows, next: nextPage(page, headers) }),
    idOf: alertId,
  });
}

const analysisId = ({ id }: Analysis) => String(id);

interface AnalysisFilter {
  tool: string | undefined;
  ref: string | undefined;
}

export function useAnalyses(place: RepositoryPlace, { tool, ref }: AnalysisFilter) {
  return useListPages<Analysis[], Analysis>({
    call: repositoryCall(place, '/code-scanning/analyses', { tool_name: tool, ref }),
    topics: TOPICS,
    first: 1,
    pageQuery: (page) => ({ per_page: PAGE, page }),
    toPage: (rows, page, headers) => ({ rows, next: nextPage(page, headers) }),
    idOf: analysisId,
  });
}

/** The newest of them say which tools and which branches there are to choose from. */
export function useNewestAnalyses(place: RepositoryPlace) {
  return useRead<Analysis[]>({
    call: repositoryCall(place, '/code-scanning/analyses', { per_page: 100 }),
    topics: TOPICS,
  });
}

function alertCall(place: RepositoryPlace, number: number, rest = ''): Call {
  return repositoryCall(place, `/code-scanning/alerts/${number}${rest}`);
}

export function useAlert(place: RepositoryPlace, number: number) {
  return useRead<Alert>({ call: alertCall(place, number), topics: TOPICS });
}

export function useInstances(place: RepositoryPlace, number: number) {
  return useGrowingList<AlertInstance>({ call: alertCall(place, number, '/instances'), topics: TOPICS });
}

export interface Dismissal {
  reason: DismissalReason;
  comment: string;
}

export function dismissCall(
  place: RepositoryPlace,
  number: number,
  { reason, comment }: { reason: DismissalReason | undefined; comment: string },
): Call {
  return {
    ...alertCall(place, number),
    method: 'PATCH',
    body: {
      state: 'dismissed',
      dismissed_reason: reason,
      ...(comment.trim() !== '' && { dismissed_comment: comment.trim() }),
    },
  };
}

export interface DismissOutcome {
  /** Those that were refused, with the reason of the first. */
  failed: number[];
  error: ApiError | undefined;
}

/** One after another: the API dismisses one at a time, in the order of the list. */
export function useDismiss(place: RepositoryPlace) {
  return useMutation<DismissOutcome, ApiError, { numbers: readonly number[]; dismissal: Dismissal }>({
    mutationFn: async ({ numbers, dismissal }) => {
      const outcome: DismissOutcome = { failed: [], error: undefined };
      for (const number of numbers) {
        try {
          await send(dismissCall(place, number, dismissal));
        } catch (error) {
          outcome.failed.push(number);
          outcome.error ??= error as ApiError;
        }
      }
      return outcome;
    },
    onSettled: () => invalidateTopics(TOPICS),
  });
}

export function useReopen(place: RepositoryPlace, number: number) {
  return useChange<void, Alert>(
    () => ({ ...alertCall(place, number), method: 'PATCH', body: { state: 'open' } }),
    TOPICS,
  );
}

/** Without the confirmation, the last of its kind is refused: its alerts would go with it. */
export function useDeleteAnalysis(place: RepositoryPlace, id: number) {
  return useChange<{ isConfirmed: boolean }>(
    ({ isConfirmed }) => ({
      ...repositoryCall(
        place,
        `/code-scanning/analyses/${id}`,
        isConfirmed ? { confirm_delete: true } : undefined,
      ),
      method: 'DELETE',
    }),
    TOPICS,
  );
}

/** What people did with an alert, from the audit log. Those who may not read that see what the alert itself says. */
export function useAlertActivity(fullName: string, number: number) {
  const { data } = useRead<CursorPage<Activity>>({
    call: {
      api: 'signalbox',
      path: '/activity',
      query: {
        resource: `repo/${fullName}`,
        action: 'updateCodeScanning',
        q: `code-scanning alert ${number}`,
        limit: 100,
      },
    },
    topics: TOPICS,
  });
  const ending = ` the code-scanning alert ${number} of`;
  return data?.items.filter(({ verb }) => verb.endsWith(ending));
}
