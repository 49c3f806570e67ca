// The deliveries of a webhook by outcome, and one of them with its attempts.
import { useChange } from '../../api/read.ts';
import type { FlagWebhook } from '../../api/types/signalbox.ts';
import { useMay } from '../../app/me.ts';
import { ChangeError } from '../../ui/change-error.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import type { SearchState } from '../../lib/search-state.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { TextLink } from '../../ui/link.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Badge, Key, Status } from '../../ui/status.tsx';
import { Attempts, DeliveryRow, pretty, STATES } from './delivery-parts.tsx';
import { CHANGED, redeliverCall, useDeliveries, useDelivery } from './webhooks-queries.ts';
import { DELIVERY, HOOKS, PANEL } from './webhooks-words.ts';

export function HookDeliveries({ hook, search }: { hook: FlagWebhook; search: SearchState }) {
  const chosen = STATES.find((state) => state === search.get('outcome'));
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useDeliveries(
    hook.id,
    chosen,
  );
  const open = search.get('delivery');
  const rows = data?.pages.flatMap(({ items }) => items) ?? [];
  const set = (state: string) =>
    search.set({ outcome: state === 'all' ? undefined : state, delivery: undefined });
  return (
    <div className="stack">
      <Segmented
        label={PANEL.outcome}
        size="sm"
        value={chosen ?? 'all'}
        onChange={set}
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
            <DeliveryRow
              delivery={delivery}
              badge={delivery.isTest && <Badge>{DELIVERY.isTest}</Badge>}
              isOpen={delivery.id === open}
              onToggle={() => search.set({ delivery: delivery.id === open ? undefined : delivery.id })}
            />
            {delivery.id === open && <DeliveryDetail id={delivery.id} hook={hook} />}
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

function DeliveryDetail({ id, hook }: { id: string; hook: FlagWebhook }) {
  const { data, error, refetch } = useDelivery(id);
  const may = useMay([{ action: 'updateOn', resource: hook.resource }]);
  const again = useChange<string>(redeliverCall, CHANGED);
  if (data === undefined)
    return error === null ? (
      <Skeleton lines={4} />
    ) : (
      <ReadProblem error={error} onRetry={() => void refetch()} isPlain />
    );
  const noAgain = may?.[0] === false ? HOOKS.mayNot('updateOn') : hook.isOn ? undefined : PANEL.offNow;
  return (
    <div className="stack hook-del">
      <Attempts history={data.history} />
      {data.body === undefined ? (
        <p className="muted t12">{DELIVERY.hidden}</p>
      ) : (
        <div>
          <h4 className="t12 w5">{DELIVERY.body}</h4>
          <CodeBlock text={pretty(data.body)} copyLabel={DELIVERY.copyBody} />
        </div>
      )}
      <div className="row row--wrap">
        <Button
          size="sm"
          icon="redo"
          isBusy={again.isPending}
          disabledReason={noAgain}
          onClick={() => again.mutate(id)}
        >
          {DELIVERY.again}
        </Button>
        {data.entryId !== undefined && (
          <TextLink href={`/account/audit?entry=${encodeURIComponent(data.entryId)}`}>
            {DELIVERY.entry}
          </TextLink>
        )}
        <span className="t12">
          <Key copyLabel={DELIVERY.copyId}>{id}</Key>
        </span>
      </div>
      <div role="status" className="t13">
        {again.isSuccess && <Status tone="ok">{DELIVERY.sentAgain}</Status>}
      </div>
      <ChangeError error={again.error} />
    </div>
  );
}
