// The latest changes of all products. What is new is announced above the list, and comes in when the reader wants it.
import { useEffect, useMemo, useState } from 'react';
import { useSearchParams } from 'wouter';
import type { ChangeEvent } from '../api/live.ts';
import { onEvent } from '../api/live.ts';
import { useMe } from '../app/me.ts';
import { ACTIVITY_WORDS, PRODUCTS, timelineItemOf, type Product } from '../lib/activity.tsx';
import { Button, ButtonLink } from '../ui/button.tsx';
import { Chips } from '../ui/chips.tsx';
import { Section } from '../ui/page.tsx';
import { EmptyState, ErrorState, NoPermission, Skeleton } from '../ui/states.tsx';
import { Timeline } from '../ui/timeline.tsx';
import { useActivity } from './queries.ts';
import { WORDS } from './words.ts';

export function ActivityFeed() {
  const [params, setParams] = useSearchParams();
  const product = PRODUCTS.find((one) => one === params.get('product'));
  const choose = (next: Product | undefined) =>
    setParams(
      (present) => {
        const changed = new URLSearchParams(present);
        if (next === undefined) changed.delete('product');
        else changed.set('product', next);
        return changed;
      },
      { replace: true },
    );
  return (
    <Section
      title={WORDS.activity.title}
      actions={
        <ButtonLink tone="ghost" size="sm" href="/account/audit">
          {WORDS.activity.audit}
        </ButtonLink>
      }
    >
      <div className="stack stack--16">
        <Chips
          label={WORDS.activity.filter}
          items={[
            { label: WORDS.activity.all, isOn: product === undefined, onToggle: () => choose(undefined) },
            ...PRODUCTS.map((one) => ({
              label: ACTIVITY_WORDS.products[one],
              isOn: product === one,
              onToggle: () => choose(product === one ? undefined : one),
            })),
          ]}
        />
        <Feed key={product ?? ''} product={product} />
      </div>
    </Section>
  );
}

function Feed({ product }: { product: Product | undefined }) {
  const { data: me } = useMe();
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } =
    useActivity(product);
  const entries = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data]);
  const fresh = useFreshChanges(product, entries);
  if (error?.access !== undefined) return <NoPermission {...error.access} isPlain />;
  if (error !== null && data === undefined)
    return <ErrorState error={error} onRetry={() => void refetch()} isPlain />;
  if (isPending) return <Skeleton rows={8} />;
  return (
    <>
      {fresh.count > 0 && (
        <Button size="sm" icon="up" onClick={() => void refetch().then(fresh.forget)}>
          {WORDS.activity.fresh(fresh.count)}
        </Button>
      )}
      {entries.length === 0 && !hasNextPage ? (
        <EmptyState
          icon="history"
          title={WORDS.activity.empty}
          text={
            product === undefined
              ? WORDS.activity.emptyText
              : WORDS.activity.emptyProduct(ACTIVITY_WORDS.products[product])
          }
          isPlain
        />
      ) : (
        <Timeline
          label={WORDS.activity.title}
          items={entries.map((entry) => timelineItemOf(entry, me?.member.id))}
        />
      )}
      {hasNextPage && (
        <Button isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {WORDS.activity.more}
        </Button>
      )}
    </>
  );
}

/** How many changes the stream has brought that the list does not show. */
function useFreshChanges(product: Product | undefined, shown: readonly { id: string }[]) {
  const [heard, setHeard] = useState<readonly string[]>([]);
  useEffect(
    () =>
      onEvent(({ event, data }) => {
        const change = data as ChangeEvent;
        if (event !== 'change' || (product !== undefined && change.product !== product)) return;
        setHeard((ids) => (ids.includes(change.id) ? ids : [...ids, change.id]));
      }),
    [product],
  );
  // What stands in the list is not new any more, nor is what came before it.
  const ids = new Set(shown.map(({ id }) => id));
  const fresh = heard.slice(heard.findLastIndex((id) => ids.has(id)) + 1);
  return { count: fresh.length, forget: () => setHeard([]) };
}
