// The dispatches of a webhook of an Actor by outcome, and one of them with what was sent and its attempts.
import { prettyBody } from '../../lib/delivery-row.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import type { SearchState } from '../../lib/search-state.ts';
import { KeyValues } from '../../ui/card.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { TextLink } from '../../ui/link.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Badge } from '../../ui/status.tsx';
import {
  shownUrl,
  useDispatch,
  useDispatches,
  useRedeliverDispatch,
  type ActorHook,
} from './actor-hook-queries.ts';
import { ACTOR_HOOKS } from './actor-hook-words.ts';
import { DeliveryList, outcomeIn, SendAgain } from './delivery-list.tsx';
import { Attempts } from './delivery-parts.tsx';
import { DELIVERY, PANEL } from './webhooks-words.ts';

export function ActorDispatches({ hook, search }: { hook: ActorHook; search: SearchState }) {
  return (
    <DeliveryList
      pages={useDispatches(hook.id, outcomeIn(search))}
      search={search}
      renderBadge={({ eventType }) => <Badge>{eventType}</Badge>}
      renderDetail={(id) => <DispatchView id={id} hook={hook} />}
    />
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
          <CodeBlock text={prettyBody(body)} copyLabel={DELIVERY.copyBody} />
        </div>
      )}
      <SendAgain id={id} again={again} disabledReason={hook.isEnabled ? undefined : PANEL.offNow} />
    </div>
  );
}
