// The code-scanning alerts of a repository. The filters stand in the address.
import { useState } from 'react';
import { fitsWords } from '../../lib/fits-words.ts';
import { ListFoot, NoMatch } from '../../lib/list-foot.tsx';
import { NewRows } from '../../lib/new-rows.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState, useTypedFilter, type SearchState } from '../../lib/search-state.ts';
import { Button } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { FilterInput, SelectInput } from '../../ui/input.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { SelectionBar, Table, type TableColumn } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import type { RepositoryPlace } from '../place.ts';
import type { Repository } from '../repository.ts';
import {
  alertHref,
  locationText,
  securityHref,
  SEVERITIES,
  severityOf,
  shortRef,
  type Alert,
} from './alert.ts';
import { AlertStateMark, SeverityBadge, StateAndSeverity, stateIn } from './alert-parts.tsx';
import { DismissDialog } from './dismiss-dialog.tsx';
import { SecurityFrame, UploadButton, uploadCommand } from './security-frame.tsx';
import { useAlerts, useNewestAnalyses } from './security-queries.ts';
import { SECURITY } from './security-words.ts';
import '../../styles/lists.css';

export default function AlertsPage() {
  return (
    <SecurityFrame view="alerts">
      {(repository, place) => <Alerts key={repository.full_name} place={place} repository={repository} />}
    </SecurityFrame>
  );
}

interface AlertsProps {
  place: RepositoryPlace;
  repository: Repository;
}

function Alerts({ place, repository }: AlertsProps) {
  const search = useSearchState(securityHref(place));
  const state = stateIn(search);
  const severity = SEVERITIES.find((one) => one === search.get('severity'));
  const [typed, setTyped] = useTypedFilter(search);
  const words = search.get('q');
  const list = useAlerts(place, {
    state: state === 'all' ? undefined : state,
    severity,
    tool: search.get('tool'),
    ref: search.get('ref'),
  });
  const [selected, setSelected] = useState(new Set<string>());
  const [isDismissing, setDismissing] = useState(false);
  const mayChange = !repository.archived;
  // The API has no filter by rule or text for this list.
  const rows = list.rows.filter((alert) => fitsWords(textOf(alert), words));
  const chosen = rows.filter(({ number, state: its }) => selected.has(String(number)) && its === 'open');
  return (
    <>
      <AlertFilters place={place} repository={repository} search={search} />
      <div className="row row--wrap list-bar">
        <div className="grow">
          <FilterInput
            value={typed}
            onChange={setTyped}
            label={SECURITY.filter}
            placeholder={SECURITY.placeholder}
          />
        </div>
        <UploadButton place={place} />
      </div>
      {list.newCount > 0 && <NewRows count={formatCount(list.newCount)} onShow={list.showNew} />}
      {list.error !== null ? (
        <ReadProblem error={list.error} onRetry={list.retry} />
      ) : (
        <Table
          label={SECURITY.views.alerts}
          columns={COLUMNS}
          rows={rows}
          rowKey={({ number }) => String(number)}
          rowLabel={({ rule }) => rule.description}
          rowHref={({ number }) => alertHref(place, number)}
          selection={mayChange && rows.length > 0 ? { selected, onChange: setSelected } : undefined}
          isLoading={list.isLoading}
          emptyState={
            words === undefined ? (
              <NothingFound place={place} search={search} />
            ) : (
              <NoMatch
                words={
                  list.hasMore ? { ...SECURITY.noMatch, clear: SECURITY.noMatch.more } : SECURITY.noMatch
                }
                onClear={list.hasMore ? list.readMore : () => setTyped('')}
              />
            )
          }
          footer={
            <>
              {words !== undefined && (
                <span>{SECURITY.matching(formatCount(rows.length), formatCount(list.rows.length))}</span>
              )}
              <ListFoot list={list} nouns={SECURITY.nouns} />
            </>
          }
        />
      )}
      <SelectionBar count={chosen.length} onClear={() => setSelected(new Set())}>
        <Button size="sm" onClick={() => setDismissing(true)}>
          {SECURITY.dismiss}
        </Button>
      </SelectionBar>
      {isDismissing && (
        <DismissDialog
          place={place}
          numbers={chosen.map(({ number }) => number)}
          onDone={(failed) => setSelected(new Set(failed.map(String)))}
          onClose={() => setDismissing(false)}
        />
      )}
    </>
  );
}

function textOf({ rule, most_recent_instance: instance }: Alert): string {
  return [rule.id, rule.name, rule.description, instance.message.text, instance.location.path].join(' ');
}

interface AlertFiltersProps extends AlertsProps {
  search: SearchState;
}

function AlertFilters({ place, repository, search }: AlertFiltersProps) {
  const { data: analyses = [] } = useNewestAnalyses(place);
  const tools = distinct([search.get('tool'), ...analyses.map(({ tool }) => tool.name)]);
  const own = `refs/heads/${repository.default_branch}`;
  const refs = distinct([search.get('ref'), ...analyses.map(({ ref }) => ref)]).filter((ref) => ref !== own);
  return (
    <div className="row row--wrap list-bar alert-filters">
      <StateAndSeverity search={search} />
      {tools.length > 0 && (
        <SelectInput
          controlSize="sm"
          aria-label={SECURITY.tool}
          value={search.get('tool') ?? ''}
          onValue={(tool) => search.set({ tool })}
          options={[
            { value: '', label: SECURITY.anyTool },
            ...tools.map((value) => ({ value, label: value })),
          ]}
        />
      )}
      {refs.length > 0 && (
        <SelectInput
          controlSize="sm"
          aria-label={SECURITY.ref}
          value={search.get('ref') ?? ''}
          onValue={(ref) => search.set({ ref })}
          options={[
            { value: '', label: SECURITY.defaultRef(repository.default_branch) },
            ...refs.map((value) => ({ value, label: shortRef(value) })),
          ]}
        />
      )}
    </div>
  );
}

function distinct(values: readonly (string | undefined)[]): string[] {
  return [...new Set(values.filter((value) => value !== undefined))].sort();
}

/** Either nothing was ever reported, or the filters fit nothing. */
function NothingFound({ place, search }: { place: RepositoryPlace; search: SearchState }) {
  const { data: analyses } = useNewestAnalyses(place);
  if (analyses?.length === 0)
    return (
      <EmptyState
        icon="shield"
        title={SECURITY.none.title}
        text={SECURITY.none.text}
        command={uploadCommand(place)}
      />
    );
  const isFiltered = ['state', 'severity', 'tool', 'ref'].some((name) => search.get(name) !== undefined);
  return (
    <EmptyState
      icon="shield"
      tone="ok"
      title={SECURITY.empty.title}
      action={
        isFiltered ? (
          <Button
            onClick={() =>
              search.set({ state: undefined, severity: undefined, tool: undefined, ref: undefined })
            }
          >
            {SECURITY.empty.clear}
          </Button>
        ) : undefined
      }
    />
  );
}

const COLUMNS: TableColumn<Alert>[] = [
  {
    id: 'alert',
    head: SECURITY.columns.alert,
    isMain: true,
    cell: ({ rule, most_recent_instance: instance }) => (
      <span className="two">
        <b className="cut">{rule.description || rule.id}</b>
        <small className="cut mono">{locationText(instance) || rule.id}</small>
      </span>
    ),
  },
  {
    id: 'severity',
    head: SECURITY.columns.severity,
    cell: (alert) => <SeverityBadge severity={severityOf(alert)} />,
  },
  {
    id: 'state',
    head: SECURITY.columns.state,
    priority: 'mid',
    cell: ({ state }) => <AlertStateMark state={state} />,
  },
  {
    id: 'tool',
    head: SECURITY.columns.tool,
    priority: 'low',
    cell: ({ tool }) => <span className="cut">{tool.name}</span>,
  },
  {
    id: 'found',
    head: SECURITY.columns.found,
    cell: ({ created_at: at }) => <Time at={at} />,
  },
];
