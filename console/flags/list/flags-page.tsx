// The flags of a project: what is on where, with a switch for each, found by filters and changed one by one or many together.
import '../../styles/flag-list.css';
import { lazy, Suspense, useCallback, useEffect, useMemo, useState } from 'react';
import { useLocation, useParams, useSearch } from 'wouter';
import { prefetch } from '../../api/read.ts';
import { useMe } from '../../app/me.ts';
import { usePageInfo } from '../../app/page-info.ts';
import { ListFoot, NoMatch } from '../../lib/list-foot.tsx';
import { NewRows } from '../../lib/new-rows.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState } from '../../lib/search-state.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { formatCount } from '../../ui/format.ts';
import { useKeys } from '../../ui/keys.ts';
import { PageHead } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { FirstProject } from '../first-project.tsx';
import { rememberProject } from '../last-place.ts';
import type { Flag } from '../flag.ts';
import { useFlagPermissions } from '../permissions.ts';
import { flagRead, useProjects } from '../queries.ts';
import { WORDS as FLAG_WORDS } from '../words.ts';
import { BulkBar } from './bulk-bar.tsx';
import { ColumnsPopover } from './columns-popover.tsx';
import { apiFilterOf, keepPlace, placesOf, readTokens, searchPatchOf, type FilterToken } from './filter.ts';
import { ToggleContext } from './flag-cells.tsx';
import { useFlagColumns } from './flag-columns.tsx';
import { useFlagPages } from './flag-pages.ts';
import { useOwnerIds } from './list-queries.ts';
import { LIST_WORDS as WORDS } from './list-words.ts';
import { QuickFilters } from './quick-filters.tsx';
import { RowFactsContext, useRowFacts } from './row-facts.ts';
import { SavedViews } from './saved-views.tsx';
import { listName, useShownEnvironments } from './shown-environments.ts';
import { TokenFilter } from './token-filter.tsx';
import { useFirstRows } from './use-first-rows.ts';
import { useToggle } from './use-toggle.ts';

const SaveDialog = lazy(async () => ({ default: (await import('../save/save-dialog.tsx')).SaveDialog }));

const LATEST = '-modified';
/** What can be done with many at once. */
const BULK_ACTIONS = ['updateOn', 'createApprovalRequest', 'updateTags', 'updateGlobalArchived'] as const;
const HOUR_MS = 3_600_000;
/** Beyond these the table scrolls sideways in its own frame. */
const FITTING_COLUMNS = 4;

export default function FlagsPage() {
  const { project } = useParams<{ project?: string }>();
  return project === undefined ? (
    <FirstProject section="flags" title={FLAG_WORDS.flags} />
  ) : (
    <ProjectFlags key={project} project={project} />
  );
}

function ProjectFlags({ project: projectKey }: { project: string }) {
  const page = `/flags/${encodeURIComponent(projectKey)}`;
  const search = useSearchState(page);
  const query = useSearch();
  const { data: me } = useMe();
  const { data: projects } = useProjects();
  const project = projects?.items.find(({ key }) => key === projectKey);
  const environments = useShownEnvironments(projectKey, search);
  const { keys, shown } = environments;
  const [hour] = useState(() => Math.floor(Date.now() / HOUR_MS) * HOUR_MS);

  const words = search.get('q') ?? '';
  const tokens = useStable(readTokens(search, keys?.[0]));
  const places = placesOf(tokens);
  const ownerIds = useOwnerIds(tokens, me?.member.id);
  const sort = search.get('sort') ?? LATEST;
  const listQuery = {
    project: projectKey,
    environments: keys,
    filter: apiFilterOf(words, tokens, { ownerIds, hour }),
    sort: sort.replace('modified', 'targetingModifiedDate'),
    isEnabled: ownerIds !== undefined && places.length < 2,
    ownId: me?.member.id,
  };
  const list = useFlagPages(listQuery);
  const columns = useFlagColumns(shown, page);
  const facts = useRowFacts({ project, environments: shown, rows: list.rows, changed: list.changed });
  const { toggle, review, closeReview } = useToggle(projectKey, list);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  // Before the columns are known, rows would be drawn twice.
  const known = environments.isKnown ? list.rows : NO_ROWS;
  const rows = useFirstRows(known);

  usePageInfo([
    { label: FLAG_WORDS.flags, href: '/flags' },
    { label: project?.name ?? projectKey, href: page, copy: projectKey },
  ]);
  useEffect(() => {
    if (environments.isKnown) rememberProject(projectKey);
  }, [environments.isKnown, projectKey]);
  const [, navigate] = useLocation();
  const newFlag = `/new-flag/${encodeURIComponent(projectKey)}`;
  const permissions = useFlagPermissions(projectKey);
  const mayCreate = permissions.may('createFlag');
  const maySelect = permissions.may(...BULK_ACTIONS);
  useKeys({ c: () => navigate(newFlag) }, { isOn: permissions.isKnown && mayCreate });

  const { set } = search;
  const filterBy = useCallback(
    (nextWords: string, nextTokens: readonly FilterToken[]) => {
      setSelected(new Set());
      set({ q: nextWords, ...searchPatchOf(nextTokens) });
    },
    [set, setSelected],
  );
  const isFiltered = words !== '' || tokens.length > 0;
  // A call for columns of the last time may fail where one of them is gone; the next one knows better.
  const error = environments.error ?? (environments.isKnown ? list.error : null);
  const critical = environments.known?.find((one) => one.critical)?.key ?? keys?.[0];
  const compare = `/compare/${encodeURIComponent(projectKey)}`;
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead
        title={FLAG_WORDS.flags}
        badge={list.total !== undefined && <span className="muted">{formatCount(list.total)}</span>}
        actions={
          <>
            <ButtonLink href={compare} icon="fork">
              {WORDS.compare}
            </ButtonLink>
            {mayCreate && (
              <ButtonLink href={newFlag} tone="primary" icon="plus" keys="c">
                {WORDS.newFlag}
              </ButtonLink>
            )}
          </>
        }
      />
      <div className="row row--wrap fl-bar">
        <TokenFilter words={words} tokens={tokens} environments={keys ?? NO_KEYS} onChange={filterBy} />
        <ColumnsPopover
          environments={environments.known ?? []}
          chosen={keys ?? []}
          onChoose={environments.choose}
        />
        <SavedViews list={listName(projectKey)} page={page} query={query} />
      </div>
      <div className="fl-chips">
        <QuickFilters
          project={projectKey}
          environment={critical}
          tokens={tokens}
          onChange={(next) => filterBy(words, next)}
          hour={hour}
          isCounted={list.total !== undefined && rows.length === list.rows.length}
        />
      </div>
      {list.newCount > 0 && <NewRows count={formatCount(list.newCount)} onShow={list.showNew} />}
      {places.length > 1 ? (
        <EmptyState
          icon="filter"
          title={WORDS.twoPlaces.title}
          text={WORDS.twoPlaces.text(places.join(', '))}
          action={places.map((place) => (
            <Button key={place} onClick={() => filterBy(words, keepPlace(tokens, place))}>
              {WORDS.twoPlaces.keep(place)}
            </Button>
          ))}
        />
      ) : error !== null ? (
        <ReadProblem
          error={error}
          onRetry={() => {
            void environments.refetch();
            list.retry();
          }}
        />
      ) : (
        <RowFactsContext value={facts}>
          <ToggleContext value={toggle}>
            <div className={classNames('fl', shown.length > FITTING_COLUMNS && 'fl--wide')}>
              <Table
                label={FLAG_WORDS.table}
                columns={columns}
                rows={rows}
                rowKey={({ key }) => key}
                rowLabel={({ name }) => name}
                rowHref={({ key }) => `${page}/${encodeURIComponent(key)}${placeQuery(keys)}`}
                onPrefetch={({ key }) => prefetch(flagRead(projectKey, key))}
                {...(maySelect && {
                  selection: { selected, onChange: setSelected, keys: known.map(({ key }) => key) },
                })}
                sort={sort}
                onSort={(next) => search.set({ sort: next === LATEST ? undefined : next })}
                isLoading={list.isLoading || !environments.isKnown}
                rowCount={list.total}
                emptyState={
                  isFiltered ? (
                    <NoMatch words={WORDS.noMatch} onClear={() => filterBy('', [])} />
                  ) : (
                    <NoFlags newFlag={mayCreate ? newFlag : undefined} />
                  )
                }
                footer={
                  rows.length === 0 ? undefined : (
                    <>
                      <ListFoot list={list} nouns={FLAG_WORDS.nouns} />
                      {list.changed.size > 0 && (
                        <span role="status">{WORDS.changedRows(list.changed.size)}</span>
                      )}
                      <KeysHint hasSelection={maySelect} />
                    </>
                  )
                }
              />
            </div>
          </ToggleContext>
        </RowFactsContext>
      )}
      <BulkBar
        query={listQuery}
        rows={list.rows}
        total={list.total}
        environments={environments.known ?? []}
        shown={shown}
        selected={selected}
        onSelect={setSelected}
        onDone={list.retry}
        permissions={permissions}
      />
      {review !== undefined && (
        <Suspense>
          <SaveDialog
            change={review.change}
            title={review.title}
            onClose={closeReview}
            onSaved={() => {
              void list.refreshRow(review.change.resource.key);
              closeReview();
            }}
          />
        </Suspense>
      )}
    </main>
  );
}

const NO_KEYS: readonly string[] = [];
const NO_ROWS: Flag[] = [];

/** The flag is opened in the environment that the list is about. */
function placeQuery(keys: readonly string[] | undefined): string {
  return keys?.[0] === undefined ? '' : `?env=${encodeURIComponent(keys[0])}`;
}

/** The same array as long as it says the same. */
function useStable(tokens: FilterToken[]): FilterToken[] {
  const text = JSON.stringify(tokens);
  return useMemo(() => JSON.parse(text) as FilterToken[], [text]);
}

function KeysHint({ hasSelection }: { hasSelection: boolean }) {
  return (
    <span className="push no-s" aria-hidden="true">
      <kbd>j</kbd> <kbd>k</kbd> {WORDS.keys.move}{' '}
      {hasSelection && (
        <>
          <kbd>x</kbd> {WORDS.keys.select}{' '}
        </>
      )}
      <kbd>Enter</kbd> {WORDS.keys.open}
    </span>
  );
}

/** Without a link where the person may not create one. */
function NoFlags({ newFlag }: { newFlag: string | undefined }) {
  return (
    <EmptyState
      icon="flag"
      title={WORDS.empty.title}
      text={WORDS.empty.text}
      action={
        newFlag !== undefined && (
          <ButtonLink href={newFlag} tone="primary" icon="plus">
            {WORDS.newFlag}
          </ButtonLink>
        )
      }
    />
  );
}
