// The runs of the caller, newest first, filtered by what they are, with the counts of each choice; and those that failed, by cause.
import { useState, type ReactNode } from 'react';
import type { FoundRuns } from '../../api/types/signalbox.ts';
import { usePageInfo } from '../../app/page-info.ts';
import { NoMatch } from '../../lib/list-foot.tsx';
import { useSearchState, useTypedFilter, type SearchState } from '../../lib/search-state.ts';
import { type RunStatus, STATUS_WORDS } from '../../lib/run-status.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { Chips } from '../../ui/chips.tsx';
import { formatCount } from '../../ui/format.ts';
import { FilterInput, SelectInput } from '../../ui/input.tsx';
import { PageHead } from '../../ui/page.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useOwnActors } from '../queries.ts';
import { originWord, WORDS } from '../words.ts';
import { FailureCauses } from './failure-causes.tsx';
import { useRunChoices, useRuns, type RunsFilter } from './runs-queries.ts';
import { RunsTable } from './runs-table.tsx';
import { RUNS_WORDS } from './runs-words.ts';

/** In the order in which a run goes through them. */
const STATUSES = Object.keys(STATUS_WORDS) as RunStatus[];

const HOUR = 3_600_000;
const SPANS = { '1h': HOUR, '24h': 24 * HOUR, '7d': 7 * 24 * HOUR, '30d': 30 * 24 * HOUR } as const;
type Span = keyof typeof SPANS;

/** In the address, beside the statuses, the time and the runs of an action. */
const FILTERS = ['actor', 'task', 'origin', 'build', 'input'] as const;

export default function RunsPage() {
  usePageInfo([{ label: WORDS.runs, href: '/runs' }]);
  const search = useSearchState('/runs');
  const [openedAt] = useState(() => Date.now());
  const span = (Object.keys(SPANS) as Span[]).find((one) => one === search.get('since'));
  const views = (
    <Segmented
      label={RUNS_WORDS.view}
      value={search.get('view') === 'causes' ? 'causes' : 'list'}
      options={[
        { value: 'list', label: RUNS_WORDS.views.list },
        { value: 'causes', label: RUNS_WORDS.views.causes },
      ]}
      onChange={(next) => search.set({ view: next === 'list' ? undefined : next }, { isStep: true })}
    />
  );
  if (search.get('view') !== 'causes')
    return <RunList search={search} span={span} openedAt={openedAt} views={views} />;
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead title={WORDS.runs} actions={views} />
      <div className="runs-bar">
        <SelectInput
          aria-label={RUNS_WORDS.since}
          value={span ?? '24h'}
          onValue={(value) => search.set({ since: value })}
          options={(Object.keys(SPANS) as Span[]).map((one) => ({
            value: one,
            label: RUNS_WORDS.spans[one],
          }))}
        />
      </div>
      <FailureCauses since={openedAt - SPANS[span ?? '24h']} />
    </main>
  );
}

interface RunListProps {
  search: SearchState;
  span: Span | undefined;
  openedAt: number;
  views: ReactNode;
}

function RunList({ search, span, openedAt, views }: RunListProps) {
  const asked = search.get('status')?.split(',') ?? [];
  const chosen = STATUSES.filter((status) => asked.includes(status));
  const filter: RunsFilter = {
    ids: search.get('runs')?.split(','),
    input: search.get('input'),
    actor: search.get('actor'),
    task: search.get('task'),
    origin: search.get('origin'),
    build: search.get('build'),
    statuses: chosen,
    since: span === undefined ? undefined : openedAt - SPANS[span],
  };
  const list = useRuns(filter);
  const isFiltered =
    chosen.length > 0 ||
    span !== undefined ||
    filter.ids !== undefined ||
    FILTERS.some((one) => filter[one] !== undefined);
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead
        title={WORDS.runs}
        badge={list.total !== undefined && <span className="muted">{formatCount(list.total)}</span>}
        actions={views}
      />
      <RunsFilters search={search} filter={filter} chosen={chosen} span={span} />
      <RunsTable
        list={list}
        emptyState={
          isFiltered ? (
            <NoMatch
              words={RUNS_WORDS.noMatch}
              onClear={() =>
                search.set({
                  ...Object.fromEntries(FILTERS.map((one) => [one, undefined])),
                  status: undefined,
                  since: undefined,
                  runs: undefined,
                })
              }
            />
          ) : (
            <EmptyState
              icon="actor"
              title={WORDS.empty.title}
              text={WORDS.empty.text}
              action={
                <ButtonLink href="/actors" icon="play">
                  {RUNS_WORDS.toActors}
                </ButtonLink>
              }
            />
          )
        }
      />
    </main>
  );
}

interface RunsFiltersProps {
  search: SearchState;
  filter: RunsFilter;
  chosen: readonly RunStatus[];
  span: Span | undefined;
}

function RunsFilters({ search, filter, chosen, span }: RunsFiltersProps) {
  const { actors = [] } = useOwnActors();
  const found = useRunChoices(filter);
  const { actor, task, ids } = filter;
  const [input, setInput] = useTypedFilter(search, 'input');
  const counts = new Map(found?.choices.status.map(({ value, count }) => [value, count]));
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
      <FilterInput value={input} onChange={setInput} label={RUNS_WORDS.input} />
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
      <ChoiceSelect
        name="origin"
        search={search}
        choices={found?.choices.origin}
        label={WORDS.origin}
        any={RUNS_WORDS.anyOrigin}
        wordOf={originWord}
      />
      <ChoiceSelect
        name="build"
        search={search}
        choices={found?.choices.build}
        label={WORDS.build}
        any={RUNS_WORDS.anyBuild}
        wordOf={RUNS_WORDS.build}
      />
      {task !== undefined && (
        <Chips
          label={RUNS_WORDS.task}
          items={[
            {
              label: RUNS_WORDS.ofTask(task),
              isOn: true,
              onToggle: () => search.set({ task: undefined }),
            },
          ]}
        />
      )}
      {ids !== undefined && (
        <Chips
          label={RUNS_WORDS.theseRuns}
          items={[
            {
              label: RUNS_WORDS.ofAction(formatCount(ids.length)),
              isOn: true,
              onToggle: () => search.set({ runs: undefined }),
            },
          ]}
        />
      )}
      <Chips
        label={WORDS.statusFilter}
        items={STATUSES.map((status) => ({
          label: STATUS_WORDS[status],
          count: counts.get(status),
          isOn: chosen.includes(status),
          onToggle: () => toggle(status),
        }))}
      />
      {found !== undefined && (found.isPartial || found.unread > 0) && (
        <p className="muted t13">
          {found.isPartial && RUNS_WORDS.partial(formatCount(found.searched))}{' '}
          {found.unread > 0 && RUNS_WORDS.unread(formatCount(found.unread))}
        </p>
      )}
    </div>
  );
}

interface ChoiceSelectProps {
  /** In the address. */
  name: string;
  search: SearchState;
  choices: FoundRuns['choices']['build'] | undefined;
  label: string;
  any: string;
  wordOf: (value: string) => string;
}

/** Not there where there is nothing to choose. */
function ChoiceSelect({ name, search, choices = [], label, any, wordOf }: ChoiceSelectProps) {
  const value = search.get(name) ?? '';
  if (choices.length < 2 && value === '') return null;
  const isKnown = value === '' || choices.some((one) => one.value === value);
  return (
    <SelectInput
      aria-label={label}
      value={value}
      onValue={(next) => search.set({ [name]: next })}
      options={[
        { value: '', label: any },
        ...(isKnown ? [] : [{ value, label: wordOf(value) }]),
        ...choices.map((one) => ({
          value: one.value,
          label: `${wordOf(one.value)} (${formatCount(one.count)})`,
        })),
      ]}
    />
  );
}
