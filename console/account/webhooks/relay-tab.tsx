// Keys of Relay Proxies: each serves the environments that its policy names.
import { useState } from 'react';
import { useMay } from '../../app/me.ts';
import { ListFoot } from '../../lib/list-foot.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { SecretOnce } from '../../lib/secret-once.tsx';
import { Button } from '../../ui/button.tsx';
import { Menu } from '../../ui/menu.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { DeleteRelayDialog, RelayDialog, ResetRelayDialog } from './relay-dialogs.tsx';
import { useRelayConfigs, type RelayConfig } from './webhooks-queries.ts';
import { HOOKS, RELAY } from './webhooks-words.ts';

type RelayAct = { kind: 'new' } | { kind: 'edit' | 'reset' | 'delete'; config: RelayConfig };

const CREATING = { action: 'createRelayAutoConfiguration', resource: 'relay-proxy-config/*' };

export function RelayTab() {
  const { data, error, isPending, refetch } = useRelayConfigs();
  const [act, setAct] = useState<RelayAct>();
  const [secret, setSecret] = useState<RelayConfig>();
  const may = useMay([CREATING]);
  const close = () => setAct(undefined);
  const show = (config: RelayConfig) => {
    close();
    setSecret(config);
  };
  const rows = data?.items ?? [];
  return (
    <div className="stack hook-filters">
      <div className="row row--wrap">
        <p className="grow muted t13">{RELAY.text}</p>
        <Button
          tone="primary"
          icon="plus"
          disabledReason={may?.[0] === false ? HOOKS.mayNot(CREATING.action) : undefined}
          onClick={() => setAct({ kind: 'new' })}
        >
          {RELAY.create}
        </Button>
      </div>
      {error !== null && data === undefined ? (
        <ReadProblem error={error} onRetry={() => void refetch()} />
      ) : (
        <Table
          label={RELAY.table}
          columns={columnsOf(setAct)}
          rows={rows}
          rowKey={({ _id }) => _id}
          isLoading={isPending}
          emptyState={<EmptyState icon="link" title={RELAY.empty.title} text={RELAY.empty.text} />}
          footer={<ListFoot list={{ rows }} nouns={RELAY.nouns} />}
        />
      )}
      {act?.kind === 'new' && <RelayDialog onClose={close} onMade={show} />}
      {act?.kind === 'edit' && <RelayDialog config={act.config} onClose={close} onMade={close} />}
      {act?.kind === 'reset' && <ResetRelayDialog config={act.config} onClose={close} onMade={show} />}
      {act?.kind === 'delete' && <DeleteRelayDialog config={act.config} onClose={close} />}
      {secret !== undefined && (
        <SecretOnce
          title={RELAY.keyTitle(secret.name)}
          label={RELAY.keyLabel}
          secret={secret.fullKey}
          onClose={() => setSecret(undefined)}
        />
      )}
    </div>
  );
}

function columnsOf(onAct: (act: RelayAct) => void): TableColumn<RelayConfig>[] {
  return [
    { id: 'name', head: RELAY.columns.name, isMain: true, cell: ({ name }) => <b>{name}</b> },
    {
      id: 'key',
      head: RELAY.columns.key,
      cell: ({ displayKey }) => <span className="mono t12">{RELAY.ending(displayKey)}</span>,
    },
    {
      id: 'policy',
      head: RELAY.columns.policy,
      cell: ({ policy }) => (
        <span className="mono t12 hook-url">
          {policy
            .flatMap(({ resources = [], notResources = [] }) => [...resources, ...notResources])
            .join(', ')}
        </span>
      ),
    },
    {
      id: 'modified',
      head: RELAY.columns.modified,
      priority: 'low',
      cell: ({ lastModified }) => <Time at={lastModified} />,
    },
    {
      id: 'actions',
      head: RELAY.columns.actions,
      isEnd: true,
      cell: (config) => (
        <Menu
          trigger={<Button tone="ghost" size="xs" icon="dots" label={RELAY.actionsOf(config.name)} />}
          items={[
            { label: RELAY.edit, icon: 'pen', onSelect: () => onAct({ kind: 'edit', config }) },
            { label: RELAY.reset, icon: 'redo', onSelect: () => onAct({ kind: 'reset', config }) },
            {
              label: RELAY.delete,
              icon: 'trash',
              tone: 'danger',
              hasLine: true,
              onSelect: () => onAct({ kind: 'delete', config }),
            },
          ]}
        />
      ),
    },
  ];
}
