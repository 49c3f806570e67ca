// The filters of a repository's issues: all of them stand in the address, and the server does the filtering.
import { useMe } from '../../app/me.ts';
import type { SearchPatch, SearchState } from '../../lib/search-state.ts';
import { Button } from '../../ui/button.tsx';
import { Chips } from '../../ui/chips.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { PickList, useAsked, toggledIn, type PickOption } from '../pick-list.tsx';
import type { RepositoryPlace } from '../place.ts';
import { useLabels, useMilestones, usePeople, type IssueFilters } from './issue-queries.ts';
import { LATEST } from './issue-table.tsx';
import { ISSUES } from './issue-words.ts';

const STATES = ['open', 'closed', 'all'] as const;
type ListState = (typeof STATES)[number];

export function stateIn(search: SearchState): ListState {
  const asked = search.get('state');
  return STATES.find((one) => one === asked) ?? 'open';
}

/** What the list reads, from its address. */
export function filtersIn(search: SearchState): IssueFilters {
  return {
    state: stateIn(search),
    labels: search.get('label'),
    milestone: search.get('milestone'),
    assignee: search.get('assignee'),
    creator: search.get('author'),
    sort: search.get('sort') ?? LATEST,
  };
}

const FILTERS = ['label', 'milestone', 'assignee', 'author'] as const;

export const CLEARED: SearchPatch = Object.fromEntries(FILTERS.map((name) => [name, undefined]));

export function isFiltered(search: SearchState): boolean {
  return FILTERS.some((name) => search.get(name) !== undefined) || stateIn(search) !== 'open';
}

export function StateFilter({ search }: { search: SearchState }) {
  return (
    <Segmented
      label={ISSUES.stateLabel}
      size="sm"
      value={stateIn(search)}
      options={STATES.map((value) => ({ value, label: ISSUES.state[value] }))}
      onChange={(state) => search.set({ state: state === 'open' ? undefined : state })}
    />
  );
}

function namesIn(text: string | undefined): string[] {
  return (text ?? '').split(',').filter((name) => name !== '');
}

function toggled(names: readonly string[], name: string): string {
  return toggledIn(names, name).join(',');
}

export function IssueFilterBar({ place, search }: { place: RepositoryPlace; search: SearchState }) {
  const { data: me } = useMe();
  const own = me?.username;
  const is = (name: string, value: string | undefined) => value !== undefined && search.get(name) === value;
  const quick = (name: string, label: string) => ({
    label,
    isOn: is(name, own),
    onToggle: () => search.set({ [name]: is(name, own) ? undefined : own }),
  });
  return (
    <div className="stack stack--8 list-bar">
      <div className="row row--wrap">
        <StateFilter search={search} />
        <Chips
          label={ISSUES.quick}
          items={[quick('assignee', ISSUES.quickOwn.assigned), quick('author', ISSUES.quickOwn.created)]}
        />
        <span className="push" />
        <LabelFilter place={place} search={search} />
        <MilestoneFilter place={place} search={search} />
        <PersonFilter place={place} search={search} name="assignee" />
        <PersonFilter place={place} search={search} name="author" />
      </div>
      <ActiveFilters search={search} own={own} />
    </div>
  );
}

interface FilterProps {
  place: RepositoryPlace;
  search: SearchState;
}

function LabelFilter({ place, search }: FilterProps) {
  const { isAsked, ask } = useAsked();
  const { rows, hasMore, readMore } = useLabels(place, isAsked);
  const chosen = namesIn(search.get('label'));
  return (
    <PickList
      label={ISSUES.byLabel}
      trigger={
        <Button size="sm" hasCaret {...ask}>
          {ISSUES.byLabel}
        </Button>
      }
      // A name with a comma cannot be asked for.
      options={rows
        ?.filter(({ name }) => !name.includes(','))
        .map(({ name, color, description }) => ({
          id: name,
          label: name,
          color,
          detail: description ?? undefined,
        }))}
      chosen={chosen}
      onToggle={(name) => search.set({ label: toggled(chosen, name) })}
      hasMore={hasMore}
      readMore={readMore}
    />
  );
}

function MilestoneFilter({ place, search }: FilterProps) {
  const { isAsked, ask } = useAsked();
  const { rows, hasMore, readMore } = useMilestones(place, 'all', isAsked);
  const chosen = search.get('milestone');
  const fixed: PickOption[] = [
    { id: 'none', label: ISSUES.noMilestone },
    { id: '*', label: ISSUES.anyMilestone },
  ];
  return (
    <PickList
      label={ISSUES.byMilestone}
      trigger={
        <Button size="sm" hasCaret {...ask}>
          {ISSUES.byMilestone}
        </Button>
      }
      isSingle
      options={rows && [...fixed, ...rows.map(({ number, title }) => ({ id: String(number), label: title }))]}
      chosen={chosen === undefined ? [] : [chosen]}
      onToggle={(id) => search.set({ milestone: id === chosen ? undefined : id })}
      hasMore={hasMore}
      readMore={readMore}
    />
  );
}

function PersonFilter({ place, search, name }: FilterProps & { name: 'assignee' | 'author' }) {
  const { isAsked, ask } = useAsked();
  const { rows, hasMore, readMore } = usePeople(place, isAsked);
  const chosen = search.get(name);
  const label = name === 'assignee' ? ISSUES.byAssignee : ISSUES.byAuthor;
  const fixed: PickOption[] =
    name === 'author'
      ? []
      : [
          { id: 'none', label: ISSUES.nobody },
          { id: '*', label: ISSUES.anybody },
        ];
  return (
    <PickList
      label={label}
      trigger={
        <Button size="sm" hasCaret {...ask}>
          {label}
        </Button>
      }
      isSingle
      options={rows && [...fixed, ...rows.map(({ login }) => ({ id: login, label: login }))]}
      chosen={chosen === undefined ? [] : [chosen]}
      onToggle={(id) => search.set({ [name]: id === chosen ? undefined : id })}
      hasMore={hasMore}
      readMore={readMore}
    />
  );
}

/** Each is taken away by itself. What a quick filter shows already is not repeated. */
function ActiveFilters({ search, own }: { search: SearchState; own: string | undefined }) {
  const labels = namesIn(search.get('label'));
  const milestone = search.get('milestone');
  const active: { words: string; patch: SearchPatch }[] = [
    ...labels.map((name) => ({
      words: `${ISSUES.byLabel}: ${name}`,
      patch: { label: toggled(labels, name) },
    })),
    ...(milestone === undefined
      ? []
      : [{ words: `${ISSUES.byMilestone}: ${milestoneWords(milestone)}`, patch: { milestone: undefined } }]),
    ...(['assignee', 'author'] as const).flatMap((name) => {
      const value = search.get(name);
      if (value === undefined || value === own) return [];
      const label = name === 'assignee' ? ISSUES.byAssignee : ISSUES.byAuthor;
      return [{ words: `${label}: ${personWords(value)}`, patch: { [name]: undefined } }];
    }),
  ];
  if (active.length === 0) return null;
  return (
    <ul className="chips" aria-label={ISSUES.filters}>
      {active.map(({ words, patch }) => (
        <li key={words} className="tag">
          {words}
          <Button
            tone="ghost"
            size="xs"
            icon="x"
            label={ISSUES.remove(words)}
            onClick={() => search.set(patch)}
          />
        </li>
      ))}
    </ul>
  );
}

function milestoneWords(milestone: string): string {
  if (milestone === 'none') return ISSUES.none;
  return milestone === '*' ? ISSUES.any : `#${milestone}`;
}

function personWords(login: string): string {
  if (login === 'none') return ISSUES.nobody;
  return login === '*' ? ISSUES.anybody : login;
}
