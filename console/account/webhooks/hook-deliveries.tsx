// The deliveries of a webhook by outcome, and one of them with its attempts.
import { useChange } from '../../api/read.ts';
import type { FlagWebhook } from '../../api/types/signalbox.ts';
import { useMay } from '../../app/me.ts';
import { prettyBody } from '../../lib/delivery-row.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import type { SearchState } from '../../lib/search-state.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { TextLink } from '../../ui/link.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Badge } from '../../ui/status.tsx';
import { DeliveryList, outcomeIn, SendAgain } from './delivery-list.tsx';
import { Attempts } from './delivery-parts.tsx';
import { CHANGED, redeliverCall, useDeliveries, useDelivery } from './webhooks-queries.ts';
import { DELIVERY, HOOKS, PANEL } from './webhooks-words.ts';

export function HookDeliveries({ hook, search }: { hook: FlagWebhook; search: SearchState }) {
  return (
    <DeliveryList
      pages={useDeliveries(hook.id, outcomeIn(search))}
      search={search}
      renderBadge={({ isTest }) => isTest && <Badge>{DELIVERY.isTest}</Badge>}
      renderDetail={(id) => <DeliveryDetail id={id} hook={hook} />}
    />
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
          <CodeBlock text={prettyBody(data.body)} copyLabel={DELIVERY.copyBody} />
        </div>
      )}
      <SendAgain id={id} again={again} disabledReason={noAgain}>
        {data.entryId !== undefined && (
          <TextLink href={`/account/audit?entry=${encodeURIComponent(data.entryId)}`}>
            {DELIVERY.entry}
          </TextLink>
        )}
      </SendAgain>
    </div>
  );
}
