// A list of webhooks, and one of them beside it.
import { useMemo } from 'react';
import { useChange } from '../../api/read.ts';
import { ListFoot } from '../../lib/list-foot.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import type { SearchState } from '../../lib/search-state.ts';
import { Button } from '../../ui/button.tsx';
import { Switch } from '../../ui/choice.tsx';
import { classNames } from '../../ui/class-names.ts';
import { Section } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { toast } from '../../ui/toast-store.ts';
import { HookDialog } from './hook-dialog.tsx';
import { EVERY_EVENT } from './hook-draft.ts';
import { HookPanel } from './hook-panel.tsx';
import { HOOK_TOPICS, switchHookCall, useHostHooks, type HookPlace, type HostHook } from './hooks-queries.ts';
import { HOOKS } from './hooks-words.ts';
import '../../styles/repository-settings.css';

export function HookList({ place, search }: { place: HookPlace; search: SearchState }) {
  const list = useHostHooks(place);
  const rows = list.rows ?? [];
  const columns = useMemo(() => columnsOf(place), [place]);
  const open = Number(search.get('hook') ?? Number.NaN);
  const isOpen = Number.isSafeInteger(open) && open > 0;
  const show = (id: number | undefined) =>
    search.set({
      new: undefined,
      hook: id === undefined ? undefined : String(id),
      delivery: undefined,
      outcome: undefined,
    });
  return (
    <div className={classNames(isOpen && 'cols cols--panel')}>
      <Section
        title={HOOKS.title}
        actions={
          <Button tone="primary" icon="plus" keys="c" onClick={() => search.set({ new: '1' })}>
            {HOOKS.create}
          </Button>
        }
      >
        <div className="stack">
          <p className="t13 muted">{'org' in place ? HOOKS.orgText : HOOKS.text}</p>
          {list.error !== null ? (
            <ReadProblem error={list.error} onRetry={list.retry} />
          ) : (
            <Table
              label={HOOKS.title}
              columns={isOpen ? columns.filter(({ id }) => id !== 'events') : columns}
              rows={rows}
              rowKey={({ id }) => String(id)}
              rowHref={({ id }) =>
                search.href({ hook: String(id), new: undefined, delivery: undefined, outcome: undefined })
              }
              isLoading={list.rows === undefined}
              emptyState={<EmptyState icon="hook" title={HOOKS.empty.title} text={HOOKS.empty.text} />}
              footer={<ListFoot list={{ ...list, rows }} nouns={HOOKS.nouns} />}
            />
          )}
        </div>
      </Section>
      {isOpen && (
        <HookPanel key={open} place={place} id={open} search={search} onClose={() => show(undefined)} />
      )}
      {search.get('new') !== undefined && (
        <HookDialog place={place} onClose={() => search.set({ new: undefined })} onSaved={show} />
      )}
    </div>
  );
}

function columnsOf(place: HookPlace): TableColumn<HostHook>[] {
  return [
    {
      id: 'address',
      head: HOOKS.address,
      isMain: true,
      cell: ({ config }) => <span className="mono t12 rset__word">{config.url}</span>,
    },
    {
      id: 'events',
      head: HOOKS.events,
      priority: 'mid',
      cell: ({ events }) => <span className="t13">{eventWords(events)}</span>,
    },
    { id: 'state', head: HOOKS.state, cell: (hook) => <HookSwitch place={place} hook={hook} /> },
    // The API says it of those of repositories.
    ...('org' in place
      ? []
      : [
          {
            id: 'last',
            head: HOOKS.last,
            cell: ({ last_response: last }: HostHook) => last && <LastResponse last={last} />,
          },
        ]),
  ];
}

const FEW = 2;

function eventWords(events: readonly string[]): string {
  if (events.includes(EVERY_EVENT)) return HOOKS.everything;
  return events.length > FEW ? HOOKS.manyEvents(events.length) : events.join(', ');
}

function LastResponse({ last: { code, message } }: { last: NonNullable<HostHook['last_response']> }) {
  if (code === null && message === null) return <span className="muted t13">{HOOKS.never}</span>;
  const isGood = code !== null && code >= 200 && code < 300;
  const hasAnswer = code !== null && code !== 0;
  return <Status tone={isGood ? 'ok' : 'bad'}>{hasAnswer ? HOOKS.status(code) : HOOKS.noAnswer}</Status>;
}

function HookSwitch({ place, hook }: { place: HookPlace; hook: HostHook }) {
  const change = useChange<boolean>((isOn) => switchHookCall(place, hook.id, isOn), HOOK_TOPICS);
  return (
    <Switch
      isOn={change.isPending ? change.variables : hook.active}
      label={HOOKS.switchOf(hook.config.url)}
      onChange={(isOn) =>
        change.mutate(isOn, { onError: ({ message }) => toast({ text: message, tone: 'bad' }) })
      }
    />
  );
}
