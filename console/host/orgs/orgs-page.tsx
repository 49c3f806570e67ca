// Organizations: those of the caller, and all of the server.
import { useState } from 'react';
import { useLocation } from 'wouter';
import { prefetch } from '../../api/read.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { useMay } from '../../app/me.ts';
import { usePageInfo } from '../../app/page-info.ts';
import { ListFoot } from '../../lib/list-foot.tsx';
import { NewRows } from '../../lib/new-rows.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState } from '../../lib/search-state.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { formatCount } from '../../ui/format.ts';
import { TextInput } from '../../ui/input.tsx';
import { useKeys } from '../../ui/keys.ts';
import { PageHead } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Badge } from '../../ui/status.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { organizationHref, type MemberRole, type OrganizationName } from './organization.ts';
import {
  newOrganizationCall,
  organizationRead,
  useAllOrganizations,
  useCreateOrganization,
  useOwnOrganizations,
} from './orgs-queries.ts';
import { NEW_ORG, ORGS } from './orgs-words.ts';
import '../../styles/lists.css';

const PAGE = '/orgs';
const CREATING = [{ action: 'createOrganization', resource: 'org/*' }];

export default function OrganizationsPage() {
  usePageInfo([{ label: ORGS.title }]);
  const search = useSearchState(PAGE);
  const isAll = search.get('list') === 'all';
  const may = useMay(CREATING)?.[0];
  const create = () => search.set({ new: '1' });
  // A key that comes before the answer is not lost: the dialog opens with it.
  useKeys({ c: create }, { isOn: may !== false });
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead
        title={ORGS.title}
        meta={ORGS.text}
        actions={
          <Button
            tone="primary"
            icon="plus"
            keys="c"
            disabledReason={may === false ? ORGS.mayNotCreate : undefined}
            onClick={create}
          >
            {ORGS.create}
          </Button>
        }
      />
      <Tabs
        label={ORGS.listsLabel}
        items={[
          { href: PAGE, label: ORGS.lists.own, isCurrent: !isAll },
          { href: `${PAGE}?list=all`, label: ORGS.lists.all, isCurrent: isAll },
        ]}
      />
      {isAll ? <AllOrganizations /> : <OwnOrganizations />}
      {search.get('new') !== undefined && may === true && (
        <NewOrganization onClose={() => search.set({ new: undefined })} />
      )}
    </main>
  );
}

interface ListedOrganization extends OrganizationName {
  role?: MemberRole;
}

function OwnOrganizations() {
  const list = useOwnOrganizations();
  const rows = list.rows.map(({ organization, role }) => ({ ...organization, role }));
  return <OrganizationTable list={list} rows={rows} kind="own" />;
}

function AllOrganizations() {
  const list = useAllOrganizations();
  return <OrganizationTable list={list} rows={list.rows} kind="all" />;
}

interface OrganizationTableProps {
  list: Omit<ReturnType<typeof useAllOrganizations>, 'rows'>;
  rows: ListedOrganization[];
  kind: 'own' | 'all';
}

function OrganizationTable({ list, rows, kind }: OrganizationTableProps) {
  if (list.error !== null) return <ReadProblem error={list.error} onRetry={list.retry} />;
  return (
    <>
      {list.newCount > 0 && <NewRows count={formatCount(list.newCount)} onShow={list.showNew} />}
      <Table
        label={ORGS.lists[kind]}
        columns={kind === 'own' ? COLUMNS : COLUMNS.slice(0, 1)}
        rows={rows}
        rowKey={({ login }) => login}
        rowHref={({ login }) => organizationHref(login)}
        onPrefetch={({ login }) => prefetch(organizationRead(login))}
        isLoading={list.isLoading}
        emptyState={<EmptyState icon="users" {...ORGS.empty[kind]} />}
        footer={<ListFoot list={{ ...list, rows }} nouns={ORGS.nouns} />}
      />
    </>
  );
}

const COLUMNS: TableColumn<ListedOrganization>[] = [
  {
    id: 'name',
    head: ORGS.columns.name,
    isMain: true,
    cell: ({ login, description }) => (
      <span className="two">
        <b className="cut">{login}</b>
        <small className="cut">{description || ORGS.noDescription}</small>
      </span>
    ),
  },
  {
    id: 'role',
    head: ORGS.columns.role,
    cell: ({ role = 'member' }) => (
      <Badge tone={role === 'admin' ? 'acc' : undefined}>{ORGS.roles[role]}</Badge>
    ),
  },
];

const LOGIN = /^[a-zA-Z0-9](?:[a-zA-Z0-9]|-(?=[a-zA-Z0-9])){0,38}$/;

function NewOrganization({ onClose }: { onClose: () => void }) {
  const [, navigate] = useLocation();
  const [login, setLogin] = useState('');
  const [name, setName] = useState('');
  const [isTried, setTried] = useState(false);
  const call = newOrganizationCall(login, name);
  useSayDraft(call);
  const create = useCreateOrganization();
  const isGood = LOGIN.test(login);
  const submit = () => {
    setTried(true);
    if (isGood) create.mutate(call, { onSuccess: (made) => navigate(organizationHref(made.login)) });
  };
  return (
    <FormDialog
      title={NEW_ORG.title}
      text={NEW_ORG.text}
      width={520}
      action={NEW_ORG.action}
      isBusy={create.isPending}
      error={create.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label={NEW_ORG.login}
        help={NEW_ORG.loginHelp}
        error={
          isTried && !isGood
            ? NEW_ORG.badLogin
            : create.error?.fields.find(({ field }) => field.endsWith('login'))?.message
        }
      >
        <TextInput
          isMono
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          value={login}
          onValue={setLogin}
        />
      </Field>
      <Field label={NEW_ORG.name} optional>
        <TextInput maxLength={255} value={name} onValue={setName} />
      </Field>
    </FormDialog>
  );
}
