// Webhooks and integrations that receive changes of flags, webhooks of Actors, their deliveries, and the keys of Relay Proxies.
import type { FlagWebhook } from '../../api/types/signalbox.ts';
import '../../styles/webhooks.css';
import { useMay } from '../../app/me.ts';
import { usePageInfo } from '../../app/page-info.ts';
import { ListFoot, NoMatch } from '../../lib/list-foot.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState, useTypedFilter, type SearchState } from '../../lib/search-state.ts';
import { Button } from '../../ui/button.tsx';
import { Chips } from '../../ui/chips.tsx';
import { classNames } from '../../ui/class-names.ts';
import { FilterInput } from '../../ui/input.tsx';
import { useKeys } from '../../ui/keys.ts';
import { Menu } from '../../ui/menu.tsx';
import { PageHead } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Badge, Status } from '../../ui/status.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Time } from '../../ui/time.tsx';
import { ACTOR_HOOKS } from './actor-hook-words.ts';
import { ActorHooksTab, CreateActorHook } from './actor-hooks-tab.tsx';
import { HookPanel } from './hook-panel.tsx';
import { HookSwitch } from './hook-switch.tsx';
import { IntegrationDialog } from './integration-dialog.tsx';
import { outcomeTone } from './outcome.ts';
import { RelayTab } from './relay-tab.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';
import { useHooks } from './webhooks-queries.ts';
import { FORM, HOOKS } from './webhooks-words.ts';

const PAGE = '/account/webhooks';

export default function WebhooksPage() {
  usePageInfo([{ label: HOOKS.account }, { label: HOOKS.title }]);
  const search = useSearchState(PAGE);
  const tab = (['actors', 'relay'] as const).find((one) => one === search.get('tab'));
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead
        title={HOOKS.title}
        meta={tab === 'actors' ? ACTOR_HOOKS.text : HOOKS.text}
        actions={
          tab === undefined ? (
            <CreateMenu search={search} />
          ) : tab === 'actors' ? (
            <CreateActorHook search={search} />
          ) : undefined
        }
      />
      <Tabs
        label={HOOKS.tabsLabel}
        items={[
          { label: HOOKS.tabs.hooks, href: PAGE, isCurrent: tab === undefined },
          { label: HOOKS.tabs.actors, href: `${PAGE}?tab=actors`, isCurrent: tab === 'actors' },
          { label: HOOKS.tabs.relay, href: `${PAGE}?tab=relay`, isCurrent: tab === 'relay' },
        ]}
      />
      {tab === 'relay' && <RelayTab />}
      {tab === 'actors' && <ActorHooksTab search={search} />}
      {tab === undefined && <Hooks search={search} />}
    </main>
  );
}

const CREATING = [
  { action: 'createWebhook', resource: 'webhook/*' },
  { action: 'createIntegration', resource: 'integration/*' },
] as const;

function CreateMenu({ search }: { search: SearchState }) {
  const [mayHook, mayIntegrate] = useMay(CREATING) ?? [];
  useKeys({ c: () => search.set({ new: 'webhook' }) }, { isOn: mayHook !== false });
  const isNever = mayHook === false && mayIntegrate === false;
  const close = () => search.set({ new: undefined });
  const open = (id: string) => search.set({ new: undefined, hook: id });
  const act = search.get('new');
  return (
    <>
      <Menu
        trigger={
          <Button
            tone="primary"
            icon="plus"
            hasCaret
            disabledReason={isNever ? HOOKS.mayNotCreate : undefined}
          >
            {HOOKS.create}
          </Button>
        }
        items={[
          {
            label: HOOKS.newWebhook,
            icon: 'hook',
            disabledReason: mayHook === false ? HOOKS.mayNot('createWebhook') : undefined,
            onSelect: () => search.set({ new: 'webhook' }),
          },
          {
            label: HOOKS.newIntegration,
            icon: 'link',
            disabledReason: mayIntegrate === false ? HOOKS.mayNot('createIntegration') : undefined,
            onSelect: () => search.set({ new: 'integration' }),
          },
        ]}
      />
      {act === 'webhook' && mayHook === true && <WebhookDialog onClose={close} onSaved={open} />}
      {act === 'integration' && mayIntegrate === true && <IntegrationDialog onClose={close} onSaved={open} />}
    </>
  );
}

const columnsOf = (maySwitch: (hook: FlagWebhook) => boolean | undefined): TableColumn<FlagWebhook>[] => [
  {
    id: 'name',
    head: HOOKS.columns.name,
    isMain: true,
    cell: ({ name, integration }) => (
      <span className="row">
        <span className="hook-name">{name === '' ? HOOKS.unnamed : name}</span>
        {integration !== undefined && <Badge>{integration}</Badge>}
      </span>
    ),
  },
  {
    id: 'to',
    head: HOOKS.columns.to,
    priority: 'mid',
    cell: (hook) => <span className="mono t12 hook-url">{addressOf(hook)}</span>,
  },
  {
    id: 'state',
    head: HOOKS.columns.state,
    cell: (hook) => <HookSwitch hook={hook} may={maySwitch(hook)} />,
  },
  { id: 'last', head: HOOKS.columns.last, cell: (hook) => <LastOutcome hook={hook} /> },
];

/** Of an integration, the setting that names its address. */
function addressOf({ url, config = {} }: FlagWebhook): string {
  return url ?? String(Object.values(config).find((value) => /^https?:/.test(String(value))) ?? '');
}

function LastOutcome({ hook: { lastDelivery } }: { hook: FlagWebhook }) {
  if (lastDelivery === undefined) return <span className="muted">{HOOKS.never}</span>;
  const { state, at } = lastDelivery;
  return (
    <span className="row row--4 row--wrap">
      <Status tone={outcomeTone(state, true)}>{HOOKS.outcomes[state]}</Status>
      <span className="muted t12">
        <Time at={at} />
      </span>
    </span>
  );
}

const isFailing = ({ lastDelivery }: FlagWebhook) =>
  lastDelivery !== undefined && lastDelivery.state !== 'delivered';

/** One question for each resource: all subscriptions of an integration have the same. */
const MOST_ASKED = 100;

function useMaySwitch(hooks: readonly FlagWebhook[]): (hook: FlagWebhook) => boolean | undefined {
  const resources = [...new Set(hooks.map(({ resource }) => resource))].slice(0, MOST_ASKED);
  const may = useMay(resources.map((resource) => ({ action: 'updateOn', resource })));
  return ({ resource }) => may?.[resources.indexOf(resource)];
}

function Hooks({ search }: { search: SearchState }) {
  const [typed, setTyped] = useTypedFilter(search);
  const { data, error, isPending, refetch } = useHooks();
  const all = data?.items ?? [];
  const words = (search.get('q') ?? '').toLowerCase();
  const quick = search.get('state');
  const rows = all.filter(
    (hook) =>
      [hook.name, hook.id, addressOf(hook), hook.integration ?? ''].some((text) =>
        text.toLowerCase().includes(words),
      ) &&
      (quick !== 'failing' || isFailing(hook)) &&
      (quick !== 'off' || !hook.isOn),
  );
  const open = search.get('hook');
  const [mayHook] = useMay(CREATING) ?? [];
  const columns = columnsOf(useMaySwitch(all));
  const toggle = (name: string) => search.set({ state: quick === name ? undefined : name });
  const clear = () => {
    setTyped('');
    search.set({ q: undefined, state: undefined });
  };
  return (
    <>
      <div className="stack hook-filters">
        <FilterInput value={typed} onChange={setTyped} label={HOOKS.filter} />
        <Chips
          label={HOOKS.quick}
          items={[
            {
              label: HOOKS.failing,
              count: all.filter(isFailing).length,
              isOn: quick === 'failing',
              onToggle: () => toggle('failing'),
            },
            { label: HOOKS.off, isOn: quick === 'off', onToggle: () => toggle('off') },
          ]}
        />
      </div>
      <div className={classNames(open !== undefined && 'cols cols--panel')}>
        {error !== null && data === undefined ? (
          <ReadProblem error={error} onRetry={() => void refetch()} />
        ) : (
          <Table
            label={HOOKS.table}
            columns={open === undefined ? columns : columns.filter(({ id }) => id !== 'to')}
            rows={rows}
            rowKey={({ id }) => id}
            rowHref={({ id }) => search.href({ hook: id, delivery: undefined, outcome: undefined })}
            isLoading={isPending}
            emptyState={
              all.length > 0 ? (
                <NoMatch words={HOOKS.noMatch} onClear={clear} />
              ) : (
                <EmptyState
                  icon="hook"
                  title={HOOKS.empty.title}
                  text={HOOKS.empty.text}
                  action={
                    mayHook === true && (
                      <Button tone="primary" icon="plus" onClick={() => search.set({ new: 'webhook' })}>
                        {FORM.newWebhook}
                      </Button>
                    )
                  }
                />
              )
            }
            footer={<ListFoot list={{ rows }} nouns={HOOKS.nouns} />}
          />
        )}
        {open !== undefined && data !== undefined && (
          <HookPanel
            key={open}
            hook={all.find(({ id }) => id === open)}
            search={search}
            onClose={() => search.set({ hook: undefined, delivery: undefined, outcome: undefined })}
          />
        )}
      </div>
    </>
  );
}
