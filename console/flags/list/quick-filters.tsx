// The filters that are asked for every day, always visible; each is a token of the field.
import { Chips } from '../../ui/chips.tsx';
import { apiFilterOf, hasToken, withoutToken, withToken, type FilterToken } from './filter.ts';
import { useFlagCount } from './list-queries.ts';
import { LIST_WORDS as WORDS } from './list-words.ts';

export interface QuickFiltersProps {
  project: string;
  /** The critical environment, else the first that is shown. */
  environment: string | undefined;
  tokens: readonly FilterToken[];
  onChange: (tokens: FilterToken[]) => void;
  hour: number;
  /** Counts come after the rows. */
  isCounted: boolean;
}

const MINE: FilterToken = { name: 'owner', value: 'me' };
const STALE: FilterToken = { name: 'is', value: 'stale' };
const ARCHIVED: FilterToken = { name: 'state', value: 'archived' };

export function QuickFilters(props: QuickFiltersProps) {
  const { project, environment = '', tokens, onChange, hour, isCounted } = props;
  const inPlace = (name: 'state' | 'changed' | 'has', kind: string): FilterToken => ({
    name,
    value: `${kind}@${environment}`,
  });
  const scheduled = inPlace('has', 'schedule');
  const waiting = inPlace('has', 'approval');
  const filterOf = (token: FilterToken) => apiFilterOf(undefined, [token], { ownerIds: [], hour }) ?? '';
  const isReady = isCounted && environment !== '';
  const counts = new Map([
    [STALE, useFlagCount(project, filterOf(STALE), isReady)],
    [scheduled, useFlagCount(project, filterOf(scheduled), isReady)],
    [waiting, useFlagCount(project, filterOf(waiting), isReady)],
  ]);
  const chip = (label: string, token: FilterToken) => {
    const isOn = hasToken(tokens, token);
    return {
      label,
      // Only where something waits.
      count: counts.get(token) || undefined,
      isOn,
      onToggle: () => onChange(isOn ? withoutToken(tokens, token) : withToken(tokens, token)),
    };
  };
  return (
    <Chips
      label={WORDS.quick}
      items={[
        chip(WORDS.mine, MINE),
        chip(WORDS.onIn(environment), inPlace('state', 'on')),
        chip(WORDS.changed, inPlace('changed', '7d')),
        chip(WORDS.stale, STALE),
        chip(WORDS.scheduled, scheduled),
        chip(WORDS.waiting, waiting),
        chip(WORDS.archived, ARCHIVED),
      ]}
    />
  );
}
