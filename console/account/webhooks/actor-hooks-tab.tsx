// Webhooks of Actors, tasks and runs; one of them beside the list.
import { useMay } from '../../app/me.ts';
import { ListFoot } from '../../lib/list-foot.tsx';
import { NewRows } from '../../lib/new-rows.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import type { SearchState } from '../../lib/search-state.ts';
import { useChange } from '../../api/read.ts';
import { Button } from '../../ui/button.tsx';
import { Switch } from '../../ui/choice.tsx';
import { classNames } from '../../ui/class-names.ts';
import { formatCount } from '../../ui/format.ts';
import { useKeys } from '../../ui/keys.ts';
import { EmptyState } from '../../ui/states.tsx';
import { Badge, Status, type StatusTone } from '../../ui/status.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast-store.ts';
import { ActorHookDialog } from './actor-hook-dialog.tsx';
import { ActorHookPanel } from './actor-hook-panel.tsx';
import {
  ACTOR_HOOKS_CHANGED,
  actorHookPatch,
  shownUrl,
  useActorHooks,
  type ActorHook,
} from './actor-hook-queries.ts';
import { ActorHookTarget } from './actor-hook-target.tsx';
import { ACTOR_HOOKS } from './actor-hook-words.ts';

export function CreateActorHook({ search }: { search: SearchState }) {
  const [may] = useMay([{ action: 'createWebhook', resource: 'actor-webhook/*' }]) ?? [];
  useKeys({ c: () => search.set({ new: 'webhook' }) }, { isOn: may !== false });
  return (
    <>
      <Button
        tone="primary"
        icon="plus"
        keys="c"
        disabledReason={may === false ? ACTOR_HOOKS.mayNotCreate : undefined}
        onClick={() => search.set({ new: 'webhook' })}
      >
        {ACTOR_HOOKS.create}
      </Button>
      {search.get('new') === 'webhook' && may === true && (
        <ActorHookDialog
          onClose={() => search.set({ new: undefined })}
          onSaved={(id) => search.set({ new: undefined, hook: id })}
        />
      )}
    </>
  );
}

const TONES: Readonly<Record<string, StatusTone>> = { ACTIVE: 'warn', SUCCEEDED: 'ok', FAILED: 'bad' };

const COLUMNS: TableColumn<ActorHook>[] = [
  {
    id: 'to',
    head: ACTOR_HOOKS.columns.to,
    isMain: true,
    cell: ({ requestUrl, isAdHoc }) => (
      <span className="row row--wrap">
        <span className="mono t12 hook-url">{shownUrl(requestUrl)}</span>
        {isAdHoc && <Badge>{ACTOR_HOOKS.isAdHoc}</Badge>}
      </span>
    ),
  },
  {
    id: 'of',
    head: ACTOR_HOOKS.columns.of,
    cell: ({ condition }) => <ActorHookTarget condition={condition} />,
  },
  {
    id: 'events',
    head: ACTOR_HOOKS.columns.events,
    priority: 'mid',
    cell: ({ eventTypes }) => <span className="t12 muted">{eventTypes.join(', ')}</span>,
  },
  { id: 'state', head: ACTOR_HOOKS.columns.state, cell: (hook) => <ActorHookSwitch hook={hook} /> },
  { id: 'last', head: ACTOR_HOOKS.columns.last, cell: (hook) => <LastDispatch hook={hook} /> },
];

function ActorHookSwitch({ hook }: { hook: ActorHook }) {
  const change = useChange<boolean>(
    (isEnabled) => actorHookPatch(hook.id, { isEnabled }),
    ACTOR_HOOKS_CHANGED,
  );
  return (
    <Switch
      isOn={change.isPending ? change.variables : hook.isEnabled}
      label={ACTOR_HOOKS.switchOf(shownUrl(hook.requestUrl))}
      onChange={(isOn) =>
        change.mutate(isOn, { onError: ({ message }) => toast({ text: message, tone: 'bad' }) })
      }
    />
  );
}

function LastDispatch({ hook: { lastDispatch } }: { hook: ActorHook }) {
  if (lastDispatch === undefined || lastDispatch === null)
    return <span className="muted">{ACTOR_HOOKS.never}</span>;
  const { status, finishedAt } = lastDispatch;
  return (
    <span className="row row--4 row--wrap">
      <Status tone={TONES[status] ?? 'neutral'}>{ACTOR_HOOKS.outcomes[status] ?? status}</Status>
      {finishedAt && (
        <span className="muted t12">
          <Time at={finishedAt} />
        </span>
      )}
    </span>
  );
}

export function ActorHooksTab({ search }: { search: SearchState }) {
  const list = useActorHooks();
  const open = search.get('hook');
  if (list.error !== null) return <ReadProblem error={list.error} onRetry={list.retry} />;
  return (
    <div className="hook-filters">
      {list.newCount > 0 && <NewRows count={formatCount(list.newCount)} onShow={list.showNew} />}
      <div className={classNames(open !== undefined && 'cols cols--panel')}>
        <Table
          label={ACTOR_HOOKS.table}
          columns={open === undefined ? COLUMNS : COLUMNS.filter(({ id }) => id !== 'events' && id !== 'of')}
          rows={list.rows}
          rowKey={({ id }) => id}
          rowHref={({ id }) => search.href({ hook: id, delivery: undefined, outcome: undefined })}
          isLoading={list.isLoading}
          rowCount={list.total}
          emptyState={
            <EmptyState icon="hook" title={ACTOR_HOOKS.empty.title} text={ACTOR_HOOKS.empty.text} />
          }
          footer={<ListFoot list={list} nouns={ACTOR_HOOKS.nouns} />}
        />
        {open !== undefined && (
          <ActorHookPanel
            key={open}
            id={open}
            search={search}
            onClose={() => search.set({ hook: undefined, delivery: undefined, outcome: undefined })}
          />
        )}
      </div>
    </div>
  );
}
