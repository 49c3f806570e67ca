// One webhook or integration beside the list: what it receives, a test, and its deliveries.
import '../../styles/token-pages.css';
import { useState } from 'react';
import { useChange } from '../../api/read.ts';
import type { FlagWebhook } from '../../api/types/signalbox.ts';
import { useMay } from '../../app/me.ts';
import { ChangeError } from '../../ui/change-error.tsx';
import type { SearchState } from '../../lib/search-state.ts';
import { SidePanel } from '../../lib/side-panel.tsx';
import { Button } from '../../ui/button.tsx';
import { KeyValues } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { useKeys } from '../../ui/keys.ts';
import { Status, Tag } from '../../ui/status.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast-store.ts';
import { StatementList } from '../policy/statement-list.tsx';
import { HookDeliveries } from './hook-deliveries.tsx';
import { IntegrationDialog } from './integration-dialog.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';
import { CHANGED, hookPath, testCall } from './webhooks-queries.ts';
import { HOOKS, PANEL } from './webhooks-words.ts';

export interface HookPanelProps {
  /** Undefined where it is not there. */
  hook: FlagWebhook | undefined;
  search: SearchState;
  onClose: () => void;
}

export function HookPanel({ hook, search, onClose }: HookPanelProps) {
  if (hook === undefined)
    return (
      <SidePanel title={HOOKS.title} onClose={onClose}>
        <section>{PANEL.gone}</section>
      </SidePanel>
    );
  const name = hook.name === '' ? HOOKS.unnamed : hook.name;
  return (
    <SidePanel
      title={name}
      text={hook.integration}
      onClose={onClose}
      footer={<HookActions hook={hook} name={name} onDeleted={onClose} />}
    >
      <section>
        <h3 className="h4">{PANEL.about}</h3>
        <About hook={hook} />
      </section>
      <section>
        <h3 className="h4">{PANEL.deliveries}</h3>
        <HookDeliveries hook={hook} search={search} />
      </section>
    </SidePanel>
  );
}

function About({ hook }: { hook: FlagWebhook }) {
  const { url, config = {}, isSigned, statements, tags, createdAt, kind } = hook;
  const text = (value: string) => <span className="hook-url">{value}</span>;
  return (
    <div className="stack stack--8">
      <KeyValues
        termWidth={88}
        items={[
          ...(url === undefined ? [] : [[PANEL.url, text(url)] as [string, React.ReactNode]]),
          ...Object.entries(config).map(
            ([name, value]) => [name, text(String(value))] as [string, React.ReactNode],
          ),
          ...(kind === 'webhook'
            ? [[PANEL.signed, isSigned ? PANEL.isSigned : PANEL.notSigned] as [string, string]]
            : []),
          [PANEL.receives, statements.length === 0 ? PANEL.everything : PANEL.byPolicy(statements.length)],
          [PANEL.created, <Time key="created" at={createdAt} />],
          ...(tags.length === 0
            ? []
            : [
                [
                  PANEL.tags,
                  <span key="tags" className="row row--4 row--wrap">
                    {tags.map((tag) => (
                      <Tag key={tag}>{tag}</Tag>
                    ))}
                  </span>,
                ] as [string, React.ReactNode],
              ]),
        ]}
      />
      {statements.length > 0 && <StatementList statements={statements} />}
    </div>
  );
}

interface HookActionsProps {
  hook: FlagWebhook;
  name: string;
  onDeleted: () => void;
}

function HookActions({ hook, name, onDeleted }: HookActionsProps) {
  const [act, setAct] = useState<'edit' | 'delete'>();
  const { resource, kind } = hook;
  const questions = [
    { action: 'updateOn', resource },
    { action: kind === 'webhook' ? 'updateUrl' : 'updateConfiguration', resource },
    { action: kind === 'webhook' ? 'deleteWebhook' : 'deleteIntegration', resource },
  ];
  const may = useMay(questions);
  const reasonOf = (index: number) =>
    may?.[index] === false ? HOOKS.mayNot(questions[index]!.action) : undefined;
  const test = useChange<string>(testCall, CHANGED);
  const remove = useChange<FlagWebhook>(
    (one) => ({ api: 'flags', method: 'DELETE', path: hookPath(one) }),
    CHANGED,
  );
  const close = () => setAct(undefined);
  useKeys({ e: () => setAct('edit') }, { isOn: may?.[1] === true });
  return (
    <>
      <Button
        icon="bolt"
        isBusy={test.isPending}
        disabledReason={reasonOf(0) ?? (hook.isOn ? undefined : PANEL.offNow)}
        onClick={() => test.mutate(hook.id)}
      >
        {PANEL.test}
      </Button>
      <Button icon="pen" keys="e" disabledReason={reasonOf(1)} onClick={() => setAct('edit')}>
        {PANEL.edit}
      </Button>
      <Button tone="danger" icon="trash" disabledReason={reasonOf(2)} onClick={() => setAct('delete')}>
        {PANEL.delete}
      </Button>
      <div role="status" className="t13 hook-note">
        {test.isSuccess && <Status tone="ok">{PANEL.tested}</Status>}
      </div>
      <ChangeError error={test.error} />
      {act === 'edit' && kind === 'webhook' && <WebhookDialog hook={hook} onClose={close} onSaved={close} />}
      {act === 'edit' && kind === 'integration' && (
        <IntegrationDialog hook={hook} onClose={close} onSaved={close} />
      )}
      {act === 'delete' && (
        <ConfirmDialog
          title={PANEL.deleteTitle(name)}
          tone="danger"
          confirmLabel={PANEL.deleteConfirm}
          isBusy={remove.isPending}
          error={remove.error ?? undefined}
          onClose={close}
          onConfirm={() =>
            remove.mutate(hook, {
              onSuccess: () => {
                onDeleted();
                toast({ text: PANEL.deleted(name) });
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
