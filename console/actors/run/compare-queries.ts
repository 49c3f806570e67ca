// The comparison of two runs, as the server makes it.
import { path } from '../../api/call.ts';
import { useRead } from '../../api/read.ts';
import type { RunComparison } from '../../api/types/signalbox.ts';

export type CountName = keyof RunComparison['counts'];

/** With the last good one where none is named. */
export function useComparison(id: string, other: string) {
  return useRead<RunComparison>(
    {
      call: {
        api: 'signalbox',
        path: path`/runs/${id}/compare`,
        query: { with: other === '' ? 'last-good' : other },
      },
      topics: ['run'],
    },
    { keepsPrevious: true },
  );
}
