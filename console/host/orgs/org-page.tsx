// One organization: its repositories, members, teams and settings.
import { useState } from 'react';
import { useParams } from 'wouter';
import { prefetch } from '../../api/read.ts';
import { usePageInfo } from '../../app/page-info.ts';
import { ListFoot } from '../../lib/list-foot.tsx';
import { NewRows } from '../../lib/new-rows.tsx';
import { isWebAddress } from '../../lib/web-address.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { useKeys } from '../../ui/keys.ts';
import { TextLink } from '../../ui/link.tsx';
import { PageHead } from '../../ui/page.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { Badge, Key } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { CreateRepository } from '../create-repository.tsx';
import { repositoryHref } from '../place.ts';
import { repositoryRead } from '../queries.ts';
import { inBatches, REPOSITORY_COLUMNS } from '../repository-columns.tsx';
import { OrganizationHooks } from './org-hooks.tsx';
import { OrganizationMembers } from './org-members.tsx';
import { OrganizationSettings } from './org-settings.tsx';
import { OrganizationTeams } from './org-teams.tsx';
import { isAdminOf, organizationHref, type Organization } from './organization.ts';
import { useOrganization, useOrganizationRepositories, useOwnMembership } from './orgs-queries.ts';
import { ORG, ORGS } from './orgs-words.ts';
import '../../styles/lists.css';

const TABS = ['repositories', 'members', 'teams', 'webhooks', 'settings'] as const;
/** Of its admins. */
const ADMIN_TABS: readonly string[] = ['webhooks', 'settings'];

export default function OrganizationPage() {
  const { org, tab } = useParams<{ org: string; tab?: string }>();
  const { data: organization, error, refetch } = useOrganization(org);
  usePageInfo([
    { label: ORGS.title, href: '/orgs' },
    { label: org, copy: org },
  ]);
  return (
    <main id="main" className="page" tabIndex={-1}>
      {organization !== undefined ? (
        <OrganizationView
          key={organization.login}
          organization={organization}
          tab={TABS.find((one) => one === tab) ?? 'repositories'}
        />
      ) : error === null ? (
        <Skeleton lines={10} />
      ) : (
        <ReadProblem error={error} onRetry={() => void refetch()} />
      )}
    </main>
  );
}

interface OrganizationViewProps {
  organization: Organization;
  tab: (typeof TABS)[number];
}

function OrganizationView({ organization, tab }: OrganizationViewProps) {
  const { login } = organization;
  const isAdmin = isAdminOf(organization);
  return (
    <>
      <OrganizationHead organization={organization} />
      <Tabs
        label={ORG.tabsLabel}
        items={TABS.filter((one) => isAdmin || !ADMIN_TABS.includes(one)).map((one) => ({
          href: organizationHref(login, one === 'repositories' ? '' : `/${one}`),
          label: ORG.tabs[one],
          isCurrent: one === tab,
        }))}
      />
      {tab === 'members' ? (
        <OrganizationMembers org={login} isAdmin={isAdmin} />
      ) : tab === 'teams' ? (
        <OrganizationTeams org={login} />
      ) : tab === 'webhooks' && isAdmin ? (
        <OrganizationHooks org={login} />
      ) : tab === 'settings' && isAdmin ? (
        <OrganizationSettings organization={organization} />
      ) : (
        <Repositories organization={organization} />
      )}
    </>
  );
}

function OrganizationHead({ organization }: { organization: Organization }) {
  const { login, name, description, blog, location, company, email } = organization;
  const { data: membership } = useOwnMembership(login);
  const facts = [company, location, email].filter((fact) => fact !== undefined && fact !== '');
  return (
    <PageHead
      title={name || login}
      badge={
        membership == null ? undefined : <Badge icon="user">{ORG.you(ORGS.roles[membership.role])}</Badge>
      }
      meta={
        <>
          <span>{description || ORGS.noDescription}</span>
          <span className="row row--wrap row--4 t13">
            <Key copyLabel={ORG.login}>{login}</Key>
            {facts.map((fact) => (
              <span key={fact}>{fact}</span>
            ))}
            {blog !== undefined &&
              blog !== '' &&
              (isWebAddress(blog) ? (
                <TextLink href={blog} isExternal>
                  {blog}
                </TextLink>
              ) : (
                <span>{blog}</span>
              ))}
          </span>
        </>
      }
      actions={
        <ButtonLink icon="history" href={`/account/audit?resource=${encodeURIComponent(`org/${login}`)}`}>
          {ORG.audit}
        </ButtonLink>
      }
    />
  );
}

function Repositories({ organization }: { organization: Organization }) {
  const { login } = organization;
  const list = useOrganizationRepositories(login);
  const { data: membership } = useOwnMembership(login);
  const [isCreating, setCreating] = useState(false);
  const mayCreate = isAdminOf(organization) || membership?.permissions.can_create_repository === true;
  useKeys({ c: () => setCreating(true) }, { isOn: mayCreate });
  const create = mayCreate ? (
    <Button tone="primary" icon="plus" keys="c" onClick={() => setCreating(true)}>
      {ORG.newRepository}
    </Button>
  ) : undefined;
  if (list.error !== null) return <ReadProblem error={list.error} onRetry={list.retry} />;
  return (
    <>
      {create !== undefined && (
        <div className="row list-bar">
          <span className="push" />
          {create}
        </div>
      )}
      {list.newCount > 0 && <NewRows count={formatCount(list.newCount)} onShow={list.showNew} />}
      <Table
        label={ORG.tabs.repositories}
        columns={UNSORTED}
        rows={inBatches(list.rows)}
        rowKey={({ id }) => String(id)}
        rowHref={({ owner, name }) => repositoryHref({ owner: owner.login, repo: name })}
        onPrefetch={({ owner, name }) => prefetch(repositoryRead({ owner: owner.login, repo: name }))}
        isLoading={list.isLoading}
        emptyState={<EmptyState icon="code" {...ORG.noRepositories} />}
        footer={<ListFoot list={list} nouns={ORG.repositoryNouns} />}
      />
      {isCreating && <CreateRepository owner={login} onClose={() => setCreating(false)} />}
    </>
  );
}

const UNSORTED = REPOSITORY_COLUMNS.map((column) => ({ ...column, sort: undefined }));
