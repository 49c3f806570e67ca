// The deliveries of a webhook by outcome, and one of them with its request and the reply.
import { useChange } from '../../api/read.ts';
import { DeliveryRow, prettyBody } from '../../lib/delivery-row.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import type { SearchState } from '../../lib/search-state.ts';
import { Button } from '../../ui/button.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { formatDuration } from '../../ui/format.ts';
import { Segmented } from '../../ui/segmented.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Badge, Key, Status } from '../../ui/status.tsx';
import {
  HOOK_TOPICS,
  redeliverCall,
  useHookDeliveries,
  useHookDelivery,
  type DeliveryOutcome,
  type HookDelivery,
  type HookPlace,
  type HostHook,
} from './hooks-queries.ts';
import { HOOK_DELIVERY, HOOK_PANEL } from './hooks-words.ts';

const OUTCOMES: readonly DeliveryOutcome[] = ['success', 'failure'];

export interface HookDeliveriesProps {
  place: HookPlace;
  hook: HostHook;
  search: SearchState;
}

export function HookDeliveries({ place, hook, search }: HookDeliveriesProps) {
  const chosen = OUTCOMES.find((outcome) => outcome === search.get('outcome'));
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } =
    useHookDeliveries(place, hook.id, chosen);
  const open = search.get('delivery');
  const rows = data?.pages.flatMap((page) => page.rows) ?? [];
  return (
    <div className="stack">
      <Segmented
        label={HOOK_PANEL.outcome}
        size="sm"
        value={chosen ?? 'all'}
        onChange={(outcome: string) =>
          search.set({ outcome: outcome === 'all' ? undefined : outcome, delivery: undefined })
        }
        options={(['all', ...OUTCOMES] as const).map((value) => ({
          value,
          label: HOOK_PANEL.outcomes[value],
        }))}
      />
      {isPending && <Skeleton rows={3} />}
      {error !== null && data === undefined && (
        <ReadProblem error={error} onRetry={() => void refetch()} isPlain />
      )}
      {data !== undefined && rows.length === 0 && (
        <p className="muted t13">{chosen === undefined ? HOOK_PANEL.none : HOOK_PANEL.noneOf}</p>
      )}
      <ul className="hook-dels">
        {rows.map((delivery) => {
          const id = String(delivery.id);
          return (
            <li key={id}>
              <DeliveryRow
                {...outcomeOf(delivery)}
                status={delivery.status_code === 0 ? undefined : delivery.status_code}
                badge={<Badge>{eventOf(delivery)}</Badge>}
                note={delivery.redelivery ? HOOK_DELIVERY.again : undefined}
                at={delivery.delivered_at}
                isOpen={id === open}
                onToggle={() => search.set({ delivery: id === open ? undefined : id })}
              />
              {id === open && <DeliveryView place={place} hook={hook} id={delivery.id} />}
            </li>
          );
        })}
      </ul>
      {hasNextPage && (
        <div>
          <Button size="sm" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {HOOK_PANEL.more}
          </Button>
        </div>
      )}
    </div>
  );
}

function outcomeOf({ status_code: code }: HookDelivery): { tone: 'ok' | 'bad'; outcome: string } {
  const isGood = code >= 200 && code < 300;
  return { tone: isGood ? 'ok' : 'bad', outcome: isGood ? HOOK_DELIVERY.delivered : HOOK_DELIVERY.failed };
}

function eventOf({ event, action }: HookDelivery): string {
  return action === null ? event : `${event}.${action}`;
}

interface DeliveryViewProps {
  place: HookPlace;
  hook: HostHook;
  id: number;
}

function DeliveryView({ place, hook, id }: DeliveryViewProps) {
  const { data, error, refetch } = useHookDelivery(place, hook.id, id);
  const again = useChange<void>(() => redeliverCall(place, hook.id, id), HOOK_TOPICS);
  if (data === undefined)
    return error === null ? (
      <Skeleton lines={4} />
    ) : (
      <ReadProblem error={error} onRetry={() => void refetch()} isPlain />
    );
  const { url, request, response, status, duration, guid } = data;
  return (
    <div className="stack hook-del">
      <p className="t13 rset__word">
        {status} · {HOOK_DELIVERY.took(formatDuration(duration * 1000))} ·{' '}
        <span className="mono t12">{url}</span>
      </p>
      <Exchange
        title={HOOK_DELIVERY.request}
        headers={request.headers}
        body={JSON.stringify(request.payload)}
      />
      {response.headers === null ? (
        <p className="muted t13">{HOOK_DELIVERY.noReply}</p>
      ) : (
        <Exchange title={HOOK_DELIVERY.reply} headers={response.headers} body={response.payload ?? ''} />
      )}
      <div className="row row--wrap">
        <Button size="sm" icon="redo" isBusy={again.isPending} onClick={() => again.mutate()}>
          {HOOK_DELIVERY.redeliver}
        </Button>
        <span className="t12">
          <Key copyLabel={HOOK_DELIVERY.copyGuid}>{guid}</Key>
        </span>
      </div>
      <div role="status" className="t13">
        {again.isSuccess && <Status tone="ok">{HOOK_DELIVERY.redelivered}</Status>}
      </div>
      <ChangeError error={again.error} />
    </div>
  );
}

interface ExchangeProps {
  title: string;
  headers: Record<string, string> | null;
  body: string;
}

function Exchange({ title, headers, body }: ExchangeProps) {
  const lines = Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  return (
    <div className="stack stack--8">
      <h4 className="t12 w5">{title}</h4>
      {lines.length > 0 && <CodeBlock text={lines.join('\n')} copyLabel={HOOK_DELIVERY.copyHeaders} />}
      {body === '' ? (
        <p className="muted t12">{HOOK_DELIVERY.emptyReply}</p>
      ) : (
        <CodeBlock text={prettyBody(body)} copyLabel={HOOK_DELIVERY.copyBody} />
      )}
    </div>
  );
}
