// The teams of an organization.
import { useState } from 'react';
import { ListFoot } from '../../lib/list-foot.tsx';
import { NewRows } from '../../lib/new-rows.tsx';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { Button } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { useKeys } from '../../ui/keys.ts';
import { EmptyState } from '../../ui/states.tsx';
import { Badge } from '../../ui/status.tsx';
import { Table, type TableColumn } from '../../ui/table.tsx';
import { teamHref, type OrganizationTeam } from './organization.ts';
import { useOrganizationTeams, useOwnMembership } from './orgs-queries.ts';
import { ORG_TEAMS } from './orgs-words.ts';
import { TeamDialog } from './team-dialog.tsx';

export function OrganizationTeams({ org }: { org: string }) {
  const list = useOrganizationTeams(org);
  const { data: membership } = useOwnMembership(org);
  const [isCreating, setCreating] = useState(false);
  // Every member may.
  const mayCreate = membership != null;
  useKeys({ c: () => setCreating(true) }, { isOn: mayCreate });
  const create = mayCreate ? (
    <Button tone="primary" icon="plus" keys="c" onClick={() => setCreating(true)}>
      {ORG_TEAMS.create}
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
        label={ORG_TEAMS.columns.team}
        columns={COLUMNS}
        rows={list.rows}
        rowKey={({ slug }) => slug}
        rowHref={({ slug }) => teamHref(org, slug)}
        isLoading={list.isLoading}
        emptyState={<EmptyState icon="users" {...ORG_TEAMS.none} />}
        footer={<ListFoot list={list} nouns={ORG_TEAMS.nouns} />}
      />
      {isCreating && <TeamDialog org={org} onClose={() => setCreating(false)} />}
    </>
  );
}

const COLUMNS: TableColumn<OrganizationTeam>[] = [
  {
    id: 'team',
    head: ORG_TEAMS.columns.team,
    isMain: true,
    cell: ({ name, slug, description }) => (
      <span className="two">
        <b className="cut">
          {name} <code className="key">{slug}</code>
        </b>
        <small className="cut">{description}</small>
      </span>
    ),
  },
  {
    id: 'parent',
    head: ORG_TEAMS.columns.parent,
    priority: 'mid',
    cell: ({ parent }) => <span className="cut">{parent?.name}</span>,
  },
  {
    id: 'privacy',
    head: ORG_TEAMS.columns.privacy,
    cell: ({ privacy }) => (
      <Badge icon={privacy === 'secret' ? 'lock' : 'users'}>
        {privacy === 'secret' ? ORG_TEAMS.secret : ORG_TEAMS.closed}
      </Badge>
    ),
  },
];
