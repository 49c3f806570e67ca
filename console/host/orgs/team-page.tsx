// One team of an organization: its members, its repositories, and the teams in it.
import { useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { useMe } from '../../app/me.ts';
import { usePageInfo } from '../../app/page-info.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { useKeys } from '../../ui/keys.ts';
import { TextLink } from '../../ui/link.tsx';
import { Menu } from '../../ui/menu.tsx';
import { PageHead } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Badge } from '../../ui/status.tsx';
import { isAdminOf, organizationHref, teamHref, type FullTeam } from './organization.ts';
import {
  useChildTeams,
  useDeleteTeam,
  useOrganization,
  useOrganizationTeam,
  useOwnTeamRole,
} from './orgs-queries.ts';
import { ORG, ORG_TEAMS, ORGS, TEAM } from './orgs-words.ts';
import { TeamDialog } from './team-dialog.tsx';
import { TeamMembers } from './team-members.tsx';
import { TeamRepositories } from './team-repositories.tsx';
import '../../styles/teams.css';

export default function OrganizationTeamPage() {
  const { org, team: slug } = useParams<{ org: string; team: string }>();
  const { data: organization } = useOrganization(org);
  const { data: team, error, refetch } = useOrganizationTeam(org, slug);
  const { data: me } = useMe();
  const own = useOwnTeamRole(org, slug, me?.username);
  const isAdmin = organization !== undefined && isAdminOf(organization);
  const mayMaintain = isAdmin || own?.role === 'maintainer';
  usePageInfo([
    { label: ORGS.title, href: '/orgs' },
    { label: org, href: organizationHref(org) },
    { label: ORG.tabs.teams, href: organizationHref(org, '/teams') },
    { label: team?.name ?? slug, copy: slug },
  ]);
  return (
    <main id="main" className="page" tabIndex={-1}>
      {team !== undefined ? (
        <div className="stack stack--16" key={slug}>
          <TeamHead org={org} team={team} mayMaintain={mayMaintain} />
          <TeamMembers org={org} team={slug} mayMaintain={mayMaintain} own={me?.username} />
          <TeamRepositories org={org} team={slug} mayChange={isAdmin} />
          <Children org={org} team={slug} />
        </div>
      ) : error === null ? (
        <Skeleton lines={10} />
      ) : (
        <ReadProblem error={error} onRetry={() => void refetch()} />
      )}
    </main>
  );
}

interface TeamHeadProps {
  org: string;
  team: FullTeam;
  mayMaintain: boolean;
}

function TeamHead({ org, team, mayMaintain }: TeamHeadProps) {
  const { name, description, parent, privacy, slug } = team;
  const [opened, setOpened] = useState<'edit' | 'delete'>();
  const close = () => setOpened(undefined);
  const [, navigate] = useLocation();
  const remove = useDeleteTeam(org, slug);
  useKeys({ e: () => setOpened('edit') }, { isOn: mayMaintain });
  return (
    <>
      <PageHead
        title={name}
        badge={
          <Badge icon={privacy === 'secret' ? 'lock' : 'users'}>
            {privacy === 'secret' ? ORG_TEAMS.secret : ORG_TEAMS.closed}
          </Badge>
        }
        meta={
          <>
            <span>{description || ORGS.noDescription}</span>
            {parent !== null && (
              <span>
                {TEAM.partOf} <TextLink href={teamHref(org, parent.slug)}>{parent.name}</TextLink>
              </span>
            )}
          </>
        }
        actions={
          mayMaintain ? (
            <>
              <Button icon="pen" keys="e" onClick={() => setOpened('edit')}>
                {TEAM.edit}
              </Button>
              <Menu
                trigger={<Button icon="dots" label={TEAM.more} />}
                items={[
                  {
                    label: TEAM.delete,
                    icon: 'trash',
                    tone: 'danger',
                    onSelect: () => setOpened('delete'),
                  },
                ]}
              />
            </>
          ) : undefined
        }
      />
      {opened === 'edit' && <TeamDialog org={org} team={team} onClose={close} />}
      {opened === 'delete' && (
        <ConfirmDialog
          title={TEAM.deleteTitle(name)}
          confirmLabel={TEAM.deleteConfirm}
          tone="danger"
          isBusy={remove.isPending}
          error={remove.error ?? undefined}
          onConfirm={() =>
            remove.mutate(undefined, {
              onSuccess: () => navigate(organizationHref(org, '/teams'), { replace: true }),
            })
          }
          onClose={close}
        >
          {TEAM.deleteText}
        </ConfirmDialog>
      )}
    </>
  );
}

function Children({ org, team }: { org: string; team: string }) {
  const { rows = [], hasMore, isReadingMore, readMore } = useChildTeams(org, team);
  if (rows.length === 0) return null;
  return (
    <Card title={TEAM.children}>
      <ul className="stack stack--8">
        {rows.map(({ slug, name }) => (
          <li key={slug}>
            <TextLink href={teamHref(org, slug)}>{name}</TextLink>
          </li>
        ))}
      </ul>
      {hasMore && (
        <Button size="sm" isBusy={isReadingMore} onClick={readMore}>
          {TEAM.moreMembers}
        </Button>
      )}
    </Card>
  );
}
