// The filters of a flag's history, which stand in the address: an environment, a person, and whether there is a comment.
import type { SearchState } from '../../lib/search-state.ts';
import { Chips } from '../../ui/chips.tsx';
import { SelectInput } from '../../ui/input.tsx';
import type { Flag } from '../flag.ts';
import { environmentsOf } from './flag-version.ts';
import { authorOf } from './history-columns.tsx';
import type { HistoryEntry } from './entry.ts';
import { HISTORY } from './history-words.ts';

/** No key of an environment looks like this. */
const WHOLE = '*';

export interface HistoryFilter {
  env?: string | undefined;
  who?: string | undefined;
  hasComment: boolean;
}

export const NO_FILTER = { env: undefined, who: undefined, comment: undefined };

export function readFilter(state: SearchState): HistoryFilter {
  return { env: state.get('env'), who: state.get('who'), hasComment: state.get('comment') !== undefined };
}

export function fitsFilter(entry: HistoryEntry, { env, who, hasComment }: HistoryFilter): boolean {
  const keys = environmentsOf(entry);
  return (
    (env === undefined || (env === WHOLE ? keys.length === 0 : keys.includes(env))) &&
    (who === undefined || authorKey(entry) === who) &&
    (!hasComment || (entry.comment ?? '') !== '')
  );
}

/** One person with several tokens is one. */
function authorKey(entry: HistoryEntry): string {
  return entry.token?.serviceToken === true
    ? `token ${entry.token.ending}`
    : (entry.member?._id ?? HISTORY.server);
}

interface HistoryFiltersProps {
  state: SearchState;
  flag: Flag;
  /** All that were read: their authors can be chosen. */
  entries: readonly HistoryEntry[];
}

export function HistoryFilters({ state, flag, entries }: HistoryFiltersProps) {
  const { env = '', who = '', hasComment } = readFilter(state);
  const authors = new Map(entries.map((entry) => [authorKey(entry), authorOf(entry).name]));
  if (who !== '' && !authors.has(who)) authors.set(who, who);
  const environments = Object.entries(flag.environments ?? {}).map(([key, { _environmentName }]) => ({
    value: key,
    label: _environmentName,
  }));
  return (
    <div className="row row--wrap">
      <SelectInput
        className="history__filter"
        aria-label={HISTORY.environment}
        value={env}
        onValue={(value) => state.set({ env: value })}
        options={[
          { value: '', label: HISTORY.everywhere },
          ...environments,
          { value: WHOLE, label: HISTORY.whole },
        ]}
      />
      <SelectInput
        className="history__filter"
        aria-label={HISTORY.who}
        value={who}
        onValue={(value) => state.set({ who: value })}
        options={[
          { value: '', label: HISTORY.anybody },
          ...[...authors].map(([value, label]) => ({ value, label })),
        ]}
      />
      <Chips
        label={HISTORY.columns.comment}
        items={[
          {
            label: HISTORY.withComment,
            isOn: hasComment,
            onToggle: () => state.set({ comment: hasComment ? undefined : '1' }),
          },
        ]}
      />
      <span className="muted t13">{HISTORY.compareHint}</span>
    </div>
  );
}
