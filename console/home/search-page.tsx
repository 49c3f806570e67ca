// The search page: everything that the reader may see, grouped by kind. The address holds the words and the kinds.
import { usePageInfo } from '../app/page-info.ts';
import { groupHits, KINDS, useSearch } from '../app/search.ts';
import { useSearchState, useTypedFilter } from '../lib/search-state.ts';
import { Button } from '../ui/button.tsx';
import { Chips } from '../ui/chips.tsx';
import { FilterInput } from '../ui/input.tsx';
import { PageHead } from '../ui/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '../ui/states.tsx';
import { HitGroups, MOST_HITS } from './search-hits.tsx';
import { SEARCH } from './search-words.ts';

/** As the API takes it. */
const MAX_LENGTH = 500;

export default function SearchPage() {
  const state = useSearchState('/search');
  const [typed, setTyped] = useTypedFilter(state);
  const q = (state.get('q') ?? '').slice(0, MAX_LENGTH);
  const asked = state.get('kinds')?.split(',') ?? [];
  const kinds = KINDS.map(({ kind }) => kind).filter((kind) => asked.includes(kind));
  const setKinds = (next: readonly string[]) => state.set({ kinds: next.join(',') });
  usePageInfo([{ label: SEARCH.title }]);
  const search = useSearch(q, { limit: MOST_HITS, ...(kinds.length > 0 && { kinds: kinds.join(',') }) });
  const groups = q.trim() === '' ? [] : groupHits(search.data?.items ?? []);
  const count = groups.reduce((sum, { hits }) => sum + hits.length, 0);
  const isCut = groups.some(({ hits }) => hits.length >= MOST_HITS);
  return (
    <main id="main" className="page page--mid" tabIndex={-1}>
      <PageHead title={SEARCH.title} meta={count === 0 ? undefined : SEARCH.found(count, isCut)} />
      <div className="stack stack--16">
        <FilterInput
          label={SEARCH.label}
          placeholder={SEARCH.placeholder}
          value={typed}
          onChange={setTyped}
        />
        {q.trim() !== '' && <KindChips q={q} kinds={kinds} onChange={setKinds} />}
        {q.trim() === '' ? (
          <EmptyState icon="search" title={SEARCH.start.title} text={SEARCH.start.text} />
        ) : search.isError ? (
          <ErrorState error={search.error} onRetry={() => void search.refetch()} />
        ) : search.isPending ? (
          <Skeleton rows={8} />
        ) : count > 0 ? (
          <HitGroups groups={groups} text={q} />
        ) : (
          <NothingFound
            text={q}
            hasKinds={kinds.length > 0}
            onAllKinds={() => setKinds([])}
            onClear={() => setTyped('')}
          />
        )}
      </div>
    </main>
  );
}

interface KindChipsProps {
  q: string;
  kinds: readonly string[];
  onChange: (kinds: readonly string[]) => void;
}

/** Only kinds of which something is found, and those that are chosen. */
function KindChips({ q, kinds, onChange }: KindChipsProps) {
  // The same call as that of the page, where all kinds are shown.
  const all = useSearch(q, { limit: MOST_HITS });
  const counts = new Map(groupHits(all.data?.items ?? []).map(({ kind, hits }) => [kind, hits.length]));
  const shown = KINDS.filter(({ kind }) => counts.has(kind) || kinds.includes(kind));
  if (shown.length === 0) return null;
  const toggle = (kind: string) =>
    onChange(kinds.includes(kind) ? kinds.filter((one) => one !== kind) : [...kinds, kind]);
  return (
    <Chips
      label={SEARCH.kinds}
      items={[
        { label: SEARCH.all, isOn: kinds.length === 0, onToggle: () => onChange([]) },
        ...shown.map(({ kind, label }) => ({
          label,
          count: counts.get(kind) ?? 0,
          isOn: kinds.includes(kind),
          onToggle: () => toggle(kind),
        })),
      ]}
    />
  );
}

interface NothingFoundProps {
  text: string;
  hasKinds: boolean;
  onAllKinds: () => void;
  onClear: () => void;
}

function NothingFound({ text, hasKinds, onAllKinds, onClear }: NothingFoundProps) {
  return (
    <EmptyState
      icon="search"
      title={SEARCH.none.title(text)}
      text={hasKinds ? SEARCH.none.ofKinds : SEARCH.none.text}
      action={
        <Button onClick={hasKinds ? onAllKinds : onClear}>
          {hasKinds ? SEARCH.none.showAll : SEARCH.none.clear}
        </Button>
      }
    />
  );
}
