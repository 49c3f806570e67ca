// The members of the account. The address holds the filter, who is open, and whether somebody is being invited.
import type { AccountMember } from '../../api/types/signalbox.ts';
import '../../styles/members.css';
import { useMay, useMe } from '../../app/me.ts';
import { usePageInfo } from '../../app/page-info.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { NewRows } from '../../lib/new-rows.tsx';
import { useSearchState, useTypedFilter, type SearchState } from '../../lib/search-state.ts';
import { useSteadyList } from '../../lib/steady-rows.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Button } from '../../ui/button.tsx';
import { Chips } from '../../ui/chips.tsx';
import { classNames } from '../../ui/class-names.ts';
import { formatCount } from '../../ui/format.ts';
import { FilterInput } from '../../ui/input.tsx';
import { useKeys } from '../../ui/keys.ts';
import { PageHead } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Badge, Tag } from '../../ui/status.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { MemberPanel } from './member-panel.tsx';
import { MemberState } from './member-state.tsx';
import { InviteDialog } from './members-invite.tsx';
import { BASE_ROLES, MAX_ROWS, nameOf, PAGE, useMembers } from './members-queries.ts';
import { MEMBERS, ROLE_NAMES } from './members-words.ts';

const INVITING = [{ action: 'createMember', resource: 'member/*' }];

export default function MembersPage() {
  usePageInfo([{ label: MEMBERS.account }, { label: MEMBERS.title }]);
  const state = useSearchState(PAGE);
  const found = useMembers(
    { q: state.get('q'), role: state.get('role'), state: stateIn(state) },
    Number(state.get('rows') ?? 0) || 0,
  );
  const { list, rows } = found;
  const { shown, newCount, showAll } = useSteadyList({
    list: JSON.stringify([state.get('q'), state.get('role'), stateIn(state)]),
    rows,
    pages: list.data?.pages.length ?? 0,
    idOf: ({ id }) => id,
  });
  const endInvitation = () => {
    state.set({ invite: undefined });
    void list.refetch().then(showAll);
  };
  const may = useMay(INVITING);
  const reason = may?.[0] === false ? MEMBERS.mayNotInvite : undefined;
  const invite = () => state.set({ invite: '1' });
  // A key that comes before the answer is not lost: the dialog opens with it.
  useKeys({ c: invite }, { isOn: may?.[0] !== false });
  const open = state.get('member');
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead
        title={MEMBERS.title}
        meta={MEMBERS.text}
        actions={
          <Button tone="primary" icon="plus" keys="c" disabledReason={reason} onClick={invite}>
            {MEMBERS.invite}
          </Button>
        }
      />
      <MemberFilters state={state} />
      {newCount > 0 && <NewRows count={formatCount(newCount)} onShow={showAll} />}
      <div className={classNames(open !== undefined && 'cols cols--panel')}>
        {list.error !== null && rows.length === 0 ? (
          <ReadProblem error={list.error} onRetry={() => void list.refetch()} />
        ) : (
          <Table
            label={MEMBERS.table}
            columns={open === undefined ? COLUMNS : FEW_COLUMNS}
            rows={shown}
            rowKey={({ id }) => id}
            rowLabel={nameOf}
            rowHref={({ id }) => state.href({ member: id })}
            isLoading={list.isPending || (found.isSearching && rows.length === 0)}
            emptyState={<NobodyFound state={state} />}
            footer={<Footer state={state} found={found} />}
          />
        )}
        {open !== undefined && (
          <MemberPanel key={open} id={open} rows={rows} onClose={() => state.set({ member: undefined })} />
        )}
      </div>
      {state.get('invite') !== undefined && may?.[0] === true && <InviteDialog onClose={endInvitation} />}
    </main>
  );
}

function stateIn(state: SearchState): string | undefined {
  return state.get('state') === 'invited' ? 'invited' : undefined;
}

function MemberFilters({ state }: { state: SearchState }) {
  const [typed, setTyped] = useTypedFilter(state);
  const { set } = state;
  const role = state.get('role');
  const isInvited = stateIn(state) !== undefined;
  return (
    <div className="stack members__filters">
      <FilterInput label={MEMBERS.filter} value={typed} onChange={setTyped} />
      <Chips
        label={MEMBERS.roles}
        items={[
          {
            label: MEMBERS.any,
            isOn: role === undefined && !isInvited,
            onToggle: () => set({ role: undefined, state: undefined, rows: undefined }),
          },
          ...BASE_ROLES.map((one) => ({
            label: ROLE_NAMES[one] ?? one,
            isOn: role === one,
            onToggle: () => set({ role: role === one ? undefined : one, rows: undefined }),
          })),
          {
            label: MEMBERS.invited,
            isOn: isInvited,
            onToggle: () => set({ state: isInvited ? undefined : 'invited', rows: undefined }),
          },
        ]}
      />
    </div>
  );
}

const COLUMNS: TableColumn<AccountMember>[] = [
  { id: 'name', head: MEMBERS.columns.name, isMain: true, cell: (member) => <Person member={member} /> },
  {
    id: 'role',
    head: MEMBERS.columns.role,
    cell: ({ role, customRoles }) => (
      <span className="row row--4 row--wrap">
        <Badge>{ROLE_NAMES[role] ?? role}</Badge>
        {customRoles.map(({ key, name }) => (
          <Tag key={key}>{name}</Tag>
        ))}
      </span>
    ),
  },
  {
    id: 'teams',
    head: MEMBERS.columns.teams,
    priority: 'mid',
    cell: ({ teams }) => (
      <span className="row row--4 row--wrap">
        {teams.map(({ key, name }) => (
          <Tag key={key}>{name}</Tag>
        ))}
      </span>
    ),
  },
  {
    id: 'seen',
    head: MEMBERS.columns.seen,
    cell: ({ lastSeenAt }) =>
      lastSeenAt === undefined ? <span className="muted">{MEMBERS.never}</span> : <Time at={lastSeenAt} />,
  },
  { id: 'state', head: MEMBERS.columns.state, cell: (member) => <MemberState member={member} /> },
];

/** Beside an open member there is room for these. */
const FEW_COLUMNS = COLUMNS.filter(({ id }) => ['name', 'role', 'state'].includes(id));

function Person({ member }: { member: AccountMember }) {
  const { data: me } = useMe();
  const name = nameOf(member);
  return (
    <span className="row">
      <Avatar name={name} isDecorative />
      <span className="two members__who">
        <b className="cut">
          {name}
          {me?.member.id === member.id && <span className="faint"> {MEMBERS.you}</span>}
        </b>
        <small className="cut">{member.email}</small>
      </span>
    </span>
  );
}

function NobodyFound({ state }: { state: SearchState }) {
  return (
    <EmptyState
      icon="users"
      title={MEMBERS.empty}
      text={MEMBERS.emptyText}
      action={
        <Button onClick={() => state.set({ q: undefined, role: undefined, state: undefined })}>
          {MEMBERS.clear}
        </Button>
      }
    />
  );
}

function Footer({ state, found }: { state: SearchState; found: ReturnType<typeof useMembers> }) {
  const { list, rows, isSearching, next } = found;
  const isBusy = list.isFetchingNextPage || isSearching;
  return (
    <>
      <span>{MEMBERS.loaded(formatCount(rows.length))}</span>
      {list.error !== null && <span className="bad">{list.error.message}</span>}
      {!list.hasNextPage ? (
        <span>{MEMBERS.all}</span>
      ) : rows.length >= MAX_ROWS ? (
        <span>{MEMBERS.tooMany(formatCount(MAX_ROWS))}</span>
      ) : (
        <Button
          size="sm"
          className="push"
          isBusy={isBusy}
          onClick={() => {
            void list.fetchNextPage();
            state.set({ rows: String(next) });
          }}
        >
          {isBusy ? MEMBERS.searching : MEMBERS.more}
        </Button>
      )}
    </>
  );
}
