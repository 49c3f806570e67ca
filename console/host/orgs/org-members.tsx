// The members of an organization with their roles.
import { useMemo, useState } from 'react';
import { useMe } from '../../app/me.ts';
import { ListFoot } from '../../lib/list-foot.tsx';
import { NewRows } from '../../lib/new-rows.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState } from '../../lib/search-state.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Button } from '../../ui/button.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { formatCount } from '../../ui/format.ts';
import { useKeys } from '../../ui/keys.ts';
import { Menu } from '../../ui/menu.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Badge } from '../../ui/status.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { AddMemberDialog } from './add-member-dialog.tsx';
import { organizationHref, type OrganizationMember } from './organization.ts';
import {
  membershipCall,
  useAdmins,
  useOrganizationMembers,
  useRemoveMember,
  useSaveMembership,
} from './orgs-queries.ts';
import { ORG_MEMBERS, ORGS } from './orgs-words.ts';

const ROLES = ['all', 'admin', 'member'] as const;

export interface OrganizationMembersProps {
  org: string;
  isAdmin: boolean;
}

export function OrganizationMembers({ org, isAdmin }: OrganizationMembersProps) {
  const search = useSearchState(organizationHref(org, '/members'));
  const role = ROLES.find((one) => one === search.get('role')) ?? 'all';
  const list = useOrganizationMembers(org, role);
  const admins = useAdmins(org);
  const { data: me } = useMe();
  const login = me?.username;
  const [isAdding, setAdding] = useState(false);
  useKeys({ c: () => setAdding(true) }, { isOn: isAdmin });
  const columns = useMemo(() => columnsOf(org, admins, login, isAdmin), [org, admins, login, isAdmin]);
  if (list.error !== null) return <ReadProblem error={list.error} onRetry={list.retry} />;
  return (
    <>
      <div className="row row--wrap list-bar">
        <Segmented
          label={ORG_MEMBERS.filter}
          size="sm"
          value={role}
          options={ROLES.map((value) => ({ value, label: ORG_MEMBERS.filters[value] }))}
          onChange={(next) => search.set({ role: next === 'all' ? undefined : next })}
        />
        <span className="push" />
        {isAdmin && (
          <Button tone="primary" icon="plus" keys="c" onClick={() => setAdding(true)}>
            {ORG_MEMBERS.add}
          </Button>
        )}
      </div>
      {list.newCount > 0 && <NewRows count={formatCount(list.newCount)} onShow={list.showNew} />}
      <Table
        label={ORG_MEMBERS.columns.member}
        columns={columns}
        rows={list.rows}
        rowKey={({ id }) => String(id)}
        isLoading={list.isLoading}
        emptyState={<EmptyState icon="users" {...ORG_MEMBERS.none} />}
        footer={<ListFoot list={list} nouns={ORG_MEMBERS.nouns} />}
      />
      {isAdding && (
        <AddMemberDialog
          text={ORG_MEMBERS.dialogText}
          roles={[
            { value: 'admin', label: ORG_MEMBERS.admin, text: ORG_MEMBERS.adminText },
            { value: 'member', label: ORG_MEMBERS.member, text: ORG_MEMBERS.memberText },
          ]}
          callOf={(name, chosen) => membershipCall(org, name, chosen)}
          onClose={() => {
            setAdding(false);
            list.showOwn();
          }}
        />
      )}
    </>
  );
}

function columnsOf(
  org: string,
  admins: ReadonlySet<string> | undefined,
  own: string | undefined,
  isAdmin: boolean,
): TableColumn<OrganizationMember>[] {
  return [
    {
      id: 'member',
      head: ORG_MEMBERS.columns.member,
      isMain: true,
      cell: ({ login }) => (
        <span className="row row--4">
          <Avatar name={login} isDecorative />
          <b className="cut">{login}</b>
          {login === own && <Badge>{ORG_MEMBERS.you}</Badge>}
        </span>
      ),
    },
    {
      id: 'role',
      head: ORG_MEMBERS.columns.role,
      cell: ({ login }) => {
        if (admins === undefined) return null;
        const role = admins.has(login) ? 'admin' : 'member';
        return <Badge tone={role === 'admin' ? 'acc' : undefined}>{ORGS.roles[role]}</Badge>;
      },
    },
    {
      id: 'actions',
      head: <span className="vh">{ORG_MEMBERS.actions}</span>,
      isEnd: true,
      cardLabel: null,
      cell: ({ login }) =>
        isAdmin || login === own ? (
          <MemberMenu
            org={org}
            login={login}
            isSelf={login === own}
            mayChange={isAdmin}
            isAdmin={admins?.has(login) === true}
          />
        ) : null,
    },
  ];
}

interface MemberMenuProps {
  org: string;
  login: string;
  isSelf: boolean;
  /** Whether the caller administers the organization. */
  mayChange: boolean;
  isAdmin: boolean;
}

function MemberMenu({ org, login, isSelf, mayChange, isAdmin }: MemberMenuProps) {
  const save = useSaveMembership();
  const remove = useRemoveMember(org, login);
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <ChangeError error={save.error} />
      <Menu
        trigger={<Button tone="ghost" size="sm" icon="dots" label={ORG_MEMBERS.more(login)} />}
        items={[
          ...(mayChange
            ? [
                {
                  label: isAdmin ? ORG_MEMBERS.makeMember : ORG_MEMBERS.makeAdmin,
                  icon: 'shield' as const,
                  onSelect: () => save.mutate(membershipCall(org, login, isAdmin ? 'member' : 'admin')),
                },
              ]
            : []),
          {
            label: isSelf ? ORG_MEMBERS.leave : ORG_MEMBERS.remove,
            icon: isSelf ? 'logout' : 'trash',
            tone: 'danger',
            hasLine: mayChange,
            onSelect: () => setAsked(true),
          },
        ]}
      />
      {isAsked && (
        <ConfirmDialog
          title={isSelf ? ORG_MEMBERS.leaveTitle : ORG_MEMBERS.removeTitle(login)}
          confirmLabel={isSelf ? ORG_MEMBERS.leaveConfirm : ORG_MEMBERS.removeConfirm}
          tone="danger"
          isBusy={remove.isPending}
          error={remove.error ?? undefined}
          onConfirm={() => remove.mutate(undefined, { onSuccess: () => setAsked(false) })}
          onClose={() => setAsked(false)}
        >
          {ORG_MEMBERS.removeText}
        </ConfirmDialog>
      )}
    </>
  );
}
