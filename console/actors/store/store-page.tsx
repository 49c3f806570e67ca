// The store: Actors that are shared on this server, with what they do and how much they are used.
import '../../styles/actors.css';
import '../../styles/lists.css';
import '../../styles/usage.css';
import { useRead } from '../../api/read.ts';
import type { StoreFigures } from '../../api/types/signalbox.ts';
import { usePageInfo } from '../../app/page-info.ts';
import { ListFoot, NoMatch } from '../../lib/list-foot.tsx';
import { offsetPage, useListPages } from '../../lib/list-pages.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState, useTypedFilter } from '../../lib/search-state.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { formatCount, formatDuration } from '../../ui/format.ts';
import { FilterInput, SelectInput } from '../../ui/input.tsx';
import { PageHead } from '../../ui/page.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { Tag } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { hrefOfActor, type ListBody } from '../queries.ts';
import { STORE_WORDS } from './store-words.ts';

interface StoreActor {
  id: string;
  title: string;
  name: string;
  username: string;
  userFullName?: string | null;
  description?: string | null;
  categories: string[];
  readmeSummary?: string;
  stats: { totalRuns: number; totalUsers: number; lastRunStartedAt?: string };
}

const PAGE = 24;
const SORTS = ['relevance', 'popularity', 'newest', 'lastUpdate'] as const;
const idOf = ({ id }: StoreActor) => id;

function useStore(search: string | undefined, sortBy: string) {
  return useListPages<ListBody<StoreActor>, StoreActor>({
    call: { api: 'actors', path: '/store', query: { search, sortBy } },
    topics: ['actor'],
    first: 0,
    pageQuery: (offset) => ({ limit: PAGE, offset }),
    toPage: ({ data: { items, total } }, offset) => offsetPage(items, total, offset),
    idOf,
  });
}

export default function StorePage() {
  usePageInfo([{ label: STORE_WORDS.store, href: '/store' }]);
  const search = useSearchState('/store');
  const [typed, setTyped] = useTypedFilter(search);
  const sort = SORTS.find((one) => one === search.get('sort')) ?? 'relevance';
  const words = search.get('q');
  const list = useStore(words, sort);
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead
        title={STORE_WORDS.store}
        badge={list.total !== undefined && <span className="muted">{formatCount(list.total)}</span>}
        meta={STORE_WORDS.text}
      />
      <div className="row row--wrap list-bar">
        <div className="grow">
          <FilterInput value={typed} onChange={setTyped} label={STORE_WORDS.filter} />
        </div>
        <SelectInput
          className="in--auto"
          aria-label={STORE_WORDS.sort}
          value={sort}
          onValue={(value) => search.set({ sort: value === 'relevance' ? undefined : value })}
          options={SORTS.map((value) => ({ value, label: STORE_WORDS.sorts[value] }))}
        />
      </div>
      {list.error !== null ? (
        <ReadProblem error={list.error} onRetry={list.retry} />
      ) : list.rows.length > 0 ? (
        <>
          <div className="store-list" aria-busy={list.isLoading}>
            {chunksOf(list.rows).map((actors) => (
              <StoreCards key={actors[0]?.id} actors={actors} />
            ))}
          </div>
          <div className="row store-foot muted t13">
            <ListFoot list={list} nouns={STORE_WORDS.nouns} />
          </div>
        </>
      ) : list.isLoading ? (
        <Skeleton lines={8} />
      ) : words === undefined ? (
        <EmptyState icon="globe" title={STORE_WORDS.empty.title} text={STORE_WORDS.empty.text} />
      ) : (
        <NoMatch
          words={STORE_WORDS.noMatch}
          onClear={() => {
            setTyped('');
            search.set({ q: undefined });
          }}
        />
      )}
    </main>
  );
}

/** As many as a page of the list has: what is said of them is read together. */
function chunksOf(actors: readonly StoreActor[]): StoreActor[][] {
  const count = Math.ceil(actors.length / PAGE);
  return Array.from({ length: count }, (_, at) => actors.slice(at * PAGE, (at + 1) * PAGE));
}

function StoreCards({ actors }: { actors: readonly StoreActor[] }) {
  const { data } = useRead<StoreFigures>({
    call: { api: 'signalbox', path: '/store/figures', query: { actor: actors.map(idOf) } },
  });
  const figures = new Map(data?.items.map((one) => [one.id, one]));
  return actors.map((actor) => <StoreCard key={actor.id} actor={actor} figures={figures.get(actor.id)} />);
}

interface StoreCardProps {
  actor: StoreActor;
  figures: StoreFigures['items'][number] | undefined;
}

function StoreCard({ actor, figures }: StoreCardProps) {
  const { title, username, name, userFullName, description, readmeSummary, categories, stats } = actor;
  return (
    <Card
      title={title}
      footer={
        <ButtonLink href={hrefOfActor(actor)} icon="play">
          {STORE_WORDS.open}
        </ButtonLink>
      }
    >
      <div className="stack stack--8 t13">
        <span className="mono t12 muted">{`${username}/${name}`}</span>
        <p>{description || readmeSummary || STORE_WORDS.noText}</p>
        {categories.length > 0 && (
          <span className="row row--4 row--wrap">
            {categories.map((category) => (
              <Tag key={category}>{categoryWord(category)}</Tag>
            ))}
          </span>
        )}
        <span className="muted t12">
          {STORE_WORDS.by} {userFullName || username} · {STORE_WORDS.runs(formatCount(stats.totalRuns))} ·{' '}
          {STORE_WORDS.users(formatCount(stats.totalUsers))}
          {stats.lastRunStartedAt !== undefined && (
            <>
              {' '}
              · {STORE_WORDS.lastRun} <Time at={stats.lastRunStartedAt} />
            </>
          )}
        </span>
        {figures !== undefined && figures.runs > 0 && (
          <span className="muted t12">
            {STORE_WORDS.successRate(formatCount(Math.round((100 * figures.succeeded) / figures.runs)))}
            {figures.medianDurationMs !== null &&
              ` · ${STORE_WORDS.usually(formatDuration(figures.medianDurationMs))}`}
          </span>
        )}
      </div>
    </Card>
  );
}

/** `DEVELOPER_TOOLS` is "Developer tools". */
function categoryWord(category: string): string {
  const words = category.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
