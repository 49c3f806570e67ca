// The dispatches of a webhook of an Actor by outcome, and one of them with what was sent and its attempts.
import { ReadProblem } from '../../lib/read-problem.tsx';
import type { SearchState } from '../../lib/search-state.ts';
import { Button } from '../../ui/button.tsx';
import { KeyValues } from '../../ui/card.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { TextLink } from '../../ui/link.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Badge, Key, Status } from '../../ui/status.tsx';
import {
  shownUrl,
  useDispatch,
  useDispatches,
  useRedeliverDispatch,
  type ActorHook,
} from './actor-hook-queries.ts';
import { ACTOR_HOOKS } from './actor-hook-words.ts';
import { Attempts, DeliveryRow, pretty, STATES } from './delivery-parts.tsx';
import { DELIVERY, HOOKS, PANEL } from './webhooks-words.ts';

export function ActorDispatches({ hook, search }: { hook: ActorHook; search: SearchState }) {
  const chosen = STATES.find((state) => state === search.get('outcome'));
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useDispatches(
    hook.id,
    chosen,
  );
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
        {rows.map((dispatch) => (
          <li key={dispatch.id}>
            <DeliveryRow
              delivery={dispatch}
              badge={<Badge>{dispatch.eventType}</Badge>}
              isOpen={dispatch.id === open}
              onToggle={() => search.set({ delivery: dispatch.id === open ? undefined : dispatch.id })}
            />
            {dispatch.id === open && <DispatchView id={dispatch.id} hook={hook} />}
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

function DispatchView({ id, hook }: { id: string; hook: ActorHook }) {
  const { data, error, refetch } = useDispatch(id);
  const again = useRedeliverDispatch();
  if (data === undefined)
    return error === null ? (
      <Skeleton lines={4} />
    ) : (
      <ReadProblem error={error} onRetry={() => void refetch()} isPlain />
    );
  const { url, headerNames, body, runId, history } = data;
  return (
    <div className="stack hook-del">
      <KeyValues
        termWidth={88}
        items={[
          [
            ACTOR_HOOKS.sentTo,
            <span key="url" className="mono t12 hook-url">
              {shownUrl(url)}
            </span>,
          ],
          ...(headerNames.length === 0
            ? []
            : [[ACTOR_HOOKS.headers, ACTOR_HOOKS.headerNames(headerNames.join(', '))] as [string, string]]),
          ...(runId === undefined
            ? []
            : [
                [
                  ACTOR_HOOKS.run,
                  <TextLink key="run" href={`/runs/${encodeURIComponent(runId)}`} isMono>
                    {runId}
                  </TextLink>,
                ] as [string, React.ReactNode],
              ]),
        ]}
      />
      <Attempts history={history} />
      {body !== undefined && body !== '' && (
        <div>
          <h4 className="t12 w5">{DELIVERY.body}</h4>
          <CodeBlock text={pretty(body)} copyLabel={DELIVERY.copyBody} />
        </div>
      )}
      <div className="row row--wrap">
        <Button
          size="sm"
          icon="redo"
          isBusy={again.isPending}
          disabledReason={hook.isEnabled ? undefined : PANEL.offNow}
          onClick={() => again.mutate(id)}
        >
          {DELIVERY.again}
        </Button>
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
