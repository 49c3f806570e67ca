// One webhook beside the list: what it sends, a ping, a test, and its deliveries.
import { useState, type ReactNode } from 'react';
import { useChange } from '../../api/read.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import type { SearchState } from '../../lib/search-state.ts';
import { SidePanel } from '../../lib/side-panel.tsx';
import { Button } from '../../ui/button.tsx';
import { KeyValues } from '../../ui/card.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { useKeys } from '../../ui/keys.ts';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { Status, Tag } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast-store.ts';
import { HookDeliveries } from './hook-deliveries.tsx';
import { HookDialog } from './hook-dialog.tsx';
import { EVERY_EVENT } from './hook-draft.ts';
import {
  deleteHookCall,
  HOOK_TOPICS,
  pingCall,
  testPushCall,
  useHostHook,
  type HookPlace,
  type HostHook,
} from './hooks-queries.ts';
import { HOOK_PANEL, HOOKS } from './hooks-words.ts';

export interface HookPanelProps {
  place: HookPlace;
  id: number;
  search: SearchState;
  onClose: () => void;
}

export function HookPanel({ place, id, search, onClose }: HookPanelProps) {
  const { data: hook, error, refetch } = useHostHook(place, id);
  if (hook === undefined || error?.status === 404)
    return (
      <SidePanel title={HOOKS.title} onClose={onClose}>
        <section>
          {error === null ? (
            <Skeleton lines={6} />
          ) : error.status === 404 ? (
            <EmptyState icon="hook" title={HOOK_PANEL.gone} isPlain />
          ) : (
            <ReadProblem error={error} onRetry={() => void refetch()} isPlain />
          )}
        </section>
      </SidePanel>
    );
  return (
    <SidePanel
      title={<span className="rset__word">{hook.config.url}</span>}
      onClose={onClose}
      footer={<HookActions place={place} hook={hook} onDeleted={onClose} />}
    >
      <section>
        <h3 className="h4">{HOOK_PANEL.about}</h3>
        <KeyValues termWidth={88} items={aboutItems(hook)} />
      </section>
      <section>
        <h3 className="h4">{HOOK_PANEL.deliveries}</h3>
        <HookDeliveries place={place} hook={hook} search={search} />
      </section>
    </SidePanel>
  );
}

function aboutItems({ config, events, created_at: created }: HostHook): [string, ReactNode][] {
  return [
    [
      HOOK_PANEL.events,
      events.includes(EVERY_EVENT) ? (
        HOOKS.everything
      ) : (
        <span key="events" className="row row--4 row--wrap">
          {events.map((name) => (
            <Tag key={name}>{name}</Tag>
          ))}
        </span>
      ),
    ],
    [HOOK_PANEL.format, HOOK_PANEL.formats[config.content_type]],
    [HOOK_PANEL.signature, config.secret === undefined ? HOOK_PANEL.unsigned : HOOK_PANEL.signed],
    ...(config.insecure_ssl === '1'
      ? [[HOOK_PANEL.certificate, HOOK_PANEL.anyCertificate] as [string, string]]
      : []),
    [HOOK_PANEL.created, <Time key="created" at={created} />],
  ];
}

interface HookActionsProps {
  place: HookPlace;
  hook: HostHook;
  onDeleted: () => void;
}

function HookActions({ place, hook, onDeleted }: HookActionsProps) {
  const [act, setAct] = useState<'edit' | 'delete'>();
  const repository = 'org' in place ? undefined : place;
  const ping = useChange<void>(() => pingCall(place, hook.id), HOOK_TOPICS);
  const test = useChange<void>(() => testPushCall(repository!, hook.id), HOOK_TOPICS);
  const remove = useChange<void>(() => deleteHookCall(place, hook.id), HOOK_TOPICS);
  const close = () => setAct(undefined);
  const asksForPushes = hook.events.includes('push') || hook.events.includes(EVERY_EVENT);
  const send = (one: typeof ping, other: typeof ping) => {
    other.reset();
    one.mutate();
  };
  useKeys({ e: () => setAct('edit') });
  return (
    <>
      <Button icon="bolt" isBusy={ping.isPending} onClick={() => send(ping, test)}>
        {HOOK_PANEL.ping}
      </Button>
      {repository !== undefined && (
        <Button
          isBusy={test.isPending}
          disabledReason={asksForPushes ? undefined : HOOK_PANEL.noPushes}
          onClick={() => send(test, ping)}
        >
          {HOOK_PANEL.test}
        </Button>
      )}
      <Button icon="pen" keys="e" onClick={() => setAct('edit')}>
        {HOOK_PANEL.edit}
      </Button>
      <Button tone="danger" icon="trash" onClick={() => setAct('delete')}>
        {HOOK_PANEL.delete}
      </Button>
      <div role="status" className="t13">
        {ping.isSuccess && <Status tone="ok">{HOOK_PANEL.pinged}</Status>}
        {test.isSuccess && <Status tone="ok">{HOOK_PANEL.tested}</Status>}
      </div>
      <ChangeError error={ping.error ?? test.error} />
      {act === 'edit' && <HookDialog place={place} hook={hook} onClose={close} onSaved={close} />}
      {act === 'delete' && (
        <ConfirmDialog
          title={HOOK_PANEL.deleteTitle}
          tone="danger"
          confirmLabel={HOOK_PANEL.deleteConfirm}
          isBusy={remove.isPending}
          error={remove.error ?? undefined}
          onClose={close}
          onConfirm={() =>
            remove.mutate(undefined, {
              onSuccess: () => {
                onDeleted();
                toast({ text: HOOK_PANEL.deleted });
              },
            })
          }
        >
          <p>{HOOK_PANEL.deleteText}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
