// The history of a flag: what is planned, and every change with its difference; two versions can be compared, and one change reverted.
import '../../styles/history.css';
import '../../styles/lists.css';
import { useCallback, useState } from 'react';
import { NewRows } from '../../lib/new-rows.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState, type SearchState } from '../../lib/search-state.ts';
import { NoMatch } from '../../lib/list-foot.tsx';
import { useSteadyList } from '../../lib/steady-rows.ts';
import { Button } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { EmptyState } from '../../ui/states.tsx';
import { SelectionBar, Table } from '../../ui/table.tsx';
import type { Flag } from '../flag.ts';
import { HISTORY_COLUMNS, NARROW_COLUMNS } from './history-columns.tsx';
import { HistoryEntryPanel } from './history-entry.tsx';
import { fitsFilter, HistoryFilters, NO_FILTER, readFilter } from './history-filters.tsx';
import type { HistoryEntry } from './entry.ts';
import { useHistory } from './history-queries.ts';
import { HISTORY } from './history-words.ts';
import { PlannedChanges } from './planned-changes.tsx';
import { TimeSlider } from './time-slider.tsx';
import { VersionsDialog } from './versions-dialog.tsx';

const idOf = ({ _id }: HistoryEntry) => _id;

export default function HistoryTab({ project, flag }: { project: string; flag: Flag }) {
  const page = `/flags/${encodeURIComponent(project)}/${encodeURIComponent(flag.key)}/history`;
  const state = useSearchState(page);
  const { env, who, hasComment } = readFilter(state);
  const fits = useCallback(
    (entry: HistoryEntry) => fitsFilter(entry, { env, who, hasComment }),
    [env, who, hasComment],
  );
  const { list, all, rows: found, readMore } = useHistory(project, flag.key, fits);
  const {
    shown: rows,
    newCount,
    showAll,
  } = useSteadyList({
    list: JSON.stringify([project, flag.key, env, who, hasComment, all.length === 0]),
    rows: found,
    pages: list.data?.pages.length ?? 0,
    idOf,
  });
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const open = state.get('entry');
  const compared = state.get('compare')?.split(',') ?? [];
  return (
    <div className="stack stack--16">
      <PlannedChanges project={project} flag={flag} environment={env} />
      <TimeSlider project={project} flag={flag} state={state} entries={all} />
      <HistoryFilters state={state} flag={flag} entries={all} />
      {newCount > 0 && <NewRows count={formatCount(newCount)} onShow={showAll} />}
      <div className={open === undefined ? 'history' : 'history cols cols--panel'}>
        {list.error !== null && all.length === 0 ? (
          <ReadProblem error={list.error} onRetry={() => void list.refetch()} />
        ) : (
          <Table
            label={HISTORY.table}
            columns={open === undefined ? HISTORY_COLUMNS : NARROW_COLUMNS}
            rows={rows}
            rowKey={({ _id }) => _id}
            rowLabel={({ titleVerb, name }) => `${titleVerb} ${name}`}
            rowHref={({ _id }) => state.href({ entry: _id })}
            isLoading={list.isPending || (list.isFetchingNextPage && rows.length === 0)}
            selection={{ selected, onChange: setSelected }}
            emptyState={<NothingThere state={state} isFiltered={all.length > 0} />}
            footer={
              <>
                <span>{HISTORY.loaded(formatCount(rows.length), formatCount(all.length))}</span>
                {list.hasNextPage ? (
                  <Button size="sm" className="push" isBusy={list.isFetchingNextPage} onClick={readMore}>
                    {rows.length === all.length ? HISTORY.more : HISTORY.further}
                  </Button>
                ) : (
                  <span>{HISTORY.all}</span>
                )}
              </>
            }
          />
        )}
        {open !== undefined && (
          <HistoryEntryPanel
            key={open}
            id={open}
            project={project}
            flag={flag}
            entries={all}
            onClose={() => state.set({ entry: undefined })}
          />
        )}
      </div>
      <SelectionBar count={selected.size} onClear={() => setSelected(new Set())}>
        <Button
          size="sm"
          icon="columns"
          disabledReason={selected.size === 2 ? undefined : HISTORY.onlyTwo}
          onClick={() => state.set({ compare: [...selected].join(',') })}
        >
          {HISTORY.compare}
        </Button>
      </SelectionBar>
      {compared.length === 2 && (
        <VersionsDialog
          ids={[compared[0]!, compared[1]!]}
          flag={flag}
          onClose={() => state.set({ compare: undefined })}
        />
      )}
    </div>
  );
}

function NothingThere({ state, isFiltered }: { state: SearchState; isFiltered: boolean }) {
  if (isFiltered) return <NoMatch words={HISTORY.noMatch} onClear={() => state.set(NO_FILTER)} />;
  return <EmptyState icon="history" title={HISTORY.empty.title} text={HISTORY.empty.text} />;
}
