// The page of one custom role.
import '../../styles/policy.css';
import { useParams } from 'wouter';
import { usePageInfo } from '../../app/page-info.ts';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { RoleEditor } from './role-editor.tsx';
import { ROLES_PAGE, useRole } from './roles-queries.ts';
import { ROLE, ROLES } from './roles-words.ts';

export default function RolePage() {
  const { key } = useParams<{ key: string }>();
  const { data: role, error, refetch } = useRole(key);
  usePageInfo([
    { label: ROLES.account },
    { label: ROLES.title, href: ROLES_PAGE },
    { label: role?.name ?? key, copy: key },
  ]);
  return (
    <main id="main" className="page" tabIndex={-1}>
      {role !== undefined && error?.status !== 404 ? (
        <RoleEditor key={role.key} role={role} />
      ) : error === null ? (
        <Skeleton rows={8} />
      ) : error.status === 404 ? (
        <EmptyState
          icon="shield"
          title={ROLE.gone}
          text={ROLE.goneText}
          action={<ButtonLink href={ROLES_PAGE}>{ROLE.back}</ButtonLink>}
        />
      ) : (
        <ReadProblem error={error} onRetry={() => void refetch()} />
      )}
    </main>
  );
}
