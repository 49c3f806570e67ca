// Apps: those that are installed on an account, and those that it has registered. The address names the account.
import { useState } from 'react';
import { ROOT } from '../../api/server.ts';
import type { AppInstallation, OwnApp } from '../../api/types/signalbox.ts';
import { useMe } from '../../app/me.ts';
import { usePageInfo } from '../../app/page-info.ts';
import { ListFoot, shownOf } from '../../lib/list-foot.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState } from '../../lib/search-state.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { formatCount } from '../../ui/format.ts';
import { SelectInput } from '../../ui/input.tsx';
import { Menu } from '../../ui/menu.tsx';
import { PageHead, Section } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Badge, Status } from '../../ui/status.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import {
  PAGE,
  rightsInWords,
  suspensionCall,
  uninstallCall,
  useChangeInstallation,
  useInstallations,
  useManagedOrganizations,
  useOwnApps,
} from './apps-queries.ts';
import { APPS } from './apps-words.ts';
import '../../styles/apps.css';

export default function AppsPage() {
  usePageInfo([{ label: APPS.account }, { label: APPS.title }]);
  const search = useSearchState(PAGE);
  const account = search.get('account');
  const { data: me } = useMe();
  const organizations = useManagedOrganizations();
  const settings =
    account === undefined ? '/settings' : `/organizations/${encodeURIComponent(account)}/settings`;
  return (
    <main id="main" className="page" tabIndex={-1}>
      <PageHead
        title={APPS.title}
        meta={APPS.text}
        actions={
          <ButtonLink icon="plus" href={`${ROOT}${settings}/apps/new`} isExternal>
            {APPS.register}
          </ButtonLink>
        }
      />
      {organizations.length > 0 && (
        <p className="row apps__of">
          <SelectInput
            aria-label={APPS.of}
            value={account ?? ''}
            onValue={(next) => search.set({ account: next })}
            options={[
              { value: '', label: me?.username ?? '' },
              ...organizations.map((login) => ({ value: login, label: login })),
            ]}
          />
        </p>
      )}
      <div className="stack stack--16" key={account}>
        <Installations account={account} />
        <RegisteredApps account={account} />
      </div>
    </main>
  );
}

function Installations({ account }: { account: string | undefined }) {
  const list = useInstallations(account);
  const rows = list.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Section title={APPS.installed}>
      {list.error !== null && list.data === undefined ? (
        <ReadProblem error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <Table
          label={APPS.installed}
          columns={INSTALLATION_COLUMNS}
          rows={rows}
          rowKey={({ id }) => String(id)}
          isLoading={list.isPending}
          emptyState={<EmptyState icon="bolt" {...APPS.none} />}
          footer={<ListFoot list={shownOf(list, rows)} nouns={APPS.nouns} />}
        />
      )}
    </Section>
  );
}

/** A page of the server itself, where repositories are chosen, and people agree to what an app asks for. */
function SettingsLink({ path, children }: { path: string; children: string }) {
  return (
    <a className="ln w5 cut" href={ROOT + path}>
      {children}
    </a>
  );
}

function Rights({ permissions }: Pick<AppInstallation, 'permissions'>) {
  return <span className="apps__rights">{rightsInWords(permissions).join(' · ')}</span>;
}

const INSTALLATION_COLUMNS: TableColumn<AppInstallation>[] = [
  {
    id: 'app',
    head: APPS.columns.app,
    isMain: true,
    cell: ({ app, asksForMore, settingsPath }) => (
      <span className="row row--4 row--wrap">
        <SettingsLink path={settingsPath}>{app.name}</SettingsLink>
        {asksForMore && <Badge tone="warn">{APPS.asksForMore}</Badge>}
      </span>
    ),
  },
  {
    id: 'rights',
    head: APPS.columns.rights,
    cell: ({ permissions }) => <Rights permissions={permissions} />,
  },
  {
    id: 'repositories',
    head: APPS.columns.repositories,
    priority: 'mid',
    cell: ({ repositories }) => APPS[repositories],
  },
  {
    id: 'state',
    head: APPS.columns.state,
    cell: ({ suspendedAt }) =>
      suspendedAt === undefined ? (
        <Status tone="ok">{APPS.active}</Status>
      ) : (
        <Status tone="warn">{APPS.suspended}</Status>
      ),
  },
  {
    id: 'since',
    head: APPS.columns.since,
    priority: 'low',
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
  {
    id: 'actions',
    head: <span className="vh">{APPS.actions}</span>,
    isEnd: true,
    cardLabel: null,
    cell: (installation) => <InstallationActions installation={installation} />,
  },
];

function InstallationActions({ installation }: { installation: AppInstallation }) {
  const { app, suspendedAt } = installation;
  const isSuspended = suspendedAt !== undefined;
  const [asked, setAsked] = useState<'suspend' | 'uninstall'>();
  const change = useChangeInstallation();
  const close = () => {
    setAsked(undefined);
    change.reset();
  };
  return (
    <>
      <Menu
        trigger={<Button tone="ghost" size="sm" icon="dots" label={APPS.more(app.name)} />}
        items={[
          {
            label: isSuspended ? APPS.unsuspend : APPS.suspend,
            icon: isSuspended ? 'play' : 'stop',
            onSelect: () => (isSuspended ? change.mutate(suspensionCall(installation)) : setAsked('suspend')),
          },
          {
            label: APPS.uninstall,
            icon: 'trash',
            tone: 'danger',
            hasLine: true,
            onSelect: () => setAsked('uninstall'),
          },
        ]}
      />
      {asked !== undefined && (
        <ConfirmDialog
          title={asked === 'suspend' ? APPS.suspendTitle(app.name) : APPS.uninstallTitle(app.name)}
          confirmLabel={APPS[asked]}
          tone="danger"
          isBusy={change.isPending}
          error={change.error ?? undefined}
          onConfirm={() =>
            change.mutate(asked === 'suspend' ? suspensionCall(installation) : uninstallCall(installation), {
              onSuccess: close,
            })
          }
          onClose={close}
        >
          {asked === 'suspend' ? APPS.suspendText : APPS.uninstallText}
        </ConfirmDialog>
      )}
    </>
  );
}

function RegisteredApps({ account }: { account: string | undefined }) {
  const list = useOwnApps(account);
  const rows = list.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Section title={APPS.own}>
      {list.error !== null && list.data === undefined ? (
        <ReadProblem error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <Table
          label={APPS.own}
          columns={APP_COLUMNS}
          rows={rows}
          rowKey={({ slug }) => slug}
          isLoading={list.isPending}
          emptyState={<EmptyState icon="bolt" {...APPS.noOwn} />}
          footer={<ListFoot list={shownOf(list, rows)} nouns={APPS.nouns} />}
        />
      )}
    </Section>
  );
}

const APP_COLUMNS: TableColumn<OwnApp>[] = [
  {
    id: 'app',
    head: APPS.columns.app,
    isMain: true,
    cell: ({ name, description, settingsPath }) => (
      <span className="two">
        <SettingsLink path={settingsPath}>{name}</SettingsLink>
        <small className="cut">{description}</small>
      </span>
    ),
    aside: ({ isPublic }) => (
      <Badge icon={isPublic ? 'globe' : 'lock'}>{isPublic ? APPS.public : APPS.private}</Badge>
    ),
  },
  {
    id: 'rights',
    head: APPS.columns.rights,
    priority: 'mid',
    cell: ({ permissions }) => <Rights permissions={permissions} />,
  },
  {
    id: 'installations',
    head: APPS.columns.installations,
    cell: ({ installations: count }) => APPS.accounts(formatCount(count), count === 1),
  },
  {
    id: 'actions',
    head: <span className="vh">{APPS.actions}</span>,
    isEnd: true,
    cardLabel: null,
    cell: ({ name, page }) => (
      <ButtonLink
        size="sm"
        tone="ghost"
        icon="eye"
        href={ROOT + page}
        isExternal
        label={`${APPS.page}: ${name}`}
      />
    ),
  },
];
