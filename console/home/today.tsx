// Figures of today. One that the server does not count is absent.
import { useContext } from 'react';
import { Figures } from '../ui/card.tsx';
import { Count } from '../ui/numbers.tsx';
import { Skeleton } from '../ui/states.tsx';
import { TimeZoneContext } from '../ui/time.tsx';
import { useToday } from './queries.ts';
import { WORDS } from './words.ts';

const FIGURES = ['evaluations', 'runs', 'apiCalls'] as const;

export function TodayFigures() {
  const own = useContext(TimeZoneContext);
  const { data, isPending } = useToday(own ?? new Intl.DateTimeFormat().resolvedOptions().timeZone);
  if (isPending) return <Skeleton shape="tile" />;
  const items = FIGURES.flatMap((name) => {
    const value = data?.[name];
    return value === undefined ? [] : [{ label: WORDS.today[name], value: <Count value={value} isShort /> }];
  });
  // Figures are an extra: where they do not load, the page is whole without them.
  return items.length === 0 ? null : <Figures label={WORDS.today.label} items={items} />;
}
