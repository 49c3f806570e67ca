// The teams of the account. The address holds the filter, which one is open, and whether one is being made.
import '../../styles/lists.css';
import '../../styles/members.css';
import '../../styles/teams.css';
import { prefetch } from '../../api/read.ts';
import { useMay } from '../../app/me.ts';
import { usePageInfo } from '../../app/page-info.ts';
import { ListFoot, NoMatch } from '../../lib/list-foot.tsx';
import { NewRows } from '../../lib/new-rows.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState, useTypedFilter } from '../../lib/search-state.ts';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { formatCount } from '../../ui/format.ts';
import { FilterInput } from '../../ui/input.tsx';
import { useKeys } from '../../ui/keys.ts';
import { PageHead } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Tag } from '../../ui/status.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { NewTeamDialog } from './new-team.tsx';
import { TeamPanel } from './team-panel.tsx';
import { teamRead, TEAMS_PAGE, useTeamList, type Team } from './teams-queries.ts';
import { TEAMS } from './teams-words.ts';

const CREATING = [{ action: 'createTeam', resource: 'team/*' }];

export default function TeamsPage() {
  usePageInfo([{ label: TEAMS.account }, { label: TEAMS.title }]);
  const state = useSearchState(TEAMS_PAGE);
  const [typed, setTyped] = useTypedFilter(state);
  const words = state.get('q');
  const list = useTeamList(words);
  const may = useMay(CREATING)?.[0];
  const create = () => state.set({ new: '1' });
  useKeys({ c: create }, { isOn: may !== false });
  const open = state.get('team');
  const createButton = (
    <Button
      tone="primary"
      icon="plus"
      keys="c"
      disabledReason={may === false ? TEAMS.mayNotCreate : undefined}
      onClick={create}
    >
      {TEAMS.create}
    </Button>
  );
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead title={TEAMS.title} meta={TEAMS.text} actions={createButton} />
      <div className="row row--wrap list-bar">
        <div className="grow">
          <FilterInput value={typed} onChange={setTyped} label={TEAMS.filter} />
        </div>
      </div>
      {list.newCount > 0 && <NewRows count={formatCount(list.newCount)} onShow={list.showNew} />}
      <div className={classNames(open !== undefined && 'cols cols--panel')}>
        {list.error !== null ? (
          <ReadProblem error={list.error} onRetry={list.retry} />
        ) : (
          <Table
            label={TEAMS.table}
            columns={open === undefined ? COLUMNS : COLUMNS.filter(({ id }) => id !== 'changed')}
            rows={list.rows}
            rowKey={({ key }) => key}
            rowLabel={({ name }) => name}
            rowHref={({ key }) => state.href({ team: key })}
            onPrefetch={({ key }) => prefetch(teamRead(key))}
            isLoading={list.isLoading}
            rowCount={list.total}
            emptyState={
              words === undefined ? (
                <EmptyState
                  icon="users"
                  title={TEAMS.empty.title}
                  text={TEAMS.empty.text}
                  action={may === true ? createButton : undefined}
                />
              ) : (
                <NoMatch words={TEAMS.noMatch} onClear={() => setTyped('')} />
              )
            }
            footer={<ListFoot list={list} nouns={TEAMS.nouns} />}
          />
        )}
        {open !== undefined && (
          <TeamPanel key={open} teamKey={open} onClose={() => state.set({ team: undefined })} />
        )}
      </div>
      {state.get('new') !== undefined && may === true && (
        <NewTeamDialog
          onCreated={({ key }) => {
            list.showNew();
            state.set({ new: undefined, team: key });
          }}
          onClose={() => state.set({ new: undefined })}
        />
      )}
    </main>
  );
}

const COLUMNS: TableColumn<Team>[] = [
  {
    id: 'name',
    head: TEAMS.columns.name,
    isMain: true,
    cell: ({ name, key, description }) => (
      <span className="two">
        <b className="cut">
          {name} <code className="key">{key}</code>
        </b>
        {description !== '' && <small className="cut">{description}</small>}
      </span>
    ),
  },
  {
    id: 'members',
    head: TEAMS.columns.members,
    align: 'end',
    cell: ({ members }) => formatCount(members?.totalCount ?? 0),
  },
  {
    id: 'roles',
    head: TEAMS.columns.roles,
    cell: ({ roles }) => (
      <span className="row row--4 row--wrap">
        {roles?.items.map(({ key, name }) => (
          <Tag key={key}>{name}</Tag>
        ))}
      </span>
    ),
  },
  {
    id: 'changed',
    head: TEAMS.columns.changed,
    priority: 'mid',
    cell: ({ _lastModified }) => <Time at={_lastModified} />,
  },
];
