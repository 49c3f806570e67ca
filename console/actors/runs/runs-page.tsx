// The runs of the caller, newest first, filtered by Actor, status and time.
import { useState } from 'react';
import { usePageInfo } from '../../app/page-info.ts';
import { NoMatch } from '../../lib/list-foot.tsx';
import { useSearchState, type SearchState } from '../../lib/search-state.ts';
import { Chips } from '../../ui/chips.tsx';
import { formatCount } from '../../ui/format.ts';
import { SelectInput } from '../../ui/input.tsx';
import { PageHead } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useOwnActors } from '../queries.ts';
import type { RunStatus } from '../run.ts';
import { STATUS_WORDS, WORDS } from '../words.ts';
import { useRuns } from './runs-queries.ts';
import { RunsTable } from './runs-table.tsx';
import { RUNS_WORDS } from './runs-words.ts';

/** In the order in which a run goes through them. */
const STATUSES = Object.keys(STATUS_WORDS) as RunStatus[];

const HOUR = 3_600_000;
const SPANS = { '1h': HOUR, '24h': 24 * HOUR, '7d': 7 * 24 * HOUR, '30d': 30 * 24 * HOUR } as const;
type Span = keyof typeof SPANS;

export default function RunsPage() {
  usePageInfo([{ label: WORDS.runs, href: '/runs' }]);
  const search = useSearchState('/runs');
  const [openedAt] = useState(() => Date.now());
  const asked = search.get('status')?.split(',') ?? [];
  const chosen = STATUSES.filter((status) => asked.includes(status));
  const span = (Object.keys(SPANS) as Span[]).find((one) => one === search.get('since'));
  const actor = search.get('actor');
  const list = useRuns({
    actor,
    statuses: chosen.length === 0 ? undefined : chosen.join(','),
    startedAfter: span === undefined ? undefined : new Date(openedAt - SPANS[span]).toISOString(),
  });
  const isFiltered = chosen.length > 0 || actor !== undefined || span !== undefined;
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead
        title={WORDS.runs}
        badge={list.total !== undefined && <span className="muted">{formatCount(list.total)}</span>}
      />
      <RunsFilters search={search} chosen={chosen} span={span} actor={actor} />
      <RunsTable
        list={list}
        emptyState={
          isFiltered ? (
            <NoMatch
              words={RUNS_WORDS.noMatch}
              onClear={() => search.set({ status: undefined, actor: undefined, since: undefined })}
            />
          ) : (
            <EmptyState icon="actor" title={WORDS.empty.title} text={WORDS.empty.text} />
          )
        }
      />
    </main>
  );
}

interface RunsFiltersProps {
  search: SearchState;
  chosen: readonly RunStatus[];
  span: Span | undefined;
  actor: string | undefined;
}

function RunsFilters({ search, chosen, span, actor }: RunsFiltersProps) {
  const { actors = [] } = useOwnActors();
  const options = actors.map(({ username, name, title }) => ({
    value: `${username}~${name}`,
    label: title || name,
  }));
  const isKnown = actor === undefined || options.some(({ value }) => value === actor);
  const toggle = (status: RunStatus) => {
    const next = STATUSES.filter((one) => (one === status) !== chosen.includes(one));
    search.set({ status: next.join(',') });
  };
  return (
    <div className="runs-bar">
      <SelectInput
        aria-label={RUNS_WORDS.actor}
        value={actor ?? ''}
        onValue={(value) => search.set({ actor: value })}
        options={[
          { value: '', label: RUNS_WORDS.allActors },
          // Another member's Actor, from a link.
          ...(isKnown ? [] : [{ value: actor, label: actor }]),
          ...options,
        ]}
      />
      <SelectInput
        aria-label={RUNS_WORDS.since}
        value={span ?? ''}
        onValue={(value) => search.set({ since: value })}
        options={[
          { value: '', label: RUNS_WORDS.anyTime },
          ...(Object.keys(SPANS) as Span[]).map((one) => ({ value: one, label: RUNS_WORDS.spans[one] })),
        ]}
      />
      <Chips
        label={WORDS.statusFilter}
        items={STATUSES.map((status) => ({
          label: STATUS_WORDS[status],
          isOn: chosen.includes(status),
          onToggle: () => toggle(status),
        }))}
      />
    </div>
  );
}
