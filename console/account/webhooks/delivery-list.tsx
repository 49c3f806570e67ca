// The deliveries of a webhook by outcome, each with what is known about it when it is opened, and sending one once more.
import type { ReactNode } from 'react';
import type { usePages } from '../../api/read.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import type { SearchState } from '../../lib/search-state.ts';
import { Button } from '../../ui/button.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Key, Status } from '../../ui/status.tsx';
import { AttemptedDelivery, type ShownDelivery } from './delivery-parts.tsx';
import type { DeliveryState } from './webhooks-queries.ts';
import { DELIVERY, HOOKS, PANEL } from './webhooks-words.ts';

const STATES: readonly DeliveryState[] = ['failed', 'pending', 'delivered'];

/** The outcome that the address asks for. */
export function outcomeIn(search: SearchState): DeliveryState | undefined {
  return STATES.find((state) => state === search.get('outcome'));
}

export interface DeliveryListProps<Delivery> {
  /** Those of the outcome that the address asks for. */
  pages: ReturnType<typeof usePages<Delivery>>;
  search: SearchState;
  renderBadge: (delivery: Delivery) => ReactNode;
  /** Of the one that is open. */
  renderDetail: (id: string) => ReactNode;
}

export function DeliveryList<Delivery extends ShownDelivery>(props: DeliveryListProps<Delivery>) {
  const { pages, search, renderBadge, renderDetail } = props;
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = pages;
  const chosen = outcomeIn(search);
  const open = search.get('delivery');
  const rows = data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <div className="stack">
      <Segmented
        label={PANEL.outcome}
        size="sm"
        value={chosen ?? 'all'}
        onChange={(state: string) =>
          search.set({ outcome: state === 'all' ? undefined : state, delivery: undefined })
        }
        options={[
          { value: 'all', label: PANEL.all },
          ...STATES.map((state) => ({ value: state, label: HOOKS.outcomes[state] })),
        ]}
      />
      {isPending && <Skeleton rows={3} />}
      {error !== null && data === undefined && (
        <ReadProblem error={error} onRetry={() => void refetch()} isPlain />
      )}
      {data !== undefined && rows.length === 0 && !hasNextPage && (
        <p className="muted t13">{chosen === undefined ? PANEL.none : PANEL.noneOf}</p>
      )}
      <ul className="hook-dels">
        {rows.map((delivery) => (
          <li key={delivery.id}>
            <AttemptedDelivery
              delivery={delivery}
              badge={renderBadge(delivery)}
              isOpen={delivery.id === open}
              onToggle={() => search.set({ delivery: delivery.id === open ? undefined : delivery.id })}
            />
            {delivery.id === open && renderDetail(delivery.id)}
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <div>
          <Button size="sm" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {PANEL.more}
          </Button>
        </div>
      )}
    </div>
  );
}

export interface SendAgainProps {
  id: string;
  again: { isPending: boolean; isSuccess: boolean; error: Error | null; mutate: (id: string) => void };
  disabledReason: string | undefined;
  /** Beside the button. */
  children?: ReactNode;
}

export function SendAgain({ id, again, disabledReason, children }: SendAgainProps) {
  return (
    <>
      <div className="row row--wrap">
        <Button
          size="sm"
          icon="redo"
          isBusy={again.isPending}
          disabledReason={disabledReason}
          onClick={() => again.mutate(id)}
        >
          {DELIVERY.again}
        </Button>
        {children}
        <span className="t12">
          <Key copyLabel={DELIVERY.copyId}>{id}</Key>
        </span>
      </div>
      <div role="status" className="t13">
        {again.isSuccess && <Status tone="ok">{DELIVERY.sentAgain}</Status>}
      </div>
      <ChangeError error={again.error} />
    </>
  );
}
