// Who holds a role: members, teams and tokens that the reader may see.
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { TextLink } from '../../ui/link.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { nameOf } from '../members/members-queries.ts';
import { useRoleMembers, useRoleTeams, useTokensWithRoles, type CustomRole } from './roles-queries.ts';
import { HOLDERS } from './roles-words.ts';

/** How many there are, as far as it is known. */
export function useHolderCounts(role: CustomRole) {
  const { tokensOf } = useTokensWithRoles();
  const { membersCount = 0, teamsCount = 0 } = role.assignedTo ?? {};
  const tokens = tokensOf(role)?.length ?? 0;
  return { members: membersCount, teams: teamsCount, tokens };
}

export function holderWords({ members, teams, tokens }: ReturnType<typeof useHolderCounts>): string {
  return HOLDERS.words(members, teams, tokens);
}

export function RoleHolders({ role }: { role: CustomRole }) {
  const members = useRoleMembers(role.key);
  const { teams, isWhole: areTeamsWhole } = useRoleTeams(role.key);
  const { tokensOf, isWhole: areTokensWhole } = useTokensWithRoles();
  const tokens = tokensOf(role) ?? [];
  const people = members.data?.pages.flatMap(({ items }) => items) ?? [];
  const groups = [
    {
      label: HOLDERS.members,
      items: people.map((member) => ({
        href: `/account/members?member=${encodeURIComponent(member.id)}`,
        name: nameOf(member),
      })),
    },
    {
      label: HOLDERS.teams,
      items: (teams ?? []).map(({ key, name }) => ({
        href: `/account/teams?team=${encodeURIComponent(key)}`,
        name,
      })),
    },
    {
      label: HOLDERS.tokens,
      items: tokens.map(({ id, name, ending }) => ({
        href: `/account/tokens?token=${encodeURIComponent(id)}`,
        name: name === '' ? `…${ending}` : name,
      })),
    },
  ].filter(({ items }) => items.length > 0);
  const counts = useHolderCounts(role);
  const isPartly = counts.members > people.length || counts.teams > (teams?.length ?? 0);
  return (
    <Card title={HOLDERS.title} icon="users">
      <div className="stack">
        {members.isPending && <Skeleton lines={2} />}
        {groups.length === 0 && !members.isPending && <p className="t13 muted">{HOLDERS.none}</p>}
        {groups.map(({ label, items }) => (
          <section key={label}>
            <h3 className="h4">{label}</h3>
            <ul className="row row--wrap t13" aria-label={label}>
              {items.map(({ href, name }) => (
                <li key={href}>
                  <TextLink href={href}>{name}</TextLink>
                </li>
              ))}
            </ul>
          </section>
        ))}
        {members.hasNextPage && (
          <div>
            <Button
              size="sm"
              isBusy={members.isFetchingNextPage}
              onClick={() => void members.fetchNextPage()}
            >
              {HOLDERS.more}
            </Button>
          </div>
        )}
        {isPartly && !members.isPending && !members.hasNextPage && (
          <p className="t12 muted">{HOLDERS.notSeen}</p>
        )}
        {(!areTeamsWhole || !areTokensWhole) && teams !== undefined && (
          <p className="t12 muted">{HOLDERS.some}</p>
        )}
      </div>
    </Card>
  );
}
