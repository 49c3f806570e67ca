// One webhook of an Actor beside the list: what it sends, a test, and its dispatches.
import { useState, type ReactNode } from 'react';
import type { SearchState } from '../../lib/search-state.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { SidePanel } from '../../lib/side-panel.tsx';
import { Button } from '../../ui/button.tsx';
import { KeyValues } from '../../ui/card.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { useKeys } from '../../ui/keys.ts';
import { Skeleton } from '../../ui/states.tsx';
import { Status, Tag } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast-store.ts';
import { ActorDispatches } from './actor-dispatches.tsx';
import { ActorHookDialog } from './actor-hook-dialog.tsx';
import {
  shownUrl,
  useActorHook,
  useDeleteActorHook,
  useTestActorHook,
  type ActorHookDetail,
} from './actor-hook-queries.ts';
import { ActorHookTarget } from './actor-hook-target.tsx';
import { ACTOR_HOOKS } from './actor-hook-words.ts';
import { HOOKS, PANEL } from './webhooks-words.ts';

export interface ActorHookPanelProps {
  id: string;
  search: SearchState;
  onClose: () => void;
}

export function ActorHookPanel({ id, search, onClose }: ActorHookPanelProps) {
  const { data, error, refetch } = useActorHook(id);
  const hook = data?.data;
  if (hook === undefined)
    return (
      <SidePanel title={HOOKS.title} onClose={onClose}>
        <section>
          {error === null ? (
            <Skeleton lines={6} />
          ) : error.status === 404 ? (
            ACTOR_HOOKS.gone
          ) : (
            <ReadProblem error={error} onRetry={() => void refetch()} isPlain />
          )}
        </section>
      </SidePanel>
    );
  return (
    <SidePanel
      title={<span className="hook-url">{shownUrl(hook.requestUrl)}</span>}
      text={hook.description}
      onClose={onClose}
      footer={<HookActions hook={hook} onDeleted={onClose} />}
    >
      <section>
        <h3 className="h4">{ACTOR_HOOKS.about}</h3>
        <About hook={hook} />
      </section>
      <section>
        <h3 className="h4">{ACTOR_HOOKS.dispatches}</h3>
        <ActorDispatches hook={hook} search={search} />
      </section>
    </SidePanel>
  );
}

function About({ hook }: { hook: ActorHookDetail }) {
  const { condition, eventTypes, payloadTemplate, doNotRetry, ignoreSslErrors, createdAt } = hook;
  const items: [string, ReactNode][] = [
    [ACTOR_HOOKS.listens, <ActorHookTarget key="of" condition={condition} />],
    [
      ACTOR_HOOKS.events,
      <span key="events" className="row row--4 row--wrap">
        {eventTypes.map((type) => (
          <Tag key={type}>{type}</Tag>
        ))}
      </span>,
    ],
    [ACTOR_HOOKS.payload, payloadTemplate ? ACTOR_HOOKS.ownPayload : ACTOR_HOOKS.usualPayload],
    [ACTOR_HOOKS.headers, headersOf(hook)],
    [ACTOR_HOOKS.retries, doNotRetry ? ACTOR_HOOKS.noRetries : ACTOR_HOOKS.usualRetries],
    ...(ignoreSslErrors ? [[ACTOR_HOOKS.certificate, ACTOR_HOOKS.anyCertificate] as [string, string]] : []),
    [ACTOR_HOOKS.created, <Time key="created" at={createdAt} />],
  ];
  return <KeyValues termWidth={88} items={items} />;
}

/** Names alone: values may be secret. */
function headersOf({ headersTemplate }: ActorHookDetail): string {
  if (!headersTemplate) return ACTOR_HOOKS.noHeaders;
  try {
    return ACTOR_HOOKS.headerNames(Object.keys(JSON.parse(headersTemplate) as object).join(', '));
  } catch {
    return ACTOR_HOOKS.hiddenHeaders;
  }
}

function HookActions({ hook, onDeleted }: { hook: ActorHookDetail; onDeleted: () => void }) {
  const [act, setAct] = useState<'edit' | 'delete'>();
  const test = useTestActorHook(hook.id);
  const remove = useDeleteActorHook(hook.id);
  const close = () => setAct(undefined);
  useKeys({ e: () => setAct('edit') });
  return (
    <>
      <Button
        icon="bolt"
        isBusy={test.isPending}
        disabledReason={hook.isEnabled ? undefined : PANEL.offNow}
        onClick={() => test.mutate()}
      >
        {PANEL.test}
      </Button>
      <Button icon="pen" keys="e" onClick={() => setAct('edit')}>
        {ACTOR_HOOKS.edit}
      </Button>
      <Button tone="danger" icon="trash" onClick={() => setAct('delete')}>
        {PANEL.delete}
      </Button>
      <div role="status" className="t13 hook-note">
        {test.isSuccess && <Status tone="ok">{PANEL.tested}</Status>}
      </div>
      <ChangeError error={test.error} />
      {act === 'edit' && <ActorHookDialog hook={hook} onClose={close} onSaved={close} />}
      {act === 'delete' && (
        <ConfirmDialog
          title={ACTOR_HOOKS.deleteTitle}
          tone="danger"
          confirmLabel={PANEL.deleteConfirm}
          isBusy={remove.isPending}
          error={remove.error ?? undefined}
          onClose={close}
          onConfirm={() =>
            remove.mutate(undefined, {
              onSuccess: () => {
                onDeleted();
                toast({ text: ACTOR_HOOKS.deleted });
              },
            })
          }
        >
          <p>{PANEL.deleteText}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
